import Diffable
import Foundation
import GRDB
import Testing

@testable import DiffableStore

/// A manipulated database with valid checksums, for example in a copy of a state directory.
struct HostileDatabaseTests {
    let directory = ScratchDirectory()

    private func makeList() async throws {
        let store = try await directory.open()
        _ = try await store.creating("tasks", .durable).get()
        _ = try await store.transacting("tasks", [.appendSections([Section(id: "a")])]).get()
        await store.shutDown()
    }

    @Test(arguments: [
        (
            "CREATE TRIGGER harm AFTER INSERT ON journal BEGIN DELETE FROM list; END", #"the trigger "harm""#
        ),
        ("CREATE VIEW harm AS SELECT hex(zeroblob(1000000000))", #"the view "harm""#),
        ("CREATE INDEX harm ON list (hex(name))", #"the index "harm""#),
        ("CREATE TABLE harm (x)", #"the table "harm""#),
        ("CREATE TABLE \"h\u{1B}[2J\" (x)", #"the table "h\u{1B}[2J""#),
        ("CREATE VIRTUAL TABLE harm USING fts5(x)", #"the table "harm""#),
        (
            "ALTER TABLE list ADD COLUMN harm TEXT AS (hex(zeroblob(1000000000))) VIRTUAL",
            #"the computed column "harm""#
        ),
    ])
    func `a database with statements of its own is refused, and repaired without them`(
        edit: String, found: String
    ) async throws {
        try await makeList()
        try directory.edit(edit)
        let error = StoreOpeningError.unreadable(
            path: directory.databasePath, reason: "it has \(found), which diffabled never makes")
        await #expect(throws: error) { _ = try await directory.open() }
        #expect(try !OfflineStore(directory: directory.path).check(scratch: NSTemporaryDirectory()).isGood)
        #expect(try OfflineStore(directory: directory.path).repair(keepingIn: "kept").keptIn != nil)
        let again = try await directory.open()
        #expect(await again.lists.map(\.name) == ["tasks"])
        #expect(await again.lists.first?.snapshot.numberOfSections == 1)
        await again.shutDown()
    }

    @Test func `a view in place of a table is refused`() async throws {
        try await makeList()
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x, x, x, x, x FROM n"
        try directory.edit("DROP TABLE lease; CREATE VIEW lease AS \(endless)")
        let error = StoreOpeningError.unreadable(
            path: directory.databasePath, reason: #"it has the view "lease", which diffabled never makes"#)
        await #expect(throws: error) { _ = try await directory.open() }
    }

    private static let numbers = [Int.max, Int.max - 1, Int.min, -1]

    @Test(arguments: numbers)
    func `numbers of a list that no daemon reaches are damage`(number: Int) async throws {
        for column in ["generation", "checkpointRevision", "lastReloadRevision"] {
            let directory = ScratchDirectory()
            let store = try await directory.open()
            _ = try await store.creating("tasks", .durable).get()
            await store.shutDown()
            try directory.change { database in
                let heading = try #require(try ListHeading.existing(in: database).first?.heading)
                func value(_ name: String, _ usual: Int) -> Int { name == column ? number : usual }
                var sum = Checksum(4)
                sum.add(heading.number)
                sum.add(heading.name)
                sum.add(heading.epoch)
                sum.add(value("generation", heading.generation))
                sum.add(value("checkpointRevision", heading.checkpointRevision))
                sum.add(heading.checkpointChecksum)
                sum.add(value("lastReloadRevision", heading.lastReloadRevision))
                sum.add(heading.chain.value)
                heading.access.add(to: &sum)
                try database.execute(
                    sql: "UPDATE list SET \(column) = ?, checksum = ?", arguments: [number, sum.signed])
            }
            do {
                _ = try await directory.open()
                Issue.record("a list with \(column) \(number) was opened")
            } catch StoreOpeningError.damaged(_, "tasks", _, _) {
            }
            #expect(try !OfflineStore(directory: directory.path).check(scratch: NSTemporaryDirectory()).isGood)
        }
    }

    @Test(arguments: ["journal", "checkpoint", "request", "lease", "schemas"])
    func `a row of a list with the last of all numbers is refused`(table: String) async throws {
        try await makeList()
        let values = [
            "journal": "1, 0, 0, x'', x''", "checkpoint": "1, 0, 0, x''", "request": "1, 'k', 0, 1, 1, NULL, 0, 0",
            "lease": "0, '', 0, NULL", "schemas": "1, NULL, NULL, NULL, 1, 1, 0, 0, 0, NULL, NULL, NULL, 0",
        ]
        try directory.edit("INSERT INTO \(table) VALUES (\(Int.max), \(values[table] ?? ""))")
        do {
            _ = try await directory.open()
            Issue.record("it was opened")
        } catch let error as StoreOpeningError {
            #expect(error.isAboutContents)
        }
        #expect(try !OfflineStore(directory: directory.path).check(scratch: NSTemporaryDirectory()).isGood)
    }

    @Test(arguments: numbers)
    func `a running time that no daemon reaches does not end the daemon`(number: Int) async throws {
        try await makeList()
        var sum = Checksum(7)
        sum.add(number)
        let signed = sum.signed
        try directory.change { database in
            try database.execute(sql: "UPDATE clock SET running = ?, checksum = ?", arguments: [number, signed])
        }
        let store = try await directory.open()
        _ = try await store.transacting("tasks", [.appendSections([Section(id: "b")])]).get()
        await store.shutDown()
    }
}

extension ScratchDirectory {
    fileprivate func change(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue(path: databasePath).write(body)
    }
}
