import Diffable
import Foundation
import Testing

@testable import DiffableStore

/// The state directories that are accepted, and the settings of their database.
struct OpeningTests {
    let directory = ScratchDirectory()

    @Test func `every commit is synced, in a log that nobody shares`() async throws {
        let store = try await directory.open()
        let journal = store.sqlite
        #expect(try await journal.query("PRAGMA synchronous") == 2)
        _ = try await store.creating("tasks", .durable).get()
        #expect(FileManager.default.fileExists(atPath: directory.databasePath + "-wal"))
        #expect(!FileManager.default.fileExists(atPath: directory.databasePath + "-shm"))
        await store.shutDown()
    }

    @Test func `the directory and the database are their owner's alone`() async throws {
        let store = try await directory.open()
        _ = try await store.creating("tasks", .durable).get()
        for (path, permissions) in [
            (directory.path, 0o700), (directory.databasePath, 0o600), (directory.databasePath + "-wal", 0o600),
        ] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == permissions, "\(path)")
        }
        await store.shutDown()
    }

    @Test func `a second store on one directory is refused until the first is closed`() async throws {
        let store = try await directory.open()
        await #expect(throws: StoreOpeningError.inUse(path: directory.path)) { _ = try await directory.open() }
        await store.shutDown()
        let again = try await directory.open()
        await again.shutDown()
    }

    @Test(arguments: [JournalSchema.version + 1, JournalSchema.version - 1])
    func `a database of another version is refused and left alone`(version: Int) async throws {
        await (try await directory.open()).shutDown()
        try directory.edit("PRAGMA user_version = \(version)")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: directory.databasePath))
        let error = StoreOpeningError.otherSchema(
            path: directory.databasePath, version: version, known: JournalSchema.version)
        await #expect(throws: error) { _ = try await directory.open() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.databasePath)) == bytes)
    }

    @Test func `a database of another program is refused`() async throws {
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        try directory.edit("CREATE TABLE theirs (x)")
        let error = StoreOpeningError.foreign(path: directory.databasePath)
        await #expect(throws: error) { _ = try await directory.open() }
    }

    @Test func `a file that is no database is refused`() async throws {
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        try Data(repeating: 0x78, count: 5_000).write(to: URL(fileURLWithPath: directory.databasePath))
        let error = StoreOpeningError.foreign(path: directory.databasePath)
        await #expect(throws: error) { _ = try await directory.open() }
    }

    /// In the name of the format, and in the application id.
    @Test(arguments: [3, 70])
    func `a database of ours of which the heading is damaged is no other program's, and is repaired`(
        offset: Int
    ) async throws {
        let store = try await directory.open()
        _ = try await store.creating("tasks", .durable).get()
        await store.shutDown()
        let path = URL(filePath: directory.databasePath)
        var file = try Data(contentsOf: path)
        file[offset] ^= 16
        try file.write(to: path)
        let error = StoreOpeningError.unreadable(
            path: directory.databasePath, reason: "its first page is damaged")
        await #expect(throws: error) { _ = try await directory.open() }
        #expect(try OfflineStore(directory: directory.path).repair(keepingIn: "kept").keptIn != nil)
        let again = try await directory.open()
        #expect(await again.lists.map(\.name) == ["tasks"])
        await again.shutDown()
    }

    @Test func `a directory that cannot be made is named`() async throws {
        do {
            _ = try await Store.open(
                directory: "/proc/none/here", executor: DispatchQueueExecutor(label: "test"), logger: .silent,
                onFailure: { _ in })
            Issue.record("it was opened")
        } catch {
            guard case .directoryUnusable(path: "/proc/none/here", _) = error else { throw error }
        }
    }

    @Test(arguments: [
        ("DELETE FROM journal WHERE revision = 2", 2), ("DELETE FROM journal WHERE revision = 1", 1),
        ("UPDATE journal SET operations = CAST('[{]' AS BLOB) WHERE revision = 3", 3),
        (#"UPDATE journal SET operations = CAST('[{"op":"deleteAll"}]' AS BLOB) WHERE revision = 2"#, 2),
        (#"UPDATE journal SET operations = CAST('[{"op":"expandItems","items":["x"]}]' AS BLOB)"#, 1),
        ("UPDATE list SET generation = 1, checkpointRevision = 2", 2),
        ("UPDATE list SET lastReloadRevision = 9", 0), ("UPDATE list SET epoch = 'x'", 0),
        ("UPDATE journal SET chain = chain + 1 WHERE revision = 2", 2),
        ("UPDATE journal SET notes = CAST('[]' AS BLOB) WHERE revision = 2", 2),
    ])
    func `what does not fit together is refused, with the list and the revision`(
        edit: String, revision: Int
    ) async throws {
        let store = try await directory.open()
        _ = try await store.creating("tasks", .durable).get()
        for section in ["a", "b", "c"] {
            let id = try SectionID(section)
            _ = try await store.transacting("tasks", [.appendSections([Section(id: id)])]).get()
        }
        await store.shutDown()
        try directory.edit(edit)
        do {
            _ = try await directory.open()
            Issue.record("it was opened")
        } catch StoreOpeningError.damaged(_, let list, let found, _) {
            #expect(list == "tasks")
            #expect(found == revision)
        }
    }
}
