import Diffable
import Foundation
import Testing

@testable import DiffableStore

/// Leases that existed when the daemon ended.
@Suite struct `What is leased on disk` {
    private let directory = ScratchDirectory()

    /// Leaves a list with two leased items and an ordinary one.
    private func leave() async throws {
        let store = try await directory.open()
        _ = try await store.creating("bar", .durable).get()
        _ = try await store.transacting(
            "bar", [.appendSections([Section(id: "left", items: [Item(id: "fixed")])])]
        ).get()
        let lease = await store.run { $0.makeLease() }
        let items = [Item(id: "clock"), Item(id: "load")]
        _ = try await store.transacting("bar", [.appendItems(items)], lease: lease).get()
        let crashed = try await store.sqlite.crash(in: directory).left
        await store.shutDown()
        try FileManager.default.removeItem(atPath: directory.path)
        try FileManager.default.copyItem(atPath: crashed.path, toPath: directory.path)
    }

    private func itemsAfterStart() async throws -> [String]? {
        let store = try await directory.open()
        let items = await store.list("bar")?.snapshot.itemIdentifiers.map(\.description)
        await store.shutDown()
        return items
    }

    @Test func `goes at the start`() async throws {
        try await leave()
        #expect(try await itemsAfterStart() == ["fixed"])
    }

    @Test(arguments: [
        "UPDATE lease SET id = 'fixed' WHERE id = 'clock'", "UPDATE lease SET kind = 1 WHERE id = 'clock'",
        "UPDATE lease SET kind = 9 WHERE id = 'clock'", "UPDATE lease SET checksum = 0 WHERE id = 'clock'",
        "UPDATE lease SET list = 9 WHERE id = 'clock'",
    ])
    func `is refused when it is not what was written, and a repair keeps the rest`(damage: String) async throws {
        try await leave()
        try directory.edit(damage)
        await #expect(throws: StoreOpeningError.self) { _ = try await directory.open() }
        let offline = OfflineStore(directory: directory.path)
        let found = try offline.check(scratch: NSTemporaryDirectory())
        #expect(found.faults.description.contains("leased"), "\(found)")
        #expect(try offline.repair(keepingIn: "kept").keptIn != nil)
        #expect(try await itemsAfterStart() == ["fixed", "clock"])
    }

    @Test func `goes as well when a repair was about something else`() async throws {
        try await leave()
        try directory.edit("UPDATE list SET checksum = 0 WHERE name = 'bar'")
        _ = try OfflineStore(directory: directory.path).repair(keepingIn: "kept")
        #expect(try await itemsAfterStart() == ["fixed"])
    }
}
