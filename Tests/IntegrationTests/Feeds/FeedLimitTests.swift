import Foundation
import Testing

extension Integration {
    /// `diffable-feed` at the limits of the machine.
    struct FeedLimitTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon() }

        private func file(_ name: String) -> String { daemon.directory.file(name) }

        /// Starts feeds in a user namespace without watches or instances of inotify.
        private func feedProgram(without limit: String) throws -> Program {
            let line =
                "echo 0 > /proc/sys/user/max_inotify_\(limit) && exec '\(Binaries.feed)' --socket '\(daemon.socket)' "
                + "--config '\(file("feeds.yaml"))'"
            return try Program(
                "/usr/bin/unshare", ["--user", "--map-root-user", "sh", "-c", line], in: daemon.directory)
        }

        private static let isPossible: Bool = {
            guard let directory = try? ScratchDirectory() else { return false }
            let program = try? Program(
                "/usr/bin/unshare", ["--user", "--map-root-user", "test", "-w", "/proc/sys/user/max_inotify_watches"],
                in: directory)
            return (try? program?.wait()) == 0
        }()

        /// A daemon on a small disk, with a feed that follows a file.
        private struct SmallDaemon: Serving {
            let directory: ScratchDirectory
            let disk: SmallFileSystem
            let program: Program

            init() throws {
                directory = try ScratchDirectory()
                disk = try SmallFileSystem(at: directory.file("state"), in: directory)
                program = try disk.startDaemon(in: directory)
                _ = try #require(try Daemon.client(of: program, in: directory))
            }

            var socket: String { directory.file("socket") }
        }

        @Test(.enabled(if: SmallFileSystem.isPossible, "needs to mount a tmpfs: root, or user namespaces"))
        func `when the daemon's disk is full feeds say so, and what came is sent when there is room`() throws {
            let daemon = try SmallDaemon()
            let (rows, new) = (daemon.directory.file("rows"), daemon.directory.file("new"))
            _ = try daemon.directory.write("0\n", to: "rows")
            let feeds = try daemon.startFeeds(
                "- {list: a, command: [cat, \(rows)], on: \(rows), from: lines}\n")
            try daemon.waitForIDs(["0"], feeds)
            try daemon.disk.fill()
            // The log has some free room from earlier use, so each state is longer.
            var (count, ids) = (0, ["0"])
            while try daemon.status()?.state != "failing", count < 200 {
                count += 1
                ids = (0..<500).map { "\(count) \($0) \(String(repeating: "x", count: 200))" }
                _ = try daemon.directory.write(ids.map { $0 + "\n" }.joined(), to: "new")
                try #require(rename(new, rows) == 0)
                _ = try eventually("an answer") {
                    let status = try daemon.status()
                    return try status?.state == "failing" || daemon.ids(of: "a") == ids ? true : nil
                }
            }
            let failed = try daemon.waitForStatus("a full disk") { $0.state == "failing" }
            #expect(failed.message?.contains("space") == true && failed.nextAttempt != nil, "\(failed)")
            try daemon.disk.free()
            try daemon.waitForIDs(ids, feeds)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" && $0.message == nil }
            feeds.end(with: SIGTERM)
            daemon.program.end(with: SIGKILL)
        }

        /// Tries to fill a database, and prints the result.
        private static let writer = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
            try:
                database.execute("PRAGMA journal_mode=" + sys.argv[2])
                database.execute("BEGIN")
                for statement in sys.argv[3:]: database.execute(statement)
                database.execute("COMMIT")
                print("done")
            except sqlite3.OperationalError as error:
                print(error)
            """

        @Test(
            .enabled(if: SmallFileSystem.isPossible, "needs to mount a tmpfs: root, or user namespaces"),
            arguments: ["wal", "delete"])
        func `a database whose disk is full stays what it was, and is followed when there is room`(mode: String) throws
        {
            let disk = try SmallFileSystem(at: file("disk"), in: daemon.directory)
            let database = file("disk/x.db")
            func write(_ statements: String...) throws -> String {
                let writer = try disk.start(
                    "/usr/bin/python3", ["-c", Self.writer, database, mode] + statements, in: daemon.directory)
                #expect(try writer.wait() == 0, "\(writer.complaints)")
                return writer.output
            }
            #expect(try write("CREATE TABLE t(id, x)", "INSERT INTO t VALUES (1, '')") == "done\n")
            try daemon.writeFeeds("- {list: a, sqlite: \(database), query: SELECT id FROM t ORDER BY id}\n")
            let feeds = try disk.start(
                Binaries.feed, ["--socket", daemon.socket, "--config", file("feeds.yaml")], in: daemon.directory)
            try daemon.waitForIDs(["1"], feeds)
            try disk.fill()
            // In WAL mode the log's index may not fit either.
            let refusal = try write("INSERT INTO t VALUES (2, randomblob(3000000))")
            #expect(refusal.contains("full") || refusal.contains("disk I/O error"), "\(refusal)")
            #expect(try daemon.ids(of: "a") == ["1"])
            try disk.free()
            #expect(try write("INSERT INTO t VALUES (3, '')") == "done\n")
            try daemon.waitForIDs(["1", "3"], feeds)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" && $0.message == nil }
            feeds.end(with: SIGTERM)
        }

        @Test(.enabled(if: isPossible, "needs user namespaces"))
        func `without instances of inotify the feeds that watch say so, and the others run`() throws {
            _ = try daemon.directory.write("x\n", to: "rows")
            _ = try daemon.directory.write("", to: "x.db")
            try FileManager.default.createDirectory(atPath: file("d"), withIntermediateDirectories: true)
            _ = try daemon.directory.write("", to: "d/file")
            try daemon.writeFeeds(
                """
                - {list: a, command: [cat, \(file("rows"))], on: \(file("rows")), from: lines}
                - {list: b, sqlite: \(file("x.db")), query: SELECT 1 AS id}
                - {list: c, directory: \(file("d"))}
                - {list: d, command: [cat, \(file("rows"))], every: 100ms, from: lines}
                - {list: e, directory: \(file("d")), every: 100ms}
                - {list: f, sqlite: \(file("x.db")), query: SELECT 1 AS id, every: 100ms}
                """)
            let program = try feedProgram(without: "instances")
            for feed in ["a", "b", "c"] {
                _ = try daemon.waitForStatus("a limit", of: feed) {
                    $0.state == "failing" && $0.message?.contains("fs.inotify.max_user_instances") == true
                }
            }
            for feed in ["d", "e", "f"] {
                _ = try daemon.waitForStatus("a success", of: feed) { $0.state == "fed" && $0.message == nil }
            }
            _ = try daemon.directory.write("y\n", to: "rows")
            _ = try daemon.directory.write("", to: "d/more")
            try daemon.waitForIDs(["y"], of: "d", program)
            try daemon.waitForIDs(["file", "more"], of: "e", program)
            program.signal(SIGTERM)
            #expect(try program.wait() == 0)
        }

        @Test(.enabled(if: isPossible, "needs user namespaces"))
        func `feeds whose files the kernel does not watch say so`() throws {
            _ = try daemon.directory.write("x\n", to: "rows")
            try FileManager.default.createDirectory(atPath: file("d"), withIntermediateDirectories: true)
            try daemon.writeFeeds(
                """
                - {list: a, command: [cat, \(file("rows"))], on: \(file("rows")), from: lines}
                - {list: b, sqlite: \(file("x.db")), query: SELECT 1 AS id}
                - {list: c, directory: \(file("d"))}
                """)
            let making = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('CREATE TABLE t(id)')"
            #expect(try Program("/usr/bin/python3", ["-c", making, file("x.db")], in: daemon.directory).wait() == 0)
            let program = try feedProgram(without: "watches")
            for feed in ["a", "b", "c"] {
                _ = try daemon.waitForStatus("a limit", of: feed) {
                    $0.state == "failing" && $0.message?.contains("fs.inotify.max_user_watches") == true
                }
            }
            // The readable part is in the list.
            try daemon.waitForIDs(["x"], program)
            try daemon.waitForIDs(["1"], of: "b", program)
            program.signal(SIGTERM)
            #expect(try program.wait() == 0)
        }
    }
}
