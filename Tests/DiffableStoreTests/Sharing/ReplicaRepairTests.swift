import Diffable
import Foundation
import GRDB
import Testing

@testable import DiffableStore

/// Repair of shared lists.
@Suite struct `Replicas in a repair` {
    private let directory = ScratchDirectory()
    private let position = SharedPosition("7 00f3a1b2c3d4e5f6")

    /// Leaves two shared lists of one item each.
    private func leave() async throws {
        let store = try await directory.open()
        for name: ListName in ["tasks", "jobs"] {
            _ = try await store.creating(name, .durable).get()
            let section = Section(id: "open", items: [Item(id: "first")])
            _ = try await store.transacting(name, [.appendSections([section])]).get()
        }
        await store.shutDown()
        try withDatabase { database in
            for (var heading, _) in try ListHeading.existing(in: database) {
                heading.access.sharing = position
                try heading.update(in: database)
            }
        }
    }

    /// Opens the database, which must not be in use.
    private func withDatabase<R: Sendable>(_ body: @Sendable (Database) throws -> R) throws -> R {
        try DatabaseQueue(path: directory.databasePath).write(body)
    }

    @Test(arguments: [
        "UPDATE journal SET chain = 0 WHERE list = (SELECT number FROM list WHERE name = 'jobs')",
        "UPDATE list SET checksum = 0 WHERE name = 'jobs'",
    ])
    func `what is whole stays at its place in the log, what is damaged makes room for it`(damage: String) async throws {
        try await leave()
        let epoch = try withDatabase {
            try String.fetchOne($0, sql: "SELECT epoch FROM list WHERE name = 'tasks'")
        }
        try directory.edit(damage)
        let repair = try OfflineStore(directory: directory.path).repair(keepingIn: "kept")
        #expect(repair.found.lists.filter(\.isReplaceable).map(\.name) == ["jobs"])

        let store = try await directory.open()
        #expect(await store.lists.map(\.name) == ["tasks"])
        #expect(await store.list("tasks")?.epoch == epoch)
        #expect(await store.list("tasks")?.snapshot.numberOfItems == 1)
        // It can be restored as an ordinary list, for root only.
        let kept = await store.run { $0.deletedLists(for: .daemon).map { ($0.list.state, $0.access) } }
        #expect(kept.map(\.0.name) == ["jobs"] && kept.allSatisfy { $0.1.owner == 0 && $0.1.mode == .ownerOnly })
        #expect(kept.allSatisfy { $0.0.epoch != epoch })
        await store.shutDown()
        #expect(try withDatabase { try ListHeading.all(in: $0).map(\.heading.access.sharing) } == [position, nil])
    }
}
