import Diffable

// A request with a key is made once. What came of it is remembered from the moment it becomes the list's head, so that
// one that comes again meanwhile finds it, and waits for the group that it rests on like every answer about the head.
// It is written in that group. If the group is refused, the key was never used.

extension Store {
    /// What came of the request when it came before; nil when it did not, or too long ago.
    func firstResult(of request: KeyedRequest, on head: ListState) throws(StoreError) -> FirstResult? {
        #if DEBUG
            if PlantedFault.current == .appliesKeyTwice { return nil }
        #endif
        requestWindows[head.number]?.trim(limits.requests, now: now())
        guard let first = requestWindows[head.number]?[request.key] else { return nil }
        guard first.digest == request.digest else { throw .requestKeyReused(head.name, request.key) }
        return first
    }

    /// What is to be remembered of a request.
    func result(of request: KeyedRequest, _ outcome: Outcome, at time: Timestamp) -> FirstResult {
        FirstResult(
            key: request.key, digest: request.digest,
            number: (requestWindows[outcome.after.number]?.lastNumber ?? 0) + 1, revision: outcome.revision,
            isChanged: outcome.isChanged, summary: request.isSummarized ? outcome.summary : nil, time: time)
    }

    /// A change is its list's head now.
    func rememberResult(of change: ListChange) {
        if let result = change.result { requestWindows[change.state.number, default: RequestWindow()].append(result) }
    }

    /// A change is on disk.
    func settleResult(of change: ListChange) {
        if change.result != nil { requestWindows[change.state.number]?.settle(limits.requests) }
        if case .deleted = change.event { requestWindows[change.state.number] = nil }
    }

    /// Changes, in arrival order, have not come to the disk.
    func refuseResults(of changes: [ListChange]) {
        for change in changes.reversed() {
            if let result = change.result { requestWindows[change.state.number]?.refuse(result) }
            if case .created = change.event { requestWindows[change.state.number] = nil }
        }
    }
}
