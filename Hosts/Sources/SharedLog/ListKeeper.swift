/// Keeps one list of the daemon in sync with etcd, and executes the daemon's calls in order.
///
/// Watch events are only hints. Consecutive numbers, the chain, and heads read from etcd itself decide.
package actor ListKeeper {
    package enum Stage: Hashable, Sendable {
        case following
        /// The list was ended: the daemon was notified, and this keeper does nothing more.
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
    /// The head that the next append compares.
    var known: KnownHead?
    /// The head that the last unanswered append compared.
    var doubtful: KnownHead?
    /// The state last reported to the daemon, which initially assumes false.
    package internal(set) var isLive = false
    /// Whether the daemon waits for a message although the state has not changed.
    var mustTellLive = false
    /// The access of a list that the daemon does not have yet.
    var access: String?
    /// The last logged message, so that it is logged once.
    var lastSaid: String?
    /// The number of polls to skip while the daemon has another list of this name.
    var restingLooks = 0
    /// The number of polls to skip while etcd does not know the list.
    var missingLooks = 0
    /// The number of polls to skip after the next one that finds nothing.
    var missingLooksNext: Int
    /// Bytes of the batches since the last checkpoint, as far as this host saw them.
    var bytesSinceCheckpoint = 0
    var isWritingCheckpoint = false

    /// The hosts that wait to append, as far as known.
    var turns = TurnQueue()
    /// Whether the daemon has batches to append but has to wait.
    var isAwaitingTurn = false
    /// The ticket before ours, and the end of its time.
    var awaited: (ticket: TurnQueue.Ticket, end: ContinuousClock.Instant)?
    /// Tickets of hosts that were passed over.
    var passed: Set<TurnQueue.Ticket> = []
    var isPatienceRunning = false
    /// Whether a host was present that the daemon considers absent.
    var wasRefused = false
    let time: HostTime
    /// Calls a function after a delay, unless the connection to the daemon ends first.
    let later: @Sendable (Duration, @escaping @Sendable () async -> Void) -> Void

    private var inbox = KeeperInbox()
    private let bell: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - replica: the position of the daemon's copy.
    ///   - access: the access for a daemon that has no such list yet.
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
        missingLooksNext = limits.restingLooks
        (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Notes that this host created the list, so the daemon treats it as live.
    package func hasBegun() {
        known = nil
        isLive = true
    }

    // MARK: Input

    /// Takes a call; returns false if the keeper has ended and will not answer.
    package func take(_ call: DaemonCall) -> Bool {
        if stage == .ended { return false }
        put { $0.calls.append(call) }
        return true
    }

    /// Takes watch events: batches, possibly the head, and waiting hosts.
    package func take(_ batches: [Int: String], _ head: KnownHead?, _ turns: [TurnQueue.Event]) {
        put { $0.take(batches, head, turns) }
    }

    /// Takes a head that was read from etcd itself; nil if there is none.
    package func look(_ head: KnownHead?) { put { $0.look = .some(head) } }

    /// Takes a lower position of the daemon, because its disk was full.
    package func fallBack(to replica: Replica) { put { $0.fallback = replica } }

    /// Whether etcd did not know the list, so that its head is not read with each poll.
    package var isResting: Bool { missingLooks > 0 }

    func losePatience() { put { $0.isPatienceOver = true } }

    package func loseEngine() { put { $0.isEngineLost = true } }

    private func put(_ change: (inout KeeperInbox) -> Void) {
        change(&inbox)
        ring.yield()
    }

    /// Runs until the connection to the daemon or the list ends, or this is cancelled.
    package func run() async throws(DaemonError) {
        for await _ in bell {
            while let work = inbox.next() {
                try await carryOut(work)
                if stage == .ended { return try await answerRest() }
            }
        }
    }

    /// Answers calls that arrived when the list ended.
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
            // The daemon gets both in one message, together with the batches.
            if !inbox.hasNews { try await takeTurn() }
        case .news(let batches, let head):
            try await take(news: batches, head)
            try await takeTurn()
        case .patienceOver: try await endPatience()
        case .look(let head):
            if restingLooks > 0 { return restingLooks -= 1 }
            if head == nil, missingLooks > 0 { return missingLooks -= 1 }
            try await tolerating { () async throws(KeeperError) in try await catchUp(to: head) }
        case .checkpoint(let place): try await putInForce(place)
        }
    }

    /// Runs an operation that may fail because etcd is unreachable; then the list is not live.
    func tolerating(_ body: () async throws(KeeperError) -> Void) async throws(DaemonError) {
        do { try await body() } catch {
            switch error {
            case .daemon(.listExists):
                sayOnce(
                    "this host's daemon already has an unshared list \"\(list)\", so it cannot have the shared list of that name; "
                        + "rename or delete the unshared one")
                restingLooks = limits.restingLooks
            case .daemon(.refused(let reason)):
                sayOnce(
                    "the daemon refused an update of the shared list \"\(list)\", which is tried again later: \(reason)"
                )
                restingLooks = limits.restingLooks
            case .daemon(.gone): throw .gone
            case .engine(let error):
                sayOnce(
                    "etcd did not carry out a request for the shared list \"\(list)\", which can be read, but not changed, until "
                        + "it does: \(error)")
                try await tellLive(false)
            }
        }
    }

    func sayOnce(_ text: String) {
        guard text != lastSaid else { return }
        lastSaid = text
        say(text)
    }

    /// Notes a checkpoint that was written in the background.
    func hasWritten(_ place: CheckpointPlace?) {
        isWritingCheckpoint = false
        if let place { put { $0.checkpoint = place } }
    }
}

/// The reason why an operation of the keeper failed.
enum KeeperError: Error {
    case engine(EngineError)
    case daemon(DaemonError)
}

/// Limits that tests may change.
package struct SharingLimits: Hashable, Sendable {
    /// A checkpoint is due when this many batches follow the last one.
    package var batchesBetweenCheckpoints = 1_000
    package var bytesBetweenCheckpoints = 32 << 20
    /// The batches kept before a checkpoint, for hosts that lag slightly.
    package var batchesKept = 100
    /// Bytes of texts in one line to the daemon, which reads lines of up to 1 MiB.
    package var lineTextsMax = 900_000
    /// The most time to wait for the turn of another host.
    package var turnPatience = Duration.milliseconds(500)
    /// The time without a key after which a host counts as absent. A restarting connector returns earlier.
    package var hostPatience = Duration.seconds(5)
    /// The number of polls between readings of the hosts' keys without a watch event.
    package var looksForOneReadOfHosts = 15
    /// The number of polls to skip for a list if the daemon has another list of that name.
    package var restingLooks = 30
    /// The most polls to skip for a list that etcd does not know: about an hour.
    package var missingLooksMax = 1_800

    package init() {}
}
