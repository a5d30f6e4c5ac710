import Diffable

// Reads of a shared list are answered with what is here. Some ask for better: the replica is looked at again when the engine
// has said that it is the newest state, or when the revision has come that was asked for, whichever is first.

extension Store {
    /// Calls back when the list is as new here as is wanted, or with why that is not to be known.
    ///
    /// Of a list of this host alone the newest state is here: nothing is waited for but the disk.
    package func awaitState(
        of name: ListName, _ freshness: Freshness, by peer: Peer = .daemon, completion: @escaping Completion<ListState>
    ) {
        guard mayRead(name, peer), let held = heldLists[name], let state = held.committed else {
            return completion(.failure(.noSuchList(name)))
        }
        switch freshness {
        case .any: completion(.success(state))
        case .mostRecent:
            if let source = held.access.effective.source { return completion(.failure(.newestElsewhere(name, source))) }
            guard let shared = held.shared else { return completion(.success(state)) }
            ask(.confirmation(name, completion), of: held, shared)
        case .notOlderThan(let revision):
            if state.revision >= revision { return completion(.success(state)) }
            // What is not on disk yet may be the revision, or be refused there.
            guard let shared = held.shared else {
                let head = held.head ?? state
                return answer(.list(completion, head.result(ifAt: revision)), about: name)
            }
            ask(.arrival(name, revision: revision, completion), of: held, shared)
        }
    }

    /// The list is further on disk: those who waited for that are answered.
    func answerArrivals(of held: HeldList) {
        guard let shared = held.shared, !shared.arrivals.isEmpty, let state = held.committed else { return }
        for (number, revision) in shared.arrivals.sorted(by: { $0.key < $1.key }) where revision <= state.revision {
            shared.arrivals[number] = nil
            shared.machine.forget(number)
            guard case .arrival(_, _, let completion) = shared.requests.removeValue(forKey: number) else { continue }
            completion(.success(state))
        }
    }
}

extension ListState {
    /// This state if it is at that revision or a later one.
    func result(ifAt revision: Int) -> Result<ListState, StoreError> {
        self.revision >= revision ? .success(self) : .failure(.revisionNotMade(name, revision, current: self.revision))
    }
}
