import Diffable
import Foundation
import Testing

@testable import DiffableStore

/// The memory of requests with a key after a restart.
@Suite struct `The keys of requests` {
    private let directory = ScratchDirectory()

    private func append(_ number: Int, to store: Store) async -> Result<Outcome, StoreError> {
        await store.transacting("tasks", [.appendItems([Item(id: .numbered(number))])], key: .numbered(number))
    }

    private func opened(_ limits: StoreLimits = StoreLimits()) async throws -> Store {
        let store = try await directory.open(limits: limits)
        _ = try await store.creating("tasks", .durable).get()
        _ = try await store.transacting("tasks", [.appendSections([Section(id: "today")])]).get()
        return store
    }

    @Test func `are there after a start and after a crash`() async throws {
        var store = try await opened()
        #expect(try await append(1, to: store).get().revision == 2)
        let removal: [ListOperation] = [.deleteItems(["none"], .isPassedOver)]
        #expect(try await store.transacting("tasks", removal, key: "nothing").get().isChanged == false)
        let target = Target.section("later", [Item(id: "tea")])
        let first = try await store.applying("tasks", target, key: "tea").get()
        _ = try await store.transacting("tasks", [.deleteAllItems]).get()
        let crashed = try await store.sqlite.crash(in: directory).left
        await store.shutDown()
        for place in [directory, crashed] {
            store = try await place.open()
            #expect(try await append(1, to: store).get().revision == 2)
            let nothing = try await store.transacting("tasks", removal, key: "nothing").get()
            #expect(nothing.revision == 2 && !nothing.isChanged)
            let again = try await store.applying("tasks", target, key: "tea").get()
            #expect(again.revision == 3 && again.isChanged && again.summary == first.summary)
            #expect(again.summary?.insertedItems == 1 && again.summary?.insertedSections == 1)
            #expect(
                await store.transacting("tasks", removal, key: "1").failure == .requestKeyReused("tasks", "1"))
            #expect(await store.list("tasks")?.revision == 4)
            #expect(await store.list("tasks")?.snapshot.numberOfItems == 0)
            await store.shutDown()
        }
    }

    @Test func `are as many as are remembered, and go on being counted`() async throws {
        let limits = StoreLimits(requests: RequestLimits(keysMax: 3))
        var store = try await opened(limits)
        for number in 1...5 { _ = try await append(number, to: store).get() }
        await store.shutDown()
        store = try await directory.open(limits: limits)
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT count(*) FROM request") == 3)
        for number in 3...5 { #expect(try await append(number, to: store).get().revision == number + 1) }
        #expect(await append(2, to: store).failure != nil, "its item is there already")
        #expect(try await append(6, to: store).get().revision == 7)
        #expect(await append(3, to: store).failure != nil)
        await store.shutDown()
        // Start with lower limits than before.
        store = try await directory.open(limits: StoreLimits(requests: RequestLimits(keysMax: 1)))
        #expect(try await append(6, to: store).get().revision == 7)
        #expect(try await append(7, to: store).get().revision == 8)
        #expect(await append(6, to: store).failure != nil)
        await store.shutDown()
    }

    @Test func `are deleted when they are too many`() async throws {
        let store = try await opened(StoreLimits(requests: RequestLimits(keysMax: 10)))
        for number in 1...600 { _ = try await append(number, to: store).get() }
        await store.sqlite.finishMaintenance()
        let left = try await store.sqlite.query("SELECT count(*) FROM request")
        #expect(left >= 10 && left <= 10 + 257)
        #expect(try await store.sqlite.query("SELECT max(number) FROM request") == 600)
        await store.shutDown()
    }

    @Test func `are forgotten when they are too old`() async throws {
        var store = try await opened(StoreLimits(requests: RequestLimits(ageMax: 0)))
        _ = try await append(1, to: store).get()
        try await Task.sleep(for: .milliseconds(5))
        await store.shutDown()
        store = try await directory.open(limits: StoreLimits(requests: RequestLimits(ageMax: 0)))
        await store.sqlite.finishMaintenance()
        // The last one stays, so that the numbering continues.
        #expect(try await store.sqlite.query("SELECT count(*) FROM request") == 1)
        #expect(await append(1, to: store).failure != nil, "its item is there already")
        #expect(try await append(2, to: store).get().revision == 3)
        await store.shutDown()
    }

    @Test(arguments: [
        "UPDATE request SET revision = revision + 1 WHERE number = 2", "UPDATE request SET key = '9' WHERE number = 2",
        "UPDATE request SET digest = digest + 1 WHERE number = 2", "UPDATE request SET isChanged = 0 WHERE number = 2",
        "UPDATE request SET summary = '1' WHERE number = 2", "UPDATE request SET time = time + 1 WHERE number = 2",
        "UPDATE request SET checksum = 0 WHERE number = 2", "DELETE FROM request WHERE number = 2",
        "UPDATE request SET number = 7 WHERE number = 2",
    ])
    func `that are not what was written are refused, and a repair keeps the others`(damage: String) async throws {
        var store = try await opened()
        for number in 1...4 { _ = try await append(number, to: store).get() }
        await store.shutDown()
        try directory.edit(damage)
        await #expect(throws: StoreOpeningError.self) { _ = try await directory.open() }
        let offline = OfflineStore(directory: directory.path)
        let found = try offline.check(scratch: NSTemporaryDirectory())
        #expect(found.lists.map(\.damage).description.contains("with a request key"), "\(found)")
        #expect(try offline.repair(keepingIn: "kept").keptIn != nil)
        store = try await directory.open()
        #expect(await store.list("tasks")?.snapshot.numberOfItems == 4)
        for number in [1, 3, 4] { #expect(try await append(number, to: store).get().revision == number + 1) }
        #expect(await append(2, to: store).failure != nil, "its item is there already")
        #expect(try await append(5, to: store).get().revision == 6)
        await store.shutDown()
    }

    /// Their changes may then be missing as well.
    @Test func `of which the last are missing lead to new epochs`() async throws {
        var store = try await opened()
        for number in 1...4 { _ = try await append(number, to: store).get() }
        let epoch = await store.list("tasks")?.epoch
        await store.shutDown()
        store = try await directory.open()
        #expect(await store.list("tasks")?.epoch == epoch)
        await store.shutDown()
        try directory.edit("DELETE FROM request WHERE number = 4")
        store = try await directory.open()
        #expect(await store.list("tasks")?.epoch != epoch)
        await store.shutDown()
    }

    @Test func `whose changes a repair loses are lost as well`() async throws {
        var store = try await opened()
        for number in 1...4 { _ = try await append(number, to: store).get() }
        await store.shutDown()
        try directory.edit("UPDATE journal SET chain = 0 WHERE revision = 4")
        _ = try OfflineStore(directory: directory.path).repair(keepingIn: "kept")
        store = try await directory.open()
        #expect(await store.list("tasks")?.revision == 3)
        #expect(try await append(2, to: store).get().revision == 3)
        #expect(try await append(4, to: store).get().revision == 4)
        #expect(try await append(3, to: store).get().revision == 5)
        await store.shutDown()
    }

    @Test func `go with their list, and never come to another`() async throws {
        var store = try await opened()
        _ = try await append(1, to: store).get()
        _ = try await store.deleting("tasks").get()
        let crashed = try await store.sqlite.crash(in: directory).left
        // The keys stay until the deleted list can no longer be restored.
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT count(*) FROM request") == 1)
        await store.run { $0.apply(StoreLimits(history: HistoryLimits(deletedLengthMax: 0))) }
        await store.settleOnDisk()
        #expect(try await store.sqlite.query("SELECT count(*) FROM request") == 0)
        await store.shutDown()
        store = try await crashed.open()
        _ = try await store.creating("tasks", .durable).get()
        _ = try await store.transacting("tasks", [.appendSections([Section(id: "today")])]).get()
        #expect(try await append(1, to: store).get().revision == 2)
        #expect(await store.list("tasks")?.snapshot.numberOfItems == 1)
        await store.shutDown()
    }

    @Test func `that met a full disk were not used`() async throws {
        var store = try await opened()
        let long = Content(Array("\"\(String(repeating: "x", count: 30_000))\"".utf8))
        let operations: [ListOperation] = [.appendItems([Item(id: "long", content: long)])]
        try await store.fillDisk()
        #expect(await store.transacting("tasks", operations, key: "k").failure == .noSpace)
        try await store.makeRoomOnDisk()
        #expect(try await store.transacting("tasks", operations, key: "k").get().revision == 2)
        await store.shutDown()
        store = try await directory.open()
        #expect(try await store.transacting("tasks", operations, key: "k").get().revision == 2)
        await store.shutDown()
    }
}
