import Diffable
import Testing

@testable import DiffableStore

struct FullDiskTests {
    let directory = ScratchDirectory()
    let long = Content(Array("\"\(String(repeating: "x", count: 30_000))\"".utf8))

    @Test func `a full disk refuses what is too long, changes nothing, and is survived`() async throws {
        let store = try await directory.open()
        _ = try await store.creating("tasks", .durable).get()
        _ = try await store.applying("tasks", .section("all", [Item(id: "milk")])).get()
        try await store.fillDisk()
        let items = [Item(id: "milk"), Item(id: "tea", content: long)]
        #expect(await store.applying("tasks", .section("all", items)).failure == .noSpace)
        #expect(await store.list("tasks")?.revision == 1)
        // Crash while the disk is still full: this must not restore the refused changes.
        let (left, lists) = try await store.sqlite.crash(in: directory)
        try left.edit("DROP TABLE filler")
        let again = try await left.open()
        #expect(await again.lists.map(Remembered.init) == lists.map(Remembered.init))
        await again.shutDown()
        try await store.makeRoomOnDisk()
        #expect(try await store.applying("tasks", .section("all", items)).get().revision == 2)
        await store.shutDown()
    }

    @Test func `a checkpoint that does not fit is left for later, and loses nothing`() async throws {
        let store = try await directory.open(limits: StoreLimits(journalLengthMin: 30_300, history: .none))
        _ = try await store.creating("tasks", .durable).get()
        _ = try await store.applying("tasks", .section("all", [Item(id: "0", content: long)])).get()
        try await store.fillDisk()
        // Small rows fit an existing page; the checkpoint does not.
        var redraws = 0
        while await store.sqlite.firstList(\.journalLengthMin) == 0 {
            let operation: ListOperation = redraws % 2 == 0 ? .expandItems(["0"]) : .collapseItems(["0"])
            _ = try await store.transacting("tasks", [operation]).get()
            await store.sqlite.finishMaintenance()
            redraws += 1
        }
        #expect(try await store.sqlite.query("SELECT generation FROM list") == 0)
        try await store.makeRoomOnDisk()
        for index in 1..<4 {
            let items = [Item(id: .numbered(index), content: long)]
            _ = try await store.transacting("tasks", [.appendItems(items, to: .section("all"))]).get()
        }
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT generation FROM list") > 0)
        let before = await store.lists.map(Remembered.init)
        await store.shutDown()
        let again = try await directory.open()
        #expect(await again.lists.map(Remembered.init) == before)
        await again.shutDown()
    }
}
