import Diffable
import Foundation
import GRDB
import Testing

@testable import DiffableStore

/// Databases that a diffabled wrote before lists had owners, or content of their own.
struct EarlierSchemaTests {
    private let directory = ScratchDirectory()

    private var keptCopy: String { directory.path + "/lists.sqlite.schema-4" }

    private func leave(schema version: Int = 4) async throws -> Remembered {
        let store = try await directory.open()
        _ = try await store.creating("a", .durable).get()
        for section in ["s", "t", "u"] {
            let section = Section(id: try SectionID(section))
            _ = try await store.transacting("a", [.appendSections([section])]).get()
        }
        let before = await store.lists.map(Remembered.init)
        await store.shutDown()
        if version == 4 {
            try directory.makeEarlierSchema()
        } else {
            let later =
                (version < 11 ? "ALTER TABLE lease DROP COLUMN holder;" : "")
                + (version < 10 ? "ALTER TABLE list DROP COLUMN sharing;" : "")
                + (version < 9 ? "ALTER TABLE list DROP COLUMN source;" : "")
                + (version < 7 ? "DROP TABLE deletedList;" : "")
                + (7...9 ~= version ? "ALTER TABLE deletedList DROP COLUMN sharing;" : "")
                + (7...8 ~= version ? "ALTER TABLE deletedList DROP COLUMN source;" : "")
                + (version < 8 ? "DROP TABLE schemas;" : "")
            try directory.edit("\(later) PRAGMA user_version = \(version)")
        }
        return before[0]
    }

    @Test func `one that is damaged is refused and stays what it was`() async throws {
        _ = try await leave()
        try directory.edit("UPDATE journal SET operations = CAST('[]' AS BLOB) WHERE revision = 2")
        let bytes = try Data(contentsOf: URL(filePath: directory.databasePath))
        do {
            _ = try await directory.open()
            Issue.record("it was opened")
        } catch {
            #expect("\(error)".contains("nothing was changed"), "\(error)")
        }
        #expect(try directory.version(of: directory.databasePath) == 4)
        #expect(try Data(contentsOf: URL(filePath: directory.databasePath)) == bytes)
        #expect(!FileManager.default.fileExists(atPath: keptCopy))
        let offline = OfflineStore(directory: directory.path)
        #expect(try !offline.check(scratch: NSTemporaryDirectory()).isGood)
        #expect(try directory.version(of: directory.databasePath) == 4)
        _ = try offline.repair(keepingIn: "kept")
        let store = try await directory.open()
        #expect(await store.list("a")?.revision == 1)
        await store.shutDown()
    }

    @Test func `one that is good goes on, and is kept as it was`() async throws {
        let before = try await leave()
        // What a start that ended while it copied has left.
        try Data(repeating: 0x78, count: 5_000).write(to: URL(filePath: keptCopy + ".unfinished"))
        var store = try await directory.open()
        #expect(await store.lists.map(Remembered.init) == [before])
        await store.shutDown()
        #expect(try directory.version(of: directory.databasePath) == JournalSchema.version)
        #expect(try directory.version(of: keptCopy) == 4)
        #expect(!FileManager.default.fileExists(atPath: keptCopy + ".unfinished"))
        let attributes = try FileManager.default.attributesOfItem(atPath: keptCopy)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try OfflineStore(directory: directory.path).check(scratch: NSTemporaryDirectory()).isGood)
        // Put back, it is taken as any backup.
        try FileManager.default.removeItem(atPath: directory.databasePath)
        try FileManager.default.copyItem(atPath: keptCopy, toPath: directory.databasePath)
        store = try await directory.open()
        #expect(await store.lists.map(\.snapshot) == [before.snapshot])
        await store.shutDown()
    }

    /// Else the older diffabled would take its content for damage, and could be told to repair it.
    @Test func `one without content of lists goes on with it, and is then refused by an older one`() async throws {
        let before = try await leave(schema: 5)
        let store = try await directory.open()
        #expect(await store.lists.map(Remembered.init) == [before])
        _ = try await store.transacting("a", [.reconfigureList(Content(Array("1".utf8)))]).get()
        await store.shutDown()
        #expect(try directory.version(of: directory.databasePath) == JournalSchema.version)
        #expect(try directory.version(of: directory.path + "/lists.sqlite.schema-5") == 5)
        let again = try await directory.open()
        #expect(await again.list("a")?.snapshot.content == Content(Array("1".utf8)))
        await again.shutDown()
    }

    @Test func `one from before deleted lists were kept goes on, and keeps those that are deleted then`() async throws {
        let before = try await leave(schema: 6)
        var store = try await directory.open()
        #expect(await store.lists.map(Remembered.init) == [before])
        #expect(try directory.version(of: directory.path + "/lists.sqlite.schema-6") == 6)
        _ = try await store.deleting("a").get()
        await store.shutDown()
        store = try await directory.open()
        #expect(try Remembered(await store.undeleting("a").get()) == before)
        await store.shutDown()
    }

    @Test func `one from before schemas goes on, and keeps those that are set then`() async throws {
        let before = try await leave(schema: 7)
        var store = try await directory.open()
        #expect(await store.lists.map(Remembered.init) == [before])
        #expect(try directory.version(of: directory.path + "/lists.sqlite.schema-7") == 7)
        _ = try await store.settingSchemas("a", .ofTasks()).get()
        await store.shutDown()
        store = try await directory.open()
        #expect(await store.lists.map(Remembered.init) == [before])
        #expect(try await store.run { $0.heldLists["a"]?.schemas?.set } == .ofTasks())
        await store.shutDown()
    }

    @Test func `one from before mirrors goes on, and keeps what a list is made a mirror of then`() async throws {
        let before = try await leave(schema: 8)
        var store = try await directory.open()
        #expect(await store.lists.map(Remembered.init) == [before])
        #expect(try directory.version(of: directory.path + "/lists.sqlite.schema-8") == 8)
        _ = try await store.settingSource("a", "build:a").get()
        await store.shutDown()
        store = try await directory.open()
        #expect(await store.lists.map(Remembered.init) == [before])
        #expect(await store.run { $0.source(of: "a") } == "build:a")
        _ = try await store.deleting("a").get()
        await store.shutDown()
        store = try await directory.open()
        _ = try await store.undeleting("a").get()
        #expect(await store.run { $0.source(of: "a") } == "build:a")
        await store.shutDown()
    }

    @Test func `one from before shared lists goes on, and keeps how far those have come`() async throws {
        let before = try await leave(schema: 9)
        var store = try await directory.open()
        #expect(await store.lists.map(Remembered.init) == [before])
        #expect(try directory.version(of: directory.path + "/lists.sqlite.schema-9") == 9)
        let told = Replication(list: "b", epoch: "e1")
        let made = await withCheckedContinuation { continuation in
            store.later { [store] _ in
                store.assumeIsolated { $0.replicate(told) { continuation.resume(returning: $0) } }
            }
        }
        let position = try made.get().state.position
        #expect(position == .beginning)
        await store.shutDown()
        store = try await directory.open()
        let states = await store.run { $0.attach(host: "h") { _ in } }
        #expect(states.map(\.list) == ["b"] && states.map(\.epoch) == ["e1"] && states.map(\.position) == [position])
        await store.shutDown()
    }

    @Test func `one from before names of shared lists goes on, and keeps those that are told then`() async throws {
        let before = try await leave(schema: 10)
        var store = try await directory.open()
        #expect(await store.lists.map(Remembered.init) == [before])
        #expect(try directory.version(of: directory.path + "/lists.sqlite.schema-10") == 10)
        var told = Replication(list: "b", epoch: "e1")
        let said = SharedAccess(owner: "no such user", group: "no \"group\"", mode: AccessMode(bits: 0o640))
        told.beginning = SharedBeginning(access: said)
        _ = await withCheckedContinuation { continuation in
            store.later { [store, told] _ in
                store.assumeIsolated { $0.replicate(told) { continuation.resume(returning: $0) } }
            }
        }
        await store.shutDown()
        store = try await directory.open()
        let access = await store.run { $0.currentAccess(of: "b") }
        #expect(access.record.shared == said && access.record.sharing == .beginning)
        #expect(access.effective.owner == 0 && access.effective.mode.bits == 0o640)
        await store.shutDown()
    }

    /// A replica, which has a place in a log that other hosts have too.
    @Test func `one from before leases in shared lists goes on, and keeps who holds what then`() async throws {
        let first = SharedRow(
            operations: [.appendSections([Section(id: "s", items: [Item(id: "i")])])], time: 1,
            origin: Origin(name: "x@other"))
        var leased = SharedRow(operations: [.insertItems([Item(id: "clock")], at: .before("i"))], time: 2)
        leased.lease = SharedHolder(host: "other", life: "l1", number: 4)
        var store = try await directory.open()
        var told = Replication(list: "b", epoch: "e1")
        told.batches = [SharedBatch.text([first], revision: 1)]
        let position = try await store.replicating(told).state.position
        #expect(position.batch == 1)
        let before = await store.lists.map(Remembered.init)
        await store.shutDown()
        try directory.edit("PRAGMA user_version = 11")
        store = try await directory.open()
        #expect(await store.lists.map(Remembered.init) == before)
        #expect(try directory.version(of: directory.path + "/lists.sqlite.schema-11") == 11)
        #expect(await store.run { $0.attach(host: "h") { _ in } }.map(\.position) == [position])
        told.batches = [SharedBatch.text([leased], after: position, revision: 2)]
        #expect(try await store.replicating(told).fits)
        await store.shutDown()
        store = try await directory.open()
        let holders = await store.run { store in
            store.heldLists["b"]?.head.flatMap { store.leases[$0.number]?.items.mapValues(\.holder) }
        }
        #expect(holders == ["clock": leased.lease])
        // The daemon's start ends nobody else's.
        #expect(await store.list("b")?.snapshot.itemIdentifiers == ["clock", "i"])
        await store.shutDown()
        #expect(try OfflineStore(directory: directory.path).check(scratch: NSTemporaryDirectory()).isGood)
    }

    @Test func `one that cannot be copied stays what it was`() async throws {
        let before = try await leave()
        // Nothing can be put in the place of a directory.
        try FileManager.default.createDirectory(atPath: keptCopy, withIntermediateDirectories: false)
        do {
            _ = try await directory.open()
            Issue.record("it was opened")
        } catch let error as StoreOpeningError {
            guard case .directoryUnusable = error else { throw error }
            #expect("\(error)".contains("cannot be copied"), "\(error)")
        }
        #expect(try directory.version(of: directory.databasePath) == 4)
        try FileManager.default.removeItem(atPath: keptCopy)
        let store = try await directory.open()
        #expect(await store.lists.map(Remembered.init) == [before])
        await store.shutDown()
    }
}

extension Store {
    fileprivate func replicating(_ told: Replication) async throws -> ReplicaReport {
        try await withCheckedContinuation { continuation in
            later { [self] _ in assumeIsolated { $0.replicate(told) { continuation.resume(returning: $0) } } }
        }.get()
    }
}

extension ScratchDirectory {
    /// Makes a database that was closed what the version before owners would have left, with a witness that knows nothing
    /// of them either.
    func makeEarlierSchema() throws {
        try edit("UPDATE list SET owner = NULL, ownerGroup = NULL, mode = NULL")
        let database = try DatabaseQueue(path: databasePath)
        let headings = try database.read { try ListHeading.all(in: $0).map(\.heading) }
        var digest = ListsDigest()
        for heading in headings {
            digest.add(try share(of: heading))
            try edit("UPDATE list SET checksum = \(heading.checksum) WHERE number = \(heading.number)")
        }
        try database.close()
        try edit(
            """
            ALTER TABLE lease DROP COLUMN holder;
            ALTER TABLE list DROP COLUMN sharing;
            ALTER TABLE list DROP COLUMN source;
            ALTER TABLE list DROP COLUMN mode;
            ALTER TABLE list DROP COLUMN ownerGroup;
            ALTER TABLE list DROP COLUMN owner;
            DROP TABLE deletedList;
            DROP TABLE schemas;
            PRAGMA user_version = 4;
            """)
        try rewriteWitness(digest)
    }

    fileprivate func version(of path: String) throws -> Int? {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    }
}
