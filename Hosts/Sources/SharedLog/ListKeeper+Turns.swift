// How hosts that append to one list at once take turns. What a turn is, `TurnQueue` says.
//
// Whose turn it is not settles the daemon's append as `unreachable`, which is true, since nothing was sent; the daemon
// keeps the requests and asks for nothing before it hears `live` again. So a host that waits makes no batches for
// nothing, and those who come meanwhile go into the one that it makes when its turn has come.

extension ListKeeper {
    /// The host that is to append before this one.
    private var predecessor: TurnQueue.Ticket? {
        guard let first = turns.first(without: passed), first.host != host else { return nil }
        return first
    }

    /// Whether this host is to wait. It leaves its ticket then.
    func mustWait() async throws(KeeperError) -> Bool {
        guard predecessor != nil else { return false }
        try await queue()
        return isAwaitingTurn
    }

    /// A host whose batch is made after others have gone on has lost without a swap, and so without a ticket. It would lose
    /// for as long as others are quicker to write than it is to make a batch.
    func queueIfOvertaken(_ after: Position) async throws(KeeperError) {
        guard stage == .following, let known, known.head.position.batch > after.batch else { return }
        try await queue()
    }

    private func queue() async throws(KeeperError) {
        if !turns.has(host) { try await leaveTicket() }
        // Perhaps what was heard of the queue was old.
        awaitTurn()
    }

    private func leaveTicket() async throws(KeeperError) {
        turns.take(try await reading { () async throws(EngineError) in try await self.log.queue(self.host) })
    }

    /// Begins to wait if somebody is before this host.
    func awaitTurn() {
        isAwaitingTurn = predecessor != nil
        watchPredecessor()
    }

    func take(_ events: [TurnQueue.Event]) {
        for event in events { turns.take(event) }
        watchPredecessor()
    }

    /// A host that was passed over while it waited itself has no ticket any more. Without another one it would wait for as
    /// long as there is anybody else.
    func renewTicket() async throws(DaemonError) {
        guard isAwaitingTurn, predecessor != nil, !turns.has(host) else { return }
        try await tolerating { () async throws(KeeperError) in try await leaveTicket() }
        watchPredecessor()
    }

    /// Whether this host waited, and its turn has come.
    var isTurnDue: Bool { isAwaitingTurn && predecessor == nil }

    /// Lets the daemon go on if its turn has come.
    func takeTurn() async throws(DaemonError) {
        guard isTurnDue else { return }
        isAwaitingTurn = false
        mustTellLive = true
        let known = known
        try await tolerating { () async throws(KeeperError) in try await catchUp(to: known) }
    }

    /// Takes our ticket back: there is nothing to append for now. If that does not arrive, we are passed over.
    func giveUpTurn() async {
        guard turns.has(host) else { return }
        var heard: TurnQueue.Event?
        _ = try? await log.head(leaving: host) { heard = $0 }
        if let heard { turns.take(heard) }
    }

    // MARK: Patience

    /// Whoever is first has so much time for its turn, from when it became the first.
    private func watchPredecessor() {
        guard isAwaitingTurn, let first = predecessor else { return }
        if awaited?.ticket != first { awaited = (first, time.now() + limits.turnPatience) }
        guard !isPatienceRunning else { return }
        runPatience(limits.turnPatience)
    }

    /// There is one such wait at a time, however often the first one changes meanwhile.
    private func runPatience(_ time: Duration) {
        isPatienceRunning = true
        later(time) { await self.losePatience() }
    }

    /// A host that is gone, or cut off, is passed over. If it comes back, the swap decides.
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
