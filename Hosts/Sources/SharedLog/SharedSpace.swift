/// The shared lists of one host: a keeper for each list, during one connection to the daemon.
package actor SharedSpace {
    package nonisolated let register: ListRegister
    private let host: String
    private let daemon: any DaemonLink
    private let limits: SharingLimits
    package nonisolated let time: HostTime
    private let say: @Sendable (String) -> Void
    /// The newest keeper of each name; the previous one has ended.
    private var keepers: [String: ListKeeper] = [:]
    private let jobs: AsyncStream<@Sendable () async throws -> Void>
    private let begin: AsyncStream<@Sendable () async throws -> Void>.Continuation
    private var isReachable = true
    private var presence: HostPresence
    /// The hosts last reported to the daemon; nil to report them again.
    private var hostsTold: [String]?
    /// The number of polls to skip after the daemon refused hosts.
    private var restingLooks = 0
    private var hasSaidStrangeHosts = false
    /// Whether another poll has to begin.
    private var isLookDue = false
    private var isLookingAgain = false

    package init(
        _ register: ListRegister, of host: String, daemon: any DaemonLink, limits: SharingLimits = SharingLimits(),
        time: HostTime = .real, say: @escaping @Sendable (String) -> Void
    ) {
        self.register = register
        self.host = host
        self.daemon = daemon
        self.limits = limits
        self.time = time
        self.say = say
        presence = HostPresence(
            patience: limits.hostPatience, looksForOneRead: limits.looksForOneReadOfHosts)
        // Bounded by the number of lists and calls: at most one call for each list is open.
        (jobs, begin) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    /// Runs the keepers, until the connection to the daemon ends or this is cancelled.
    package func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for await job in jobs { group.addTask { try await job() } }
        }
    }

    /// - Parameter lists: the daemon's lists, with their epochs and positions.
    package func attach(_ lists: [(list: String, epoch: String, replica: Replica)]) {
        for (list, epoch, replica) in lists { _ = add(list, epoch, at: replica, access: nil) }
    }

    package func keeper(of list: String) -> ListKeeper? { keepers[list] }
    package var all: [ListKeeper] { Array(keepers.values) }

    private func add(_ list: String, _ epoch: String, at replica: Replica, access: String?) -> ListKeeper {
        let keeper = ListKeeper(
            list, epoch, at: replica, access: access, of: host, register: register, daemon: daemon, limits: limits,
            time: time,
            later: { [begin, time] duration, body in
                begin.yield {
                    try? await time.sleep(duration)
                    await body()
                }
            }, say: say)
        keepers[list] = keeper
        begin.yield {
            try await keeper.run()
            // A list under a new epoch exists already; clients should not have to wait for the next poll.
            if await keeper.stage == .ended { await self.lookAgain() }
        }
        return keeper
    }

    // MARK: The daemon's calls

    package func take(_ call: DaemonCall) async {
        if case .share(let access) = call.request {
            begin.yield { try await self.share(call, access) }
            return
        }
        if let keeper = keepers[call.list], keeper.epoch == call.epoch, await keeper.take(call) { return }
        // The daemon knows that this incarnation has ended, or the next poll finds out.
        begin.yield { try await self.daemon.settle(call.number, .lost) }
    }

    package func fallBack(_ list: String, _ epoch: String, to replica: Replica) async {
        guard let keeper = keepers[list], keeper.epoch == epoch else { return }
        await keeper.fallBack(to: replica)
    }

    private func share(_ call: DaemonCall, _ access: String) async throws {
        let outcome: CallOutcome
        do {
            outcome = try await register.begin(call.list, ListRecord(id: call.epoch, access: access)) ? .done : .lost
        } catch {
            outcome = CallOutcome(of: error)
        }
        switch outcome {
        case .done:
            let keeper = add(call.list, call.epoch, at: Replica(.beginning), access: nil)
            await keeper.hasBegun()
        case .lost: try? await look()
        case .unknown, .unreachable, .full, .refused: break
        }
        try await daemon.settle(call.number, outcome)
    }

    // MARK: Changes in etcd

    /// Reads all names and heads in etcd, and passes each keeper its own.
    package func look() async throws(EngineError) {
        let records: [String: ListRecord]
        let heads: [String: KnownHead]
        var epochs: [String] = []
        for keeper in keepers.values {
            if await keeper.takeRefusal() {
                presence.hear()
                hostsTold = nil
            }
            if await !keeper.isResting { epochs.append(keeper.epoch) }
        }
        let reading = presence.beginLook()
        let hosts: [String]?
        do {
            // Heads are read after the names: a list created in between is included, and a deleted list has no head.
            (records, hosts) = try await register.records(readingHosts: reading != nil)
            heads = try await register.heads(of: Array(Set(records.values.map(\.id) + epochs)))
        } catch {
            await loseEngine(error)
            throw error
        }
        if !isReachable { say("etcd answers again, and shared lists can be changed") }
        isReachable = true
        for (list, keeper) in keepers {
            if await keeper.stage == .ended {
                keepers[list] = nil
            } else {
                await keeper.look(heads[keeper.epoch])
                if await keeper.isCheckpointDue { begin.yield { await keeper.writeCheckpoint() } }
            }
        }
        for (list, record) in records where keepers[list] == nil {
            guard let head = heads[record.id] else { continue }
            let keeper = add(list, record.id, at: Replica(.beginning), access: record.access)
            await keeper.look(head)
        }
        await tellHosts(reading.map { HostPresence.Reading(number: $0, found: names(of: hosts ?? [])) })
    }

    /// Polls once more in the background, after the current poll. Several calls before it begins share it.
    package func lookAgain() {
        isLookDue = true
        guard !isLookingAgain else { return }
        isLookingAgain = true
        begin.yield { await self.lookWhileDue() }
    }

    private func lookWhileDue() async {
        while isLookDue {
            isLookDue = false
            try? await look()
        }
        isLookingAgain = false
    }

    /// Returns the keys that can be names of hosts. The daemon would refuse all hosts because of one invalid name.
    private func names(of hosts: [String]) -> [String] {
        let names = hosts.filter(SpaceKeys.isName)
        if names.count < hosts.count, !hasSaidStrangeHosts {
            hasSaidStrangeHosts = true
            let example = hosts.first { !SpaceKeys.isName($0) } ?? ""
            say(
                "ignored keys below \(register.keys.hosts) that are not names of hosts, such as "
                    + "\(String(example.prefix(64)).debugDescription); delete them with etcdctl")
        }
        return names
    }

    /// Polls when a watch has begun, because it does not report earlier changes.
    package func lookAtAll() async throws(EngineError) {
        presence.hear()
        try await look()
    }

    /// Reports the present hosts to the daemon if they changed, or if it considered a present one absent.
    private func tellHosts(_ reading: HostPresence.Reading?) async {
        guard let hosts = presence.hosts(reading, at: time.now()), hosts != hostsTold else { return }
        if restingLooks > 0 { return restingLooks -= 1 }
        hostsTold = hosts
        do { try await daemon.tell(hosts: hosts) } catch {
            hostsTold = nil
            restingLooks = limits.restingLooks
            if case .refused(let reason) = error {
                say(
                    "the daemon refused the names of the hosts, so leased items of hosts that are down stay for now: \(reason)"
                )
            }
        }
    }

    package func loseEngine(_ error: EngineError) async {
        if isReachable { say("etcd does not answer, so shared lists can be read, but not changed: \(error)") }
        isReachable = false
        presence.forget()
        for keeper in keepers.values { await keeper.loseEngine() }
    }

    /// Takes the events of one watch message. Returns true if a name has changed, which requires a poll.
    package func hear(_ events: [EngineEvent]) async -> Bool {
        var news: [String: ListNews] = [:]
        var hasNames = false
        for event in events {
            if let part = register.keys.part(of: event.key) {
                news[part.epoch, default: ListNews()].take(event, part)
            } else if event.key.hasPrefix(register.keys.lists) {
                hasNames = true
            } else if event.key.hasPrefix(register.keys.hosts) {
                presence.hear()
            }
        }
        for keeper in keepers.values {
            guard let news = news[keeper.epoch] else { continue }
            await keeper.take(news.batches, news.head, news.turns)
        }
        return hasNames
    }
}

/// The events of one list in a watch message.
private struct ListNews {
    var batches: [Int: String] = [:]
    var head: KnownHead?
    var turns: [TurnQueue.Event] = []

    mutating func take(_ event: EngineEvent, _ part: LifePart) {
        switch (event, part.kind) {
        case (.put(let stored), .head): head = KnownHead(stored)
        // A keeper that has the head reads a batch in pieces itself.
        case (.put(let stored), .batch(let number)):
            if BatchPieces(value: stored.value) == nil { batches[number] = stored.value }
        case (.put(let stored), .turn(let host)):
            turns.append(.left(TurnQueue.Ticket(host: host, number: stored.createRevision), at: stored.modRevision))
        case (.deleted(_, let revision), .turn(let host)): turns.append(.gone(host: host, at: revision))
        // Deleted parts of a log are old, and polling finds a deleted list.
        case (.deleted, .head), (.deleted, .batch): break
        }
    }
}
