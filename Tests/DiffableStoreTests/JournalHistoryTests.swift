import Diffable
import DiffableJSON
import Testing

@testable import DiffableStore

/// The kept history of a list survives a restart.
struct JournalHistoryTests {
    let directory = ScratchDirectory()

    /// A list's complete history.
    private struct Past: Equatable {
        var revisions: [Revision]
        var states: [Remembered]

        init?(of name: ListName, in store: isolated Store) {
            guard let revisions = store.history(of: name), let current = store.list(name) else { return nil }
            self.revisions = revisions
            states = (current.revision - revisions.count...current.revision).compactMap { revision in
                store.list(name, at: revision).map(Remembered.init)
            }
        }

        var oldest: Int? { states.first?.revision }
    }

    private func past(_ store: Store) async throws -> Past {
        let past = try #require(await store.run { Past(of: "tasks", in: $0) })
        #expect(past.states.count == past.revisions.count + 1)
        return past
    }

    private func makeList(in store: Store) async throws {
        _ = try await store.creating("tasks", .durable).get()
        _ = try await store.transacting("tasks", [.appendSections([Section(id: "s")])]).get()
    }

    @Test(arguments: 0..<4)
    func `every state and every note comes back, with checkpoints or without, again and again`(run: Int) async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("seed \(seed)")
        var changes = RandomChanges(seed: seed)
        let history = HistoryLimits(lengthMax: run < 2 ? 30_000 : 4 << 20)
        let limits = StoreLimits(
            journalLengthMin: run % 2 == 0 ? 300 : 1 << 20, checkpointPartLengthMax: 500, history: history)
        // The result does not depend on the time of day.
        let time = TestClock()
        var before: Past?
        for start in 0..<4 {
            time.restartMachine()
            let store = try await directory.open(limits: limits, clock: time.clock)
            if let before {
                let after = try await past(store)
                #expect(after == before, "seed \(seed), start \(start)")
            } else {
                try await makeList(in: store)
            }
            for _ in 0..<60 {
                if Int.random(in: 0..<20, using: &changes.generator) == 0 { time.jump() }
                time.pass(seconds: 1)
                try await change(store, &changes)
            }
            before = try await past(store)
            if start == 2 {
                let (left, _) = try await store.sqlite.crash(in: directory)
                let again = try await left.open(limits: limits, clock: time.clock)
                let after = try await past(again)
                #expect(after == before, "seed \(seed), after a crash")
                await again.shutDown()
            }
            await store.shutDown()
        }
        if run < 2 { #expect(before?.oldest ?? 0 > 100) } else { #expect(before?.oldest == 0) }
    }

    @Test(arguments: [0, 30_000])
    func `of a journal that is much longer only the end is kept`(lengthMax: Int) async throws {
        let limits = StoreLimits(journalLengthMin: 64 << 20, history: HistoryLimits(lengthMax: lengthMax))
        let store = try await directory.open(limits: limits)
        try await makeList(in: store)
        let length = ListRecovery.lengthBeyond + lengthMax
        for number in 0..<3 * length / 10_000 {
            let content = Content(Array("\"\(number)\(String(repeating: "x", count: 10_000))\"".utf8))
            _ = try await store.transacting("tasks", [.reconfigureList(content)]).get()
        }
        let before = try await past(store)
        await store.shutDown()
        let again = try await directory.open(limits: limits)
        #expect(try await past(again) == before)
        await again.shutDown()
    }

    /// Sends one request, or a few that share a row.
    private func change(_ store: Store, _ changes: inout RandomChanges) async throws {
        let state = try #require(await store.list("tasks"))
        let operation = changes.operation(on: state.snapshot)
        let names = ["diffablectl", "a \"quoted\"\nname", nil]
        let origin = Origin(
            name: names.randomElement(using: &changes.generator) ?? nil, processID: 4711,
            userID: Bool.random(using: &changes.generator) ? 1_000 : nil,
            handler: Bool.random(using: &changes.generator)
                ? ClientIdentity(name: names.randomElement(using: &changes.generator) ?? nil, processID: 8) : nil)
        switch Int.random(in: 0..<10, using: &changes.generator) {
        case 0:
            let target = Target.whole(try state.snapshot.applying([operation]).sections)
            await store.run { $0.apply("tasks", target, delivery: .reload, origin: origin) { _ in } }
        case 1:
            await store.run { store in
                for _ in 0..<3 {
                    store.transact("tasks", [.appendSections([Section(id: "x")])], origin: origin) { _ in }
                    store.transact("tasks", [.deleteSections(["x"])]) { _ in }
                }
            }
        default: await store.run { $0.transact("tasks", [operation], origin: origin) { _ in } }
        }
        // This is answered when all earlier changes are on disk.
        _ = try await store.transacting("tasks", []).get()
    }

    @Test func `what was done before a start is undone after it`() async throws {
        let store = try await directory.open()
        try await makeList(in: store)
        for item in ["a", "b", "c"] as [ItemID] {
            _ = try await store.transacting("tasks", [.appendItems([Item(id: item)])]).get()
        }
        await store.shutDown()
        let again = try await directory.open()
        #expect(try await again.undoing("tasks").get().new.itemIdentifiers == ["a", "b"])
        #expect(try await again.undoing("tasks", to: 2).get().new.itemIdentifiers == ["a"])
        let past = try await past(again)
        let difference = try #require(past.states.last).snapshot.difference(from: past.states[4].snapshot)
        #expect(past.states[4].snapshot.itemIdentifiers == ["a", "b", "c"])
        #expect(
            String(decoding: OperationsWriter.array(difference), as: UTF8.self)
                == #"[{"op":"deleteItems","items":["b","c"]}]"#)
        await again.shutDown()
    }

    @Test func `rows that history keeps do not bring a checkpoint, and those before them do`() async throws {
        let limits = StoreLimits(journalStepsMin: 20, history: HistoryLimits(lengthMax: 320))
        let store = try await directory.open(limits: limits)
        try await makeList(in: store)
        _ = try await store.transacting("tasks", [.appendItems([Item(id: "a")])]).get()
        let kept = 10
        for index in 0..<1_200 {
            let operation: ListOperation = index % 2 == 0 ? .expandItems(["a"]) : .collapseItems(["a"])
            _ = try await store.transacting("tasks", [operation]).get()
            await store.sqlite.finishMaintenance()
            // Twenty rows may wait for a checkpoint, in addition to the history's rows and the rows since the last checkpoint.
            let rows = try await store.sqlite.query("SELECT count(*) FROM journal")
            #expect(rows <= kept + 20 + HistoryRun.countMax)
        }
        #expect(try await store.sqlite.query("SELECT generation FROM list") == 2)
        let before = try await past(store)
        #expect(before.revisions.count <= kept)
        await store.shutDown()
        let again = try await directory.open(limits: limits)
        #expect(try await past(again) == before)
        await again.shutDown()
    }

    @Test func `a step as long as all that history may take stays until the next one, and then goes into a checkpoint`()
        async throws
    {
        let limits = StoreLimits(journalLengthMin: 1_000, history: HistoryLimits(lengthMax: 10_000))
        let store = try await directory.open(limits: limits)
        try await makeList(in: store)
        let items = (0..<1_000).map { Item(id: .numbered($0)) }
        _ = try await store.applying("tasks", .section("s", items)).get()
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT generation FROM list") <= 1)
        #expect(try await store.sqlite.query("SELECT count(*) FROM journal") == 2)
        #expect(try await past(store).revisions.map(\.number) == [2])
        _ = try await store.transacting("tasks", [.deleteItems(["3"])]).get()
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT checkpointRevision FROM list") == 2)
        #expect(try await store.sqlite.query("SELECT count(*) FROM journal") == 1)
        #expect(try await past(store).revisions.map(\.number) == [3])
        await store.shutDown()
    }

    @Test func `what is older than is kept is gone after a start as well`() async throws {
        let time = TestClock()
        func open() async throws -> Store {
            try await directory.open(limits: StoreLimits(history: HistoryLimits(ageMax: 100)), clock: time.clock)
        }
        let store = try await open()
        try await makeList(in: store)
        for index in 0..<10 {
            time.pass(seconds: 10)
            _ = try await store.transacting("tasks", [.appendItems([Item(id: .numbered(index))])]).get()
        }
        #expect(try await past(store).oldest == 0)
        await store.shutDown()
        let again = try await open()
        time.pass(seconds: 45)
        let after = try await past(again)
        #expect(after.oldest == 5)
        #expect(after.revisions.map(\.number) == [11, 10, 9, 8, 7, 6])
        await again.shutDown()
    }

    @Test func `a change of several rows is one step of history`() async throws {
        let limits = StoreLimits(history: HistoryLimits(lengthMax: 100 << 20))
        let store = try await directory.open(limits: limits)
        try await makeList(in: store)
        let long = Content(Array("\"\(String(repeating: "x", count: 1 << 20))\"".utf8))
        let items = (0..<10).map { Item(id: .numbered($0), content: long) }
        _ = try await store.transacting("tasks", [.appendItems(items)]).get()
        _ = try await store.transacting("tasks", [.deleteItems(["3"])]).get()
        let before = try await past(store)
        #expect(try await store.sqlite.query("SELECT count(*) FROM journal") > 4)
        await store.shutDown()
        let again = try await directory.open(limits: limits)
        #expect(try await past(again) == before)
        await again.shutDown()
    }
}
