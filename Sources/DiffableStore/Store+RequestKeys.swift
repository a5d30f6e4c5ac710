import Diffable

// A request with a key is carried out once. Its result is remembered as soon as the change is the list's head. A
// repeated request finds the result there and waits for its commit group like every reply about the head. The result is
// written in that group. If the group is refused, the key counts as unused.

extension Store {
    /// The result of the request's first execution. Nil for a new request, or if the result has expired.
    func firstResult(of request: KeyedRequest, on head: ListState) throws(StoreError) -> FirstResult? {
        changeWindow(of: head.number) { $0.trim(limits.requests, now: clock.running) }
        guard let first = requestWindows[head.number]?[request.key] else { return nil }
        guard first.digest == request.digest else { throw .requestKeyReused(head.name, request.key) }
        return first
    }

    func result(of request: KeyedRequest, _ outcome: Outcome, at time: RunningTime) -> FirstResult {
        FirstResult(
            key: request.key, digest: request.digest,
            number: nextResultNumber(of: outcome.after), revision: outcome.revision,
            isChanged: outcome.isChanged, summary: request.isSummarized ? outcome.summary : nil, time: time)
    }

    func nextResultNumber(of list: ListState) -> Int { (requestWindows[list.number]?.lastNumber ?? 0) + 1 }

    func rememberResult(of change: ListChange) {
        if let result = change.result { requestWindows[change.state.number, default: RequestWindow()].append(result) }
    }

    func settleResult(of change: ListChange) {
        let number = change.state.number
        if change.result != nil {
            changeWindow(of: number) { $0.markOldestWritten(limits.requests) }
            forgetKeysBeyondBudget()
        }
        if change.isEnd { forgetKeys(of: number) }
        if case .advanced(let former, _) = change.event { forgetKeys(of: former.number) }
    }

    private func forgetKeys(of list: Int) {
        if let window = requestWindows.removeValue(forKey: list) { keyCount -= window.settledCount }
    }

    private func changeWindow(of list: Int, _ body: (inout RequestWindow) -> Void) {
        guard let before = requestWindows[list]?.settledCount else { return }
        if requestWindows[list] != nil { body(&requestWindows[list]!) }
        keyCount += (requestWindows[list]?.settledCount ?? 0) - before
    }

    private func forgetKeysBeyondBudget() {
        let max = limits.requests.keysInAllMax
        guard keyCount > max else { return }
        let level = KeyBudget.keysPerList(
            of: requestWindows.values.map(\.settledCount), within: KeyBudget.totalAfterCut(max))
        for list in Array(requestWindows.keys) { changeWindow(of: list) { $0.shorten(to: level) } }
    }

    /// Forgets the results of changes that were not written.
    /// - Parameter changes: in arrival order.
    func refuseResults(of changes: [ListChange]) {
        for change in changes.reversed() {
            if let result = change.result { requestWindows[change.state.number]?.forgetNewest(result) }
            switch change.event {
            case .created, .advanced: requestWindows[change.state.number] = nil
            case .stepped, .unchanged, .deleted, .undeleted, .purged: break
            }
        }
    }
}
