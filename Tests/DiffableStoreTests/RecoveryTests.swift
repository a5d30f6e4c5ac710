import Diffable
import Testing

@testable import DiffableStore

/// Everything on disk is restored, however the daemon ends.
struct RecoveryTests {
    /// Very frequent checkpoints of many parts.
    let restless = StoreLimits(journalLengthMin: 300, checkpointPartLengthMax: 200, history: .none)
    /// The same, with the last few states in the journal.
    let remembering = StoreLimits(
        journalLengthMin: 300, checkpointPartLengthMax: 200,
        history: HistoryLimits(lengthMax: 25_000, deletedLengthMax: 30_000))
    let directory = ScratchDirectory()

    @Test(arguments: 0..<6)
    func `every durable list comes back as it was, with checkpoints or without`(run: Int) async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("seed \(seed)")
        var changes = RandomChanges(seed: seed)
        let limits = [restless, remembering, StoreLimits()][run % 3]
        var before: [Remembered] = []
        for _ in 0..<4 {
            let store = try await directory.open(limits: limits)
            #expect(await store.lists.map(Remembered.init) == before, "seed \(seed)")
            try await change(store, with: &changes, times: 60)
            before = await store.lists.filter { $0.durability == .durable }.map(Remembered.init)
            await store.shutDown()
        }
    }

    @Test(arguments: 0..<6)
    func `whatever moment a crash comes at, what was on disk is there`(run: Int) async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("seed \(seed)")
        var changes = RandomChanges(seed: seed)
        let limits = run % 2 == 0 ? restless : remembering
        let store = try await directory.open(limits: limits)
        for _ in 0..<20 {
            try await change(store, with: &changes, times: 5)
            let acknowledged = await store.lists.filter { $0.durability == .durable }.map(Remembered.init)
            let (left, lists) = try await store.sqlite.crash(in: directory)
            #expect(lists.map(Remembered.init) == acknowledged)
            let again = try await left.open(limits: limits)
            #expect(await again.lists.map(Remembered.init) == acknowledged, "seed \(seed)")
            await again.settleOnDisk()
            #expect(try await again.sqlite.query(supersededRows) == 0)
            await again.shutDown()
            let third = try await left.open()
            #expect(await third.lists.map(Remembered.init) == acknowledged, "seed \(seed)")
            await third.shutDown()
        }
        await store.shutDown()
    }

    /// Counts superseded rows.
    private let supersededRows = """
        WITH heading AS (SELECT number, checkpointRevision, generation FROM list
            UNION ALL SELECT number, checkpointRevision, generation FROM deletedList)
        SELECT (SELECT count(*) FROM journal AS rows LEFT JOIN heading ON number = rows.list
                WHERE number IS NULL OR revision <= checkpointRevision)
            + (SELECT count(*) FROM checkpoint AS rows LEFT JOIN heading ON number = rows.list
               WHERE number IS NULL OR rows.generation <> heading.generation)
        """

    /// Makes random changes of a few lists, some of them at once.
    private func change(_ store: Store, with changes: inout RandomChanges, times: Int) async throws {
        let names: [ListName] = ["a", "b", "c", "volatile"]
        for name in names where await store.list(name) == nil {
            _ = try await store.creating(name, name == "volatile" ? .volatile : .durable).get()
        }
        for _ in 0..<times {
            let name = names.randomElement(using: &changes.generator) ?? "a"
            guard let state = await store.list(name) else { continue }
            let operation = changes.operation(on: state.snapshot)
            switch Int.random(in: 0..<20, using: &changes.generator) {
            case 0:
                _ = try await store.deleting(name).get()
                // Undelete a list deleted earlier, or one that is about to be deleted.
                if Bool.random(using: &changes.generator) { _ = await store.undeleting(name) }
                if await store.list(name) == nil { _ = try await store.creating(name, state.durability).get() }
            case 1:
                let target = try state.snapshot.applying([operation])
                _ = try await store.applying(
                    name, .whole(target.sections, content: .some(target.content)), delivery: .reload
                ).get()
            case 2:
                async let first = store.transacting(name, [operation])
                async let second = store.transacting(name, [.moveSection(.numbered(1), to: .front)])
                _ = await (first, second)
            default: _ = try await store.transacting(name, [operation]).get()
            }
        }
    }

    @Test func `a volatile list is gone after a start, and its name is free`() async throws {
        let store = try await directory.open()
        _ = try await store.creating("tasks", .volatile).get()
        await store.shutDown()
        let again = try await directory.open()
        #expect(await again.lists.isEmpty)
        _ = try await again.creating("tasks", .durable).get()
        await again.shutDown()
    }

    @Test func `a change longer than a row comes back whole`() async throws {
        // No checkpoint is made in between.
        let store = try await directory.open(limits: StoreLimits(journalLengthMin: 1 << 30))
        _ = try await store.creating("tasks", .durable).get()
        let long = Content(Array("\"\(String(repeating: "x", count: 1 << 20))\"".utf8))
        let items = (0..<10).map { Item(id: .numbered($0), content: long) }
        _ = try await store.applying("tasks", .section("all", items)).get()
        #expect(try await store.sqlite.query("SELECT count(*) FROM journal") > 2)
        let (left, lists) = try await store.sqlite.crash(in: directory)
        await store.shutDown()
        let again = try await left.open()
        #expect(await again.lists.map(Remembered.init) == lists.map(Remembered.init))
        #expect(await again.list("tasks")?.snapshot.numberOfItems == 10)
        await again.shutDown()
    }

    @Test func `limits that were lowered lock no list out`() async throws {
        let store = try await directory.open()
        _ = try await store.creating("a", .durable).get()
        _ = try await store.creating("b", .durable).get()
        let nested = [Item(id: "1", children: [Item(id: "2", children: [Item(id: "3")])])]
        _ = try await store.applying("a", .section("all", nested)).get()
        await store.shutDown()
        let limits = StoreLimits(snapshot: SnapshotLimits(levelsMax: 1, itemsMax: 1), listsMax: 1)
        let again = try await directory.open(limits: limits)
        #expect(await again.list("a")?.snapshot.numberOfItems == 3)
        #expect(try await again.transacting("a", [.deleteItems(["2"])]).get().revision == 2)
        #expect(await again.creating("c", .durable).failure == .tooManyLists(max: 1))
        await again.shutDown()
    }

    @Test func `the journal stays short, and a deleted list leaves nothing`() async throws {
        let store = try await directory.open(limits: restless)
        _ = try await store.creating("tasks", .durable).get()
        for index in 0..<300 {
            _ = try await store.applying("tasks", .section("all", [Item(id: .numbered(index))])).get()
        }
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT sum(length(operations)) FROM journal") < 1_000)
        #expect(try await store.sqlite.query("SELECT count(DISTINCT generation) FROM checkpoint") == 1)
        _ = try await store.deleting("tasks").get()
        await store.sqlite.finishMaintenance()
        for table in ["list", "journal", "checkpoint"] {
            #expect(try await store.sqlite.query("SELECT count(*) FROM \(table)") == 0)
        }
        await store.shutDown()
    }
}
