import Diffable

// Reads of a shared list use this host's replica. A read can also wait until etcd has confirmed that the replica is the
// newest state, or until it has a given revision.

extension Store {
    /// Calls back when the list is as fresh as requested, or with the reason why that is unknown.
    ///
    /// This host always has the newest state of a list that is not shared, so such a read waits only for the disk.
    package func awaitState(
        of name: ListName, _ freshness: Freshness, by peer: Peer = .daemon, completion: @escaping Completion<ListState>
    ) {
        guard mayRead(name, peer), let held = storedLists[name], let state = held.committed else {
            return completion(.failure(.noSuchList(name)))
        }
        switch freshness {
        case .any: completion(.success(state))
        case .mostRecent:
            if let source = held.access.effective.source { return completion(.failure(.newestElsewhere(name, source))) }
            guard let shared = held.shared else { return completion(.success(state)) }
            enqueue(.confirmation(name, completion), of: held, shared)
        case .notOlderThan(let revision):
            if state.revision >= revision { return completion(.success(state)) }
            // A pending change may make the revision, or be refused.
            guard let shared = held.shared else {
                let head = held.head ?? state
                return answer(.list(completion, head.result(ifAt: revision)), about: name)
            }
            enqueue(.arrival(name, revision: revision, completion), of: held, shared)
        }
    }

    /// Answers the requests that waited for a revision that is now on disk.
    func answerArrivals(of held: StoredList) {
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
    /// This state if it has reached the revision, otherwise an error.
    func result(ifAt revision: Int) -> Result<ListState, StoreError> {
        self.revision >= revision ? .success(self) : .failure(.revisionNotMade(name, revision, current: self.revision))
    }
}
