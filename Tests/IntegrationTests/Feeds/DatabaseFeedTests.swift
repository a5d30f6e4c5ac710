import Foundation
import Testing

extension Integration {
    /// `diffable-feed`, with feeds from databases that other programs write to.
    struct DatabaseFeedTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon() }

        private func file(_ name: String) -> String { daemon.directory.file(name) }

        private func sql(_ statements: String...) throws {
            let program = """
                import sqlite3, sys
                database = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
                for statement in sys.argv[2:]: database.execute(statement)
                """
            let writer = try Program(
                "/usr/bin/python3", ["-c", program, file("x.db")] + statements, in: daemon.directory)
            #expect(try writer.wait() == 0, "\(writer.complaints)")
        }

        private func startFeeds() throws -> Program {
            try daemon.startFeeds(
                """
                - list: a
                  sqlite: \(file("x.db"))
                  query: SELECT id, name AS text, part FROM t ORDER BY place
                  section: part
                  content: {icon: I}
                """)
        }

        private static let table = "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, part TEXT, place INTEGER)"

        @Test func `rows come, change, go and move, in the daemon's list too`() throws {
            try sql(
                "PRAGMA journal_mode=wal", Self.table,
                "INSERT INTO t VALUES (1, 'one', 'a', 1), (2, 'two', 'b', 2), (3, 'three', 'a', 3), (4, 'four', 'b', 4)"
            )
            let program = try startFeeds()
            try daemon.waitForIDs(["1", "3", "2", "4"], program)
            // A user expands an item; that stays.
            try daemon.succeed("expand", "a", "2")
            try sql(
                "UPDATE t SET place = 9 WHERE id = 1", "UPDATE t SET name = 'TWO' WHERE id = 2",
                "DELETE FROM t WHERE id = 4")
            try daemon.waitForIDs(["2", "3", "1"], program)
            let items = try daemon.succeed("show", "a", "-o", "jsonl")
            #expect(items.contains(#""content":{"id":2,"text":"TWO","part":"b","icon":"I"}"#), "\(items)")
            #expect(items.contains(#""expanded":true"#), "\(items)")
            try sql("INSERT INTO t VALUES (5, 'five', 'c', 0)")
            try daemon.waitForIDs(["5", "2", "3", "1"], program)
            program.signal(SIGTERM)
            #expect(try program.wait() == 0)
        }

        @Test func `a hostile query takes bounded memory, and its feed and the others continue`() throws {
            try sql(
                Self.table, "INSERT INTO t VALUES (1, 'one', 'a', 1)",
                "CREATE VIEW v AS WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r LIMIT 10000) "
                    + "SELECT id FROM (SELECT id, randomblob(1000000) AS x FROM r) ORDER BY x")
            let feeds = try daemon.startFeeds(
                """
                - {list: a, sqlite: \(file("x.db")), query: SELECT id FROM v}
                - {list: b, sqlite: \(file("x.db")), query: SELECT id FROM t}
                """)
            let failed = try daemon.waitForStatus("the limit", of: "a") { $0.state == "failing" }
            #expect(
                failed.message?.hasSuffix(
                    "the queries of all feeds need more than 268,435,456 bytes of memory (queryMemoryMax); select less")
                    == true,
                "\(failed)")
            _ = try daemon.waitForStatus("the other feed", of: "b") { $0.state == "fed" }
            let memory = try #require(feeds.mostMemory)
            #expect(memory < 700_000, "\(memory) kB")
            try sql("DROP VIEW v", "CREATE VIEW v AS SELECT 7 AS id")
            try daemon.waitForIDs(["7"], feeds)
            feeds.end(with: SIGTERM)
        }

        @Test func `a database that is locked leaves the list as it is, and feeds says why`() throws {
            try sql("PRAGMA journal_mode=wal", Self.table, "INSERT INTO t VALUES (1, 'one', 'a', 1)")
            let program = try startFeeds()
            try daemon.waitForIDs(["1"], program)
            let holding = """
                import sqlite3, sys, time, os
                database = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
                database.execute("PRAGMA locking_mode=EXCLUSIVE")
                database.execute("DELETE FROM t")
                database.execute("INSERT INTO t VALUES (2, 'two', 'a', 2)")
                while not os.path.exists(sys.argv[2]): time.sleep(0.002)
                """
            let holder = try Program(
                "/usr/bin/python3", ["-c", holding, file("x.db"), file("go")], in: daemon.directory)
            let failed = try daemon.waitForStatus("a lock") { $0.state == "failing" }
            #expect(failed.message?.contains("locked") == true && failed.lastSuccess != nil, "\(failed)")
            #expect(try daemon.ids(of: "a") == ["1"])
            _ = try daemon.directory.write("", to: "go")
            #expect(try holder.wait() == 0, "\(holder.complaints)")
            try daemon.waitForIDs(["2"], program)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" && $0.message == nil }
            program.end(with: SIGTERM)
        }

        @Test func `after a feed was killed, another one brings what was committed meanwhile`() throws {
            try sql("PRAGMA journal_mode=wal", Self.table, "INSERT INTO t VALUES (1, 'one', 'a', 1)")
            let program = try startFeeds()
            try daemon.waitForIDs(["1"], program)
            program.end(with: SIGKILL)
            try sql("INSERT INTO t VALUES (2, 'two', 'a', 0)")
            try daemon.waitForIDs([], of: "feeds")
            #expect(try daemon.ids(of: "a") == ["1"])
            let again = try startFeeds()
            try daemon.waitForIDs(["2", "1"], again)
            daemon.program.end(with: SIGKILL)
            try sql("DELETE FROM t WHERE id = 1")
            try daemon.restart()
            try daemon.waitForIDs(["2"], again)
            again.end(with: SIGTERM)
        }

        @Test func `what the daemon refuses is said, and sent when it no longer does`() throws {
            try sql(Self.table, "INSERT INTO t VALUES (1, 'one', 'a', 1)")
            let program = try startFeeds()
            try daemon.waitForIDs(["1"], program)
            _ = try daemon.directory.write(
                #"{"":{"type":"object","properties":{"text":{"type":"string","maxLength":5}}}}"#, to: "schemas.json")
            try daemon.succeed("schema", "a", file("schemas.json"))
            try sql("INSERT INTO t VALUES (2, 'far too long', 'a', 2)")
            let failed = try daemon.waitForStatus("a refusal") { $0.state == "failing" }
            #expect(failed.message?.contains("text") == true && failed.nextAttempt != nil, "\(failed)")
            #expect(try daemon.ids(of: "a") == ["1"])
            try daemon.succeed("schema", "a", "--clear")
            try daemon.waitForIDs(["1", "2"], program)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" && $0.message == nil }
            program.end(with: SIGTERM)
        }
    }
}
