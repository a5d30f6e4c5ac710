// Takes turns with other hosts that append to the same list. `TurnQueue` explains turns.
//
// Without a turn, the daemon's append is settled as `unreachable`, which is true, since nothing was sent; the daemon keeps the
// requests and waits for `live`. So a waiting host makes no useless batches, and later requests are included in the batch that
// it makes in its turn.

extension ListKeeper {
    /// The ticket of the host that is to append before this one.
    private var predecessor: TurnQueue.Ticket? {
        guard let first = turns.first(without: passed), first.host != host else { return nil }
        return first
    }

    /// Whether this host has to wait. If so, leaves its ticket.
    func mustWait() async throws(KeeperError) -> Bool {
        guard predecessor != nil else { return false }
        try await queue()
        return isAwaitingTurn
    }

    /// Queues a host whose batch was outdated before the compare-and-swap, so that it left no ticket. It would lose for as long
    /// as other hosts write faster than it makes a batch.
    func queueIfOvertaken(_ after: Position) async throws(KeeperError) {
        guard stage == .following, let known, known.head.position.batch > after.batch else { return }
        try await queue()
    }

    private func queue() async throws(KeeperError) {
        if !turns.has(host) { try await leaveTicket() }
        // The known state of the queue may be outdated.
        awaitTurn()
    }

    private func leaveTicket() async throws(KeeperError) {
        turns.take(try await reading { () async throws(EngineError) in try await self.log.queue(self.host) })
    }

    /// Begins to wait if another host precedes this one.
    func awaitTurn() {
        isAwaitingTurn = predecessor != nil
        watchPredecessor()
    }

    func take(_ events: [TurnQueue.Event]) {
        for event in events { turns.take(event) }
        watchPredecessor()
    }

    /// Leaves a new ticket after this host was passed over while it waited. Without one it would wait for as long as there are
    /// other hosts.
    func renewTicket() async throws(DaemonError) {
        guard isAwaitingTurn, predecessor != nil, !turns.has(host) else { return }
        try await tolerating { () async throws(KeeperError) in try await leaveTicket() }
        watchPredecessor()
    }

    /// Whether this host has waited and its turn has come.
    var isTurnDue: Bool { isAwaitingTurn && predecessor == nil }

    /// Lets the daemon continue if its turn has come.
    func takeTurn() async throws(DaemonError) {
        guard isTurnDue else { return }
        isAwaitingTurn = false
        mustTellLive = true
        let known = known
        try await tolerating { () async throws(KeeperError) in try await catchUp(to: known) }
    }

    /// Takes back our ticket, because there is nothing to append. If the request is lost, other hosts pass us over.
    func giveUpTurn() async {
        guard turns.has(host) else { return }
        var heard: TurnQueue.Event?
        _ = try? await log.head(leaving: host) { heard = $0 }
        if let heard { turns.take(heard) }
    }

    // MARK: Patience

    /// Limits the time of the first host, counted from when it became the first.
    private func watchPredecessor() {
        guard isAwaitingTurn, let first = predecessor else { return }
        if awaited?.ticket != first { awaited = (first, time.now() + limits.turnPatience) }
        guard !isPatienceRunning else { return }
        runPatience(limits.turnPatience)
    }

    /// Starts a timer; there is only one at a time, however often the first host changes.
    private func runPatience(_ time: Duration) {
        isPatienceRunning = true
        later(time) { await self.losePatience() }
    }

    /// Passes over a host that has stopped or is cut off. If it returns, the compare-and-swap decides.
    func endPatience() async throws(DaemonError) {
        isPatienceRunning = false
        guard isAwaitingTurn, let awaited else { return }
        if awaited.ticket == predecessor, awaited.end <= time.now() {
            passed.insert(awaited.ticket)
            if !isTurnDue { watchPredecessor() }
            return try await takeTurn()
        }
        runPatience(max(.zero, time.now().duration(to: awaited.end)))
    }
}
