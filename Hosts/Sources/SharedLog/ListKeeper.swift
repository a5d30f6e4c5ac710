/// Keeps one list of the daemon what the engine has of it, and carries out what the daemon asks for it: one after the
/// other.
///
/// What a watch says is a hint. What is true is decided by consecutive numbers, by the chain, and by heads that were
/// read from the engine itself.
package actor ListKeeper {
    package enum Stage: Hashable, Sendable {
        case following
        /// Somebody ended the list: the daemon was told, and this keeper does nothing more.
        case ended
    }

    package nonisolated let list: String
    package nonisolated let epoch: String
    let host: String
    let register: ListRegister
    let log: ListLog
    let daemon: any DaemonLink
    let limits: SharingLimits
    let say: @Sendable (String) -> Void

    package internal(set) var stage = Stage.following
    package internal(set) var replica: Replica
    /// What the next append compares.
    var known: KnownHead?
    /// The head that the last append without an answer compared.
    var doubtful: KnownHead?
    /// What the daemon was told; it begins with false.
    package internal(set) var isLive = false
    /// The daemon waits for a word, though nothing has changed since the last one.
    var mustTellLive = false
    /// For a list that the daemon does not have yet.
    var access: String?
    /// What was said last, so that it is said once.
    var lastSaid: String?
    /// So many looks are let pass, when the daemon has another list of this name.
    var restingLooks = 0
    /// Bytes of the batches since the last checkpoint, as far as they passed here.
    var bytesSinceCheckpoint = 0
    var isWritingCheckpoint = false

    /// Who waits to append, as far as it was heard.
    var turns = TurnQueue()
    /// The daemon has something to append, and was told to wait.
    var isAwaitingTurn = false
    /// Whose turn it is before ours, and until when it is waited for.
    var awaited: (ticket: TurnQueue.Ticket, end: ContinuousClock.Instant)?
    /// Tickets that are not waited for any more.
    var passed: Set<TurnQueue.Ticket> = []
    var isPatienceRunning = false
    /// A host was there that the daemon takes to be gone.
    var wasRefused = false
    let time: HostTime
    /// Has something done after a time, unless the connection to the daemon ends before.
    let later: @Sendable (Duration, @escaping @Sendable () async -> Void) -> Void

    private var inbox = KeeperInbox()
    private let bell: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - replica: where the daemon's copy is.
    ///   - access: what the daemon is told when it has no such list yet.
    package init(
        _ list: String, _ epoch: String, at replica: Replica, access: String? = nil, of host: String,
        register: ListRegister, daemon: any DaemonLink, limits: SharingLimits = SharingLimits(),
        time: HostTime = .real,
        later: @escaping @Sendable (Duration, @escaping @Sendable () async -> Void) -> Void,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.list = list
        self.epoch = epoch
        self.replica = replica
        self.access = access
        self.host = host
        self.time = time
        self.later = later
        self.register = register
        log = register.log(epoch)
        self.daemon = daemon
        self.limits = limits
        self.say = say
        (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The list was begun by a swap of this host: the daemon counts it as live.
    package func hasBegun() {
        known = nil
        isLive = true
    }

    // MARK: What comes

    /// False if it has ended, and answers nothing any more.
    package func take(_ call: DaemonCall) -> Bool {
        if stage == .ended { return false }
        put { $0.calls.append(call) }
        return true
    }

    /// What a watch said: batches, perhaps the head, and who waits.
    package func take(_ batches: [Int: String], _ head: KnownHead?, _ turns: [TurnQueue.Event]) {
        put { $0.take(batches, head, turns) }
    }

    /// A head that was read from the engine itself; nil if it has none.
    package func look(_ head: KnownHead?) { put { $0.look = .some(head) } }

    /// The daemon has less than it said: its disk was full.
    package func fallBack(to replica: Replica) { put { $0.fallback = replica } }

    func losePatience() { put { $0.isPatienceOver = true } }

    package func loseEngine() { put { $0.isEngineLost = true } }

    private func put(_ change: (inout KeeperInbox) -> Void) {
        change(&inbox)
        ring.yield()
    }

    /// Ends with the connection to the daemon, with the list, and when it is cancelled.
    package func run() async throws(DaemonError) {
        for await _ in bell {
            while let work = inbox.next() {
                try await carryOut(work)
                if stage == .ended { return try await answerRest() }
            }
        }
    }

    /// Who asked for something when the list ended hears that it came too late.
    private func answerRest() async throws(DaemonError) {
        while !inbox.calls.isEmpty { try await daemon.settle(inbox.calls.removeFirst().number, .lost) }
    }

    private func carryOut(_ work: KeeperInbox.Work) async throws(DaemonError) {
        switch work {
        case .engineLost: try await tellLive(false)
        case .fallback(let replica):
            self.replica = replica
            mustTellLive = true
            try await tolerating { () async throws(KeeperError) in try await catchUp() }
        case .call(let call): try await carryOut(call)
        case .turns(let turns):
            take(turns)
            try await renewTicket()
            // With the batches that came with it, the daemon hears both at once.
            if !inbox.hasNews { try await takeTurn() }
        case .news(let batches, let head):
            try await take(news: batches, head)
            try await takeTurn()
        case .patienceOver: try await endPatience()
        case .look(let head):
            if restingLooks > 0 { return restingLooks -= 1 }
            try await tolerating { () async throws(KeeperError) in try await catchUp(to: head) }
        case .checkpoint(let place): try await putInForce(place)
        }
    }

    /// Carries something out for which the engine may be out of reach: then the list is not live.
    func tolerating(_ body: () async throws(KeeperError) -> Void) async throws(DaemonError) {
        do { try await body() } catch {
            switch error {
            case .daemon(.listExists):
                sayOnce("the daemon has a list \(list) of its own, so the shared one of that name is left alone")
                restingLooks = limits.restingLooks
            case .daemon(.refused(let reason)):
                sayOnce("the daemon does not take the list \(list): \(reason)")
                restingLooks = limits.restingLooks
            case .daemon(.gone): throw .gone
            case .engine(let error):
                sayOnce("no answer from etcd for the list \(list): \(error)")
                try await tellLive(false)
            }
        }
    }

    func sayOnce(_ text: String) {
        guard text != lastSaid else { return }
        lastSaid = text
        say(text)
    }

    /// What becomes true of a checkpoint that was written beside all this.
    func hasWritten(_ place: CheckpointPlace?) {
        isWritingCheckpoint = false
        if let place { put { $0.checkpoint = place } }
    }
}

/// What stood in the way.
enum KeeperError: Error {
    case engine(EngineError)
    case daemon(DaemonError)
}

/// What may be set to other values by tests.
package struct SharingLimits: Hashable, Sendable {
    /// A checkpoint is due when the log is so much longer than the last one.
    package var batchesBetweenCheckpoints = 1_000
    package var bytesBetweenCheckpoints = 32 << 20
    /// For hosts that are a little behind.
    package var batchesKept = 100
    /// Bytes of texts in one line to the daemon, which reads lines of up to 1 MiB.
    package var lineTextsMax = 900_000
    /// How long a host waits for another one whose turn it is.
    package var turnPatience = Duration.milliseconds(500)
    /// A host of which nothing is to be seen for so long is gone. A connector that starts again is back before that.
    package var hostPatience = Duration.seconds(5)
    /// The keys of hosts are read with every so many looks, though the watch has told of none.
    package var looksForOneReadOfHosts = 15
    /// Until a list is tried again whose name the daemon has given to another one.
    package var restingLooks = 30

    package init() {}
}
