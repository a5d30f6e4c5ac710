import Diffable

// What somebody asks of a list's handler, as far as the store has a part in it: it knows who may ask, what the list is like,
// and it carries out what is proposed and consented to.

/// What is asked about, which must be there.
package struct AskedPlace: Sendable {
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
    /// The head of a list of which somebody asks something, once all that it rests on is on disk.
    ///
    /// - Parameter place: nil: it is only looked at whether the peer may ask.
    package func ask(
        _ name: ListName, about place: AskedPlace?, by peer: Peer = .daemon, completion: @escaping Completion<ListState>
    ) {
        var mayRead = false
        do throws(StoreError) {
            guard let held = heldLists[name], let head = held.head else { throw .noSuchList(name) }
            let rights = held.headAccess.rights(of: peer)
            mayRead = rights.contains(.read)
            guard rights.contains(.ask) else { throw mayRead ? .permissionDenied(name, .asking) : .noSuchList(name) }
            if let place { try check(place, head, mayRead: mayRead) }
            answer(.list(completion, .success(head)), about: name)
        } catch {
            answer(.list(completion, .failure(mayRead ? error : error.withoutContents)), about: name, to: peer)
        }
    }

    private func check(_ place: AskedPlace, _ head: ListState, mayRead: Bool) throws(StoreError) {
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

    /// Whether the peer may be the handler of a list. Who is asked about proposals sees what they change.
    package func checkHandling(of name: ListName, seeing: Bool, by peer: Peer = .daemon) throws(StoreError) {
        guard let held = heldLists[name], held.committed != nil else { throw .noSuchList(name) }
        let rights = held.access.rights(of: peer)
        if rights.isSuperset(of: seeing ? [.read, .write] : .write) { return }
        throw rights.isDisjoint(with: [.read, .write]) ? .noSuchList(name) : .permissionDenied(name, .handling)
    }
}

// MARK: - Proposals

/// A transaction that somebody proposes. Who may ask may propose: the consent is the right to it.
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

/// Names what was found when a proposal was looked at. None is used twice.
package struct Consideration: Sendable, Equatable {
    let number: Int
}

/// What a proposal makes of the list's head. It is one for a list, so that those who propose and wait keep no states alive.
struct ConsideredChange {
    let consideration: Consideration
    let known: KnownChange
    /// What it was checked against.
    let limits: SnapshotLimits
}

extension Store {
    /// What a proposal would do, for the list's handler; or its first result, when it came before and was consented to.
    package func consider(_ proposal: Proposal, completion: @escaping Completion<Outcome>) {
        if let refusal { return completion(.failure(refusal)) }
        var terms = terms(of: proposal, .dryRun)
        terms.isForHandler = true
        _ = change(proposal.list, terms, .transact(proposal.operations), completion: completion)
    }

    /// What a proposal would do, for the proposer.
    package func dryRun(_ proposal: Proposal, completion: @escaping Completion<Outcome>) {
        if let refusal { return completion(.failure(refusal)) }
        _ = change(
            proposal.list, terms(of: proposal, .dryRun), .transact(proposal.operations), completion: completion)
    }

    /// Carries out a proposal that the list's handler consented to, at the head.
    ///
    /// - Parameters:
    ///   - operations: what the handler gave instead; nil: what was proposed.
    ///   - consideration: of the proposal. When none was made of the list since and the list has not changed, the
    ///     operations are not applied a second time.
    package func carryOut(
        _ proposal: Proposal, with operations: [ListOperation]? = nil, after consideration: Consideration? = nil,
        completion: @escaping Completion<Outcome>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        var terms = terms(of: proposal, .commit)
        let known = takeChange(considered: consideration, of: proposal.list)
        if operations == nil { terms.known = known }
        _ = change(
            proposal.list, terms, .transact(operations ?? proposal.operations), completion: completion)
    }

    /// Lets go of what was found, because nothing comes of the proposal.
    package func forget(_ consideration: Consideration, of list: ListName) {
        _ = takeChange(considered: consideration, of: list)
    }

    /// Keeps what a proposal makes of the list's head until there is another head or another proposal.
    func keep(_ made: MadeChange, of head: ListState, in held: HeldList) -> Consideration {
        lastConsiderationNumber += 1
        let consideration = Consideration(number: lastConsiderationNumber)
        held.considered = ConsideredChange(
            consideration: consideration, known: KnownChange(made: made, head: head, schemas: held.headSchemas),
            limits: limits.snapshot)
        return consideration
    }

    /// Takes out what a proposal was found to make of the list's head; nil when that may be something else by now.
    private func takeChange(considered consideration: Consideration?, of list: ListName) -> KnownChange? {
        guard let consideration, let held = heldLists[list], let considered = held.considered,
            considered.consideration == consideration
        else { return nil }
        held.considered = nil
        return considered.limits == limits.snapshot ? considered.known : nil
    }

    /// The digest is of what was proposed, because that is what comes again.
    private func terms(of proposal: Proposal, _ mode: TransactionMode) -> Terms {
        let request = proposal.requestKey.map {
            KeyedRequest(key: $0, digest: RequestDigest.of(transact: proposal.operations), isSummarized: false)
        }
        return Terms(
            ifRevision: proposal.ifRevision, request: request, lease: proposal.lease, mode: mode,
            origin: proposal.origin, peer: proposal.peer, needed: .ask)
    }
}
