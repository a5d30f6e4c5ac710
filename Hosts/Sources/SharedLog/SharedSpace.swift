/// What one host shares: a keeper for each list, as long as one connection to the daemon lasts.
package actor SharedSpace {
    package nonisolated let register: ListRegister
    private let host: String
    private let daemon: any DaemonLink
    private let limits: SharingLimits
    package nonisolated let time: HostTime
    private let say: @Sendable (String) -> Void
    /// The newest keeper of each name; the one before it has ended.
    private var keepers: [String: ListKeeper] = [:]
    private let jobs: AsyncStream<@Sendable () async throws -> Void>
    private let begin: AsyncStream<@Sendable () async throws -> Void>.Continuation
    private var isReachable = true
    private var presence: HostPresence
    /// What the daemon was told last; nil when it is to hear it anew.
    private var hostsTold: [String]?
    /// So many looks are let pass, when the daemon takes no hosts.
    private var restingLooks = 0

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
        // As many as there are lists and calls: at most one call for each list is under way.
        (jobs, begin) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    /// Runs the keepers, until the connection to the daemon ends or this is cancelled.
    package func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for await job in jobs { group.addTask { try await job() } }
        }
    }

    /// - Parameter lists: those that the daemon has, with their epochs and where they are.
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
            // What goes on under a new epoch is there already: clients are not to miss the list until the next look.
            if await keeper.stage == .ended { try? await self.look() }
        }
        return keeper
    }

    // MARK: What the daemon asks

    package func take(_ call: DaemonCall) async {
        if case .share(let access) = call.request {
            begin.yield { try await self.share(call, access) }
            return
        }
        if let keeper = keepers[call.list], keeper.epoch == call.epoch, await keeper.take(call) { return }
        // The daemon has heard by now that this life has ended, or it is to be looked for.
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
            if case .unknown = error { outcome = .unknown } else { outcome = .unreachable }
        }
        switch outcome {
        case .done:
            let keeper = add(call.list, call.epoch, at: Replica(.beginning), access: nil)
            await keeper.hasBegun()
        case .lost: try? await look()
        case .unknown, .unreachable, .refused: break
        }
        try await daemon.settle(call.number, outcome)
    }

    // MARK: What the engine says

    /// Looks at all names and heads in the engine itself, and lets each keeper see its own.
    package func look() async throws(EngineError) {
        let records: [String: ListRecord]
        let heads: [String: KnownHead]
        for keeper in keepers.values where await keeper.takeRefusal() {
            presence.hear()
            hostsTold = nil
        }
        let reading = presence.beginLook()
        let hosts: [String]?
        do {
            // Heads are read behind the names: a list that is there by then is looked at, and one that has gone has no
            // head.
            (records, hosts) = try await register.records(readingHosts: reading != nil)
            let epochs = records.values.map(\.id) + keepers.values.map(\.epoch)
            heads = try await register.heads(of: Array(Set(epochs)))
        } catch {
            await loseEngine(error)
            throw error
        }
        if !isReachable { say("etcd answers again") }
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
        await tellHosts(reading.map { HostPresence.Reading(number: $0, found: hosts ?? []) })
    }

    /// Looks when a watch has begun, which says nothing of what happened before.
    package func lookAtAll() async throws(EngineError) {
        presence.hear()
        try await look()
    }

    /// The daemon hears which hosts are there when that has changed, or it took one for gone that is there.
    private func tellHosts(_ reading: HostPresence.Reading?) async {
        guard let hosts = presence.hosts(reading, at: time.now()), hosts != hostsTold else { return }
        if restingLooks > 0 { return restingLooks -= 1 }
        hostsTold = hosts
        do { try await daemon.tell(hosts: hosts) } catch {
            hostsTold = nil
            restingLooks = limits.restingLooks
            if case .refused(let reason) = error {
                say("the daemon does not take which hosts are there, so what one held that is gone stays: \(reason)")
            }
        }
    }

    package func loseEngine(_ error: EngineError) async {
        if isReachable { say("etcd does not answer: \(error)") }
        isReachable = false
        presence.forget()
        for keeper in keepers.values { await keeper.loseEngine() }
    }

    /// Takes what one message of a watch has told. True if a name has changed, which only a look can tell the meaning
    /// of.
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

/// What a message of a watch says of one list.
private struct ListNews {
    var batches: [Int: String] = [:]
    var head: KnownHead?
    var turns: [TurnQueue.Event] = []

    mutating func take(_ event: EngineEvent, _ part: LifePart) {
        switch (event, part.kind) {
        case (.put(let stored), .head): head = KnownHead(stored)
        case (.put(let stored), .batch(let number)): batches[number] = stored.value
        case (.put(let stored), .turn(let host)):
            turns.append(.left(TurnQueue.Ticket(host: host, number: stored.createRevision), at: stored.modRevision))
        case (.deleted(_, let revision), .turn(let host)): turns.append(.gone(host: host, at: revision))
        // What is deleted of a list's log is old, and that a list has gone a look finds.
        case (.deleted, .head), (.deleted, .batch): break
        }
    }
}
