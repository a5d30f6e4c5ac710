import Diffable

// The store's part in requests to a list's handler: it checks rights, gives the list's state, and carries out approved proposals.

/// The parts of a list that a request to its handler refers to. They have to exist.
package struct HandlerRequestTarget: Sendable {
    package var items: [ItemID]
    package var section: SectionID?
    package var ifRevision: Int?

    package init(items: [ItemID] = [], section: SectionID? = nil, ifRevision: Int? = nil) {
        self.items = items
        self.section = section
        self.ifRevision = ifRevision
    }
}

extension Store {
    /// Checks whether the peer may send a request to the list's handler, and returns the head once everything it
    /// depends on is on disk.
    /// - Parameter place: nil to check only the rights.
    package func checkHandlerRequest(
        _ name: ListName, about place: HandlerRequestTarget?, by peer: Peer = .daemon,
        completion: @escaping Completion<ListState>
    ) {
        var mayRead = false
        do throws(StoreError) {
            guard let held = storedLists[name], let head = held.head else { throw .noSuchList(name) }
            let rights = held.headAccess.rights(of: peer)
            mayRead = rights.contains(.read)
            guard rights.contains(.ask) else { throw mayRead ? .permissionDenied(name, .asking) : .noSuchList(name) }
            if let place { try check(place, head, mayRead: mayRead) }
            answer(.list(completion, .success(head)), about: name)
        } catch {
            answer(.list(completion, .failure(mayRead ? error : error.withoutContents)), about: name, to: peer)
        }
    }

    private func check(_ place: HandlerRequestTarget, _ head: ListState, mayRead: Bool) throws(StoreError) {
        if let expected = place.ifRevision {
            guard mayRead else { throw .permissionDenied(head.name, .readingWhileWriteOnly) }
            if expected != head.revision {
                throw .revisionMismatch(head.name, expected: expected, current: head.revision)
            }
        }
        for item in place.items where !head.snapshot.contains(item) { throw .operation(head.name, .noSuchItem(item)) }
        if let section = place.section, !head.snapshot.contains(section) {
            throw .operation(head.name, .noSuchSection(section))
        }
    }

    /// Throws unless the peer may become the handler of a list. With `seeing`, it also needs read permission, because
    /// the handler of proposals sees the list's contents.
    package func checkHandling(of name: ListName, seeing: Bool, by peer: Peer = .daemon) throws(StoreError) {
        guard let held = storedLists[name], held.committed != nil else { throw .noSuchList(name) }
        let rights = held.access.rights(of: peer)
        if rights.isSuperset(of: seeing ? [.read, .write] : .write) { return }
        throw rights.isDisjoint(with: [.read, .write]) ? .noSuchList(name) : .permissionDenied(name, .handling)
    }
}

// MARK: - Proposals

/// A transaction that needs the handler's approval. The approval authorises it, so the right `ask` is enough to propose.
package struct Proposal: Sendable {
    package var list: ListName
    package var operations: [ListOperation]
    package var ifRevision: Int?
    package var requestKey: RequestKey?
    package var lease: Lease?
    package var origin: Origin?
    package var peer: Peer

    package init(
        list: ListName, operations: [ListOperation], ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        lease: Lease? = nil, origin: Origin? = nil, peer: Peer = .daemon
    ) {
        self.list = list
        self.operations = operations
        self.ifRevision = ifRevision
        self.requestKey = requestKey
        self.lease = lease
        self.origin = origin
        self.peer = peer
    }
}

/// Identifies the store's evaluation of a proposal, whose result `carryOut` can reuse. Unique while the daemon runs.
package struct ProposalEvaluationID: Sendable, Equatable {
    let number: Int
}

/// The result of a proposal at the list's head. A list keeps only one, so that waiting proposals do not keep states in memory.
struct ProposalEvaluation {
    let evaluation: ProposalEvaluationID
    let known: CachedChange
    /// The limits that the result was checked against.
    let limits: SnapshotLimits
}

extension Store {
    /// Evaluates a proposal for the list's handler. A repeated proposal that was approved before gets its first result.
    package func evaluate(_ proposal: Proposal, completion: @escaping Completion<Outcome>) {
        if let refusal { return completion(.failure(refusal)) }
        var context = context(of: proposal, .dryRun)
        context.isForHandler = true
        _ = change(proposal.list, context, .transact(proposal.operations), completion: completion)
    }

    /// Evaluates a proposal for the proposer, without the handler.
    package func dryRun(_ proposal: Proposal, completion: @escaping Completion<Outcome>) {
        if let refusal { return completion(.failure(refusal)) }
        _ = change(
            proposal.list, context(of: proposal, .dryRun), .transact(proposal.operations), completion: completion)
    }

    /// Carries out an approved proposal at the head.
    /// - Parameters:
    ///   - operations: replacement operations from the handler; nil for the proposed ones.
    ///   - evaluation: the earlier evaluation. If the list has neither changed nor had another one since, its result
    ///     is reused.
    package func carryOut(
        _ proposal: Proposal, with operations: [ListOperation]? = nil, after evaluation: ProposalEvaluationID? = nil,
        completion: @escaping Completion<Outcome>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        var context = context(of: proposal, .commit)
        let known = takeChange(evaluated: evaluation, of: proposal.list)
        if operations == nil { context.known = known }
        _ = change(
            proposal.list, context, .transact(operations ?? proposal.operations), completion: completion)
    }

    /// Drops the result of an evaluation, because the proposal will not be carried out.
    package func forget(_ evaluation: ProposalEvaluationID, of list: ListName) {
        _ = takeChange(evaluated: evaluation, of: list)
    }

    /// Keeps the result of a proposal until the head changes or another proposal is evaluated.
    func rememberEvaluation(_ made: ComputedChange, of head: ListState, in held: StoredList) -> ProposalEvaluationID {
        lastEvaluationNumber += 1
        let evaluation = ProposalEvaluationID(number: lastEvaluationNumber)
        held.evaluated = ProposalEvaluation(
            evaluation: evaluation, known: CachedChange(made: made, head: head, schemas: held.headSchemas),
            limits: limits.snapshot)
        return evaluation
    }

    /// Takes the kept result of a proposal. Nil if it may be out of date.
    private func takeChange(evaluated evaluation: ProposalEvaluationID?, of list: ListName) -> CachedChange? {
        guard let evaluation, let held = storedLists[list], let evaluated = held.evaluated,
            evaluated.evaluation == evaluation
        else { return nil }
        held.evaluated = nil
        return evaluated.limits == limits.snapshot ? evaluated.known : nil
    }

    /// The digest covers the proposed operations and not the handler's, because a repeated request contains the proposed ones.
    private func context(of proposal: Proposal, _ mode: TransactionMode) -> ChangeContext {
        let request = proposal.requestKey.map {
            KeyedRequest(key: $0, digest: RequestDigest.of(transact: proposal.operations), isSummarized: false)
        }
        return ChangeContext(
            ifRevision: proposal.ifRevision, request: request, lease: proposal.lease, mode: mode,
            origin: proposal.origin, peer: proposal.peer, needed: .ask)
    }
}
