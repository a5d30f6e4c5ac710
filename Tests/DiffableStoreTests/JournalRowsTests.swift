import Diffable
import DiffableJSON
import Synchronization
import TestSupport
import Testing

@testable import DiffableStore

/// The rows of transactions and checkpoints in the database.
struct JournalRowsTests {
    let directory = ScratchDirectory()

    private func append(_ index: Int) -> [ListOperation] {
        [.appendItems([Item(id: .numbered(index))], to: .section("s"))]
    }

    private func openWithSection(limits: StoreLimits = StoreLimits()) async throws -> Store {
        let store = try await directory.open(limits: limits)
        _ = try await store.creating("tasks", .durable).get()
        _ = try await store.transacting("tasks", [.appendSections([Section(id: "s")])]).get()
        return store
    }

    @Test func `the transactions of a group share a row, and come back one by one`() async throws {
        let store = try await openWithSection()
        // Submitted together, they wait for one sync.
        await store.run { store in
            for index in 0..<500 { store.transact("tasks", append(index)) { _ in } }
        }
        let last = try await store.transacting("tasks", [.collapseItems(["0"]), .deleteItems(["7"])]).get()
        #expect(last.revision == 502)
        #expect(try await store.sqlite.query("SELECT count(*) FROM journal") < 10)
        let before = await store.lists.map(Remembered.init)
        await store.shutDown()
        let again = try await directory.open()
        #expect(await again.lists.map(Remembered.init) == before)
        await again.shutDown()
    }

    @Test func `lists that change in one group have a row each`() async throws {
        let store = try await directory.open()
        for name in ["a", "b"] as [ListName] {
            _ = try await store.creating(name, .durable).get()
            _ = try await store.transacting(name, [.appendSections([Section(id: "s")])]).get()
        }
        await store.run { store in
            for index in 0..<40 { store.transact(index % 2 == 0 ? "a" : "b", append(index)) { _ in } }
        }
        _ = try await store.transacting("a", append(100)).get()
        #expect(try await store.sqlite.query("SELECT count(*) FROM journal") <= 6)
        let before = await store.lists.map(Remembered.init)
        await store.shutDown()
        let again = try await directory.open()
        #expect(await again.lists.map(Remembered.init) == before)
        await again.shutDown()
    }

    @Test func `a step that is longer than a row stands in rows of its own`() {
        let limits = (row: 300, shared: 200)
        var rows = JournalRows(rowLengthMax: limits.row, sharedLengthMax: limits.shared)
        var state = ListState(name: "tasks", epoch: "e", durability: .durable, number: 1)
        let long = Content(Array("\"\(String(repeating: "x", count: 150))\"".utf8))
        let steps: [[ListOperation]] = [
            append(1), append(2), [.appendItems((3..<8).map { Item(id: .numbered($0), content: long) })], append(8),
        ]
        for (index, step) in steps.enumerated() {
            state = state.moved(to: state.revision + 1, state.snapshot)
            let revision = Revision(
                number: state.revision, moment: TestClock().clock.now, operations: 1, length: 10, origin: nil)
            rows.append(step, TransactionNote(revision, .difference), to: state, change: index)
        }
        #expect(rows.rows.map(\.revision) == [1, 3, 3, 3, 3, 3, 4])
        #expect(rows.rows.map(\.part) == [0, 0, 1, 2, 3, 4, 0])
        #expect(rows.rows.map(\.steps).reduce(0, +) == 4)
        #expect(rows.rows.map(\.kept.length) == [20, 10, 0, 0, 0, 0, 10])
        #expect(rows.rows.filter { $0.onlyStep != nil }.map(\.change) == [3])
        #expect(rows.rows.allSatisfy { $0.bytes.count <= limits.row })
    }

    @Test func `many small transactions are a reason for a checkpoint`() async throws {
        let limits = StoreLimits(journalStepsMin: 40, history: .none)
        let store = try await openWithSection(limits: limits)
        for index in 0..<39 { _ = try await store.transacting("tasks", append(index)).get() }
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT generation FROM list") == 0)
        _ = try await store.transacting("tasks", append(39)).get()
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT generation FROM list") == 1)
        #expect(try await store.sqlite.query("SELECT count(*) FROM journal") == 0)
        #expect(await store.sqlite.firstList(\.journalSteps) == 0)
        let before = await store.lists.map(Remembered.init)
        await store.shutDown()
        let again = try await directory.open(limits: limits)
        #expect(await again.lists.map(Remembered.init) == before)
        await again.shutDown()
    }

    @Test func `a long list waits for half as many transactions as it has items`() async throws {
        let store = try await openWithSection(limits: StoreLimits(journalStepsMin: 4, history: .none))
        let items = (0..<200).map { Item(id: .numbered($0)) }
        _ = try await store.transacting("tasks", [.appendItems(items, to: .section("s"))]).get()
        for index in 0..<90 { _ = try await store.transacting("tasks", [toggle(index)]).get() }
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT generation FROM list") == 0)
        for index in 90..<110 { _ = try await store.transacting("tasks", [toggle(index)]).get() }
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT generation FROM list") == 1)
        await store.shutDown()
    }

    @Test func `when nothing is to be done, a quarter of the last checkpoint is a reason for another`() async throws {
        let limits = StoreLimits(journalLengthMin: 1, idleMilliseconds: 30, history: .none)
        let store = try await openWithSection(limits: limits)
        await store.sqlite.finishMaintenance()
        let items = (0..<200).map { Item(id: .numbered($0)) }
        _ = try await store.transacting("tasks", [.appendItems(items, to: .section("s"))]).get()
        await store.sqlite.finishMaintenance()
        let generation = try await store.sqlite.query("SELECT generation FROM list")
        let content = Content(Array("\"\(String(repeating: "x", count: 800))\"".utf8))
        let item = Item(id: "long", content: content)
        _ = try await store.transacting("tasks", [.appendItems([item], to: .section("s"))]).get()
        let sqlite = store.sqlite
        #expect(try await eventuallyInTask { try await sqlite.query("SELECT count(*) FROM journal") == 0 })
        #expect(try await store.sqlite.query("SELECT generation FROM list") == generation + 1)
        await store.shutDown()
    }

    private func toggle(_ index: Int) -> ListOperation {
        index % 2 == 0 ? .expandItems(["0"]) : .collapseItems(["0"])
    }

    @Test(arguments: [
        "UPDATE checkpoint SET elements = CAST(substr(elements, 1, 20) || 'y' || substr(elements, 22) AS BLOB)",
        "UPDATE checkpoint SET elements = x'' WHERE part = 0", "UPDATE checkpoint SET checksum = checksum + 1",
    ])
    func `a checkpoint that is not what was written is refused`(edit: String) async throws {
        let store = try await openWithSection(limits: StoreLimits(journalStepsMin: 10, history: .none))
        for index in 0..<20 { _ = try await store.transacting("tasks", append(index)).get() }
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT generation FROM list") > 0)
        await store.shutDown()
        try directory.edit(edit)
        do {
            _ = try await directory.open()
            Issue.record("it was opened")
        } catch StoreOpeningError.damaged(_, let list, _, let reason) {
            #expect(list == "tasks")
            #expect(reason == "a part of its checkpoint has a wrong checksum")
        }
    }

    @Test func `a checkpoint part that makes no sense is malformed, whatever is wrong with it`() throws {
        let snapshot = try Snapshot([Section(id: "s", items: [Item(id: "a", content: Content(Array("1".utf8)))])])
        var parts = CheckpointParts(of: snapshot, lengthMax: 1_000)
        var part = ByteWriter()
        parts.writeNext(into: &part)
        #expect(parts.isDone)
        for length in 1..<part.count where length != 8 {
            var builder = SnapshotBuilder()
            let cut = Array(part.bytes.prefix(length))
            #expect(throws: CheckpointPartError.self, "\(length) bytes") {
                try cut.withUnsafeBytes { try builder.append(part: $0) }
            }
        }
        var builder = SnapshotBuilder()
        #expect(throws: CheckpointPartError.self) {
            try Array(part.bytes.dropFirst(8)).withUnsafeBytes { try builder.append(part: $0) }
        }
    }

    @Test func `who opens a store is told how far it has come`() async throws {
        let store = try await openWithSection(limits: StoreLimits(journalStepsMin: 10, checkpointPartLengthMax: 50))
        for index in 0..<100 { _ = try await store.transacting("tasks", append(index)).get() }
        await store.shutDown()
        let told = Mutex<[Int]>([])
        let again = try await Store.open(
            directory: directory.path, executor: DispatchQueueExecutor(label: "test.store"), logger: .silent,
            onProgress: { percent in told.withLock { $0.append(percent) } }, onFailure: { _ in })
        let percents = told.withLock { $0 }
        #expect(percents.count > 3 && percents == Array(Set(percents)).sorted() && percents.last == 100)
        await again.shutDown()
    }
}
