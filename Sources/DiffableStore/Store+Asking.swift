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
            let rights = held.headAccess.effective.rights(of: peer)
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
        let rights = held.access.effective.rights(of: peer)
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

extension Store {
    /// What a proposal would do, for the list's handler; or its first result, when it came before and was consented to.
    package func consider(_ proposal: Proposal, completion: @escaping Completion<Outcome>) {
        if let refusal { return completion(.failure(refusal)) }
        var terms = terms(of: proposal, .dryRun)
        terms.isForHandler = true
        transact(proposal.list, proposal.operations, terms, completion: completion)
    }

    /// What a proposal would do, for the proposer.
    package func dryRun(_ proposal: Proposal, completion: @escaping Completion<Outcome>) {
        if let refusal { return completion(.failure(refusal)) }
        transact(proposal.list, proposal.operations, terms(of: proposal, .dryRun), completion: completion)
    }

    /// Carries out a proposal that the list's handler consented to, at the head.
    ///
    /// - Parameter operations: what the handler gave instead; nil: what was proposed.
    package func carryOut(
        _ proposal: Proposal, with operations: [ListOperation]? = nil, completion: @escaping Completion<Outcome>
    ) {
        if let refusal { return completion(.failure(refusal)) }
        transact(
            proposal.list, operations ?? proposal.operations, terms(of: proposal, .commit), completion: completion)
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
