import SharedLog
import Testing

/// Some hosts on one model of etcd, with their invariants.
struct ModelHosts: Sendable {
    static let list = "tasks"
    let engine: ModelEngine
    let register: ListRegister
    let daemons: [ModelDaemon]
    let limits: SharingLimits

    init(_ count: Int, seed: UInt64 = 1, limits: SharingLimits = SharingLimits(), pieceLengthMax: Int = 512 << 10) {
        engine = ModelEngine(seed: seed)
        register = ListRegister(SpaceKeys("default"), of: engine, pieceLengthMax: pieceLengthMax)
        daemons = (0..<count).map { ModelDaemon("h\($0)") }
        self.limits = limits
    }

    /// Connects a host during the body; with a new connection its keepers begin again.
    func connected(
        _ number: Int, say: @escaping @Sendable (String) -> Void = { _ in },
        _ body: (SharedSpace) async throws -> Void
    ) async throws {
        let space = await space(of: daemons[number], say: say)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await space.run() }
            await daemons[number].connect(space)
            try await body(space)
            group.cancelAll()
        }
    }

    private func space(
        of daemon: ModelDaemon, say: @escaping @Sendable (String) -> Void = { _ in }
    ) async -> SharedSpace {
        await SharedSpace(register, of: daemon.name, daemon: daemon.connection(), limits: limits, say: say)
    }

    /// Connects all hosts.
    func allConnected(_ body: ([SharedSpace]) async throws -> Void) async throws {
        var spaces: [SharedSpace] = []
        for daemon in daemons { spaces.append(await space(of: daemon)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (daemon, space) in zip(daemons, spaces) {
                group.addTask { try await space.run() }
                await daemon.connect(space)
            }
            try await body(spaces)
            group.cancelAll()
        }
    }

    /// Polls until a condition holds.
    func until(
        _ spaces: [SharedSpace], _ comment: Comment, _ holds: () async -> Bool,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        for _ in 0..<2_000 {
            if await holds() { return }
            for space in spaces { try? await space.look() }
            await Task.yield()
        }
        try #require(await holds(), comment, sourceLocation: location)
    }

    func head() async throws -> Head? {
        guard let record = try await register.record(of: Self.list)?.record else { return nil }
        return try await register.log(record.id).head()?.head
    }

    /// Notifies all hosts at once of changes in etcd.
    func listen(_ spaces: [SharedSpace]) async {
        await engine.listen { events in
            for space in spaces { _ = await space.hear(events) }
        }
    }

    /// Shares the list from the first host, and waits until it is live on all.
    func shareList(among spaces: [SharedSpace]) async throws {
        await daemons[0].share(Self.list, as: "E1")
        try await until(spaces, "the list is live at all hosts") { await areEqual() }
    }

    /// Whether all daemons have the list, live, at its head.
    func areEqual() async -> Bool {
        guard let head = try? await head() else { return false }
        for daemon in daemons {
            guard let list = await daemon.lists[Self.list], list.epoch == head.epoch, list.isLive, list.call == nil,
                list.position == head.position
            else { return false }
        }
        return true
    }

    /// Checks that each acknowledged text is in the log once, and that all replicas are equal.
    func expectTruth(at location: SourceLocation = #_sourceLocation) async throws {
        let texts = try #require(await daemons[0].lists[Self.list]?.texts, sourceLocation: location)
        for daemon in daemons {
            #expect(await daemon.lists[Self.list]?.texts == texts, sourceLocation: location)
            for text in await daemon.acknowledged {
                #expect(texts.count { $0 == text } == 1, "\(text)", sourceLocation: location)
            }
        }
        #expect(Set(texts).count == texts.count, sourceLocation: location)
    }
}
