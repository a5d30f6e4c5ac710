import DiffableClient
import Foundation
import Testing

extension Integration {
    /// Idle programs cause no wake-ups. Only the daemon has a timer, which expires a few times a minute.
    struct IdleTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon() }

        @Test(.early) func `feeds sleep until something happens, and then bring it`() throws {
            let database = daemon.directory.file("x.db")
            func sql(_ statement: String) throws {
                let program = """
                    import sqlite3, sys
                    sqlite3.connect(sys.argv[1], isolation_level=None).execute(sys.argv[2])
                    """
                let writer = try Program(
                    "/usr/bin/python3", ["-c", program, database, statement], in: daemon.directory)
                #expect(try writer.wait() == 0, "\(writer.complaints)")
            }
            try sql("CREATE TABLE t(id TEXT)")
            try FileManager.default.createDirectory(
                atPath: daemon.directory.file("folder/inner"), withIntermediateDirectories: true)
            let databases = (0..<4).map { "- {list: rows\($0), sqlite: \(database), query: SELECT id FROM t}\n" }
            let folders = (0..<3).map { number in
                "- {list: files\(number), directory: {path: \(daemon.directory.file("folder")), depth: 2}}\n"
            }
            let commands = (0..<3).map { number in
                "- {list: said\(number), command: [cat, \(database)-said], on: [\(database)-said], from: lines}\n"
            }
            try Data("one\n".utf8).write(to: URL(filePath: "\(database)-said"))
            let program = try daemon.startFeeds((databases + folders + commands).joined())
            for number in 0..<3 { try daemon.waitForIDs(["one"], of: "said\(number)", program) }
            try daemon.waitForIDs(["inner"], of: "files2", program)
            try daemon.waitForIDs([], of: "rows3", program)
            try Wakings.waitForNone(of: program.processID, "diffable-feed")
            try sql("INSERT INTO t VALUES ('new')")
            try daemon.waitForIDs(["new"], of: "rows0", program)
            program.signal(SIGTERM)
            #expect(try program.wait() == 0, "\(program.complaints)")
        }

        @Test(.early) func `the viewer sleeps until something happens, and then draws it`() throws {
            try daemon.fill()
            let screen = try daemon.view("tasks")
            try screen.waitFor("Task 0.")
            let viewer = try #require(viewers().first)
            try Wakings.waitForNone(of: viewer, "diffablectl view")
            try daemon.succeed("insert", "tasks", "x", "text=New here", "--before", "i1", "-q")
            try screen.waitFor("New here")
            try screen.press("q")
            try screen.waitFor("status 0")
        }

        @Test(.early) func `the daemon sleeps while a client says nothing`() throws {
            try daemon.fill()
            let socket = try daemon.startSocatSubscriber(to: "tasks")
            _ = try eventually("the list") { socket.output.contains("Task 39.") ? true : nil }
            try Wakings.waitForNone(of: daemon.program.processID, timers: .any, "diffabled")
            try daemon.succeed("append", "tasks", "x", "text=After", "-q")
            _ = try eventually("a change") { socket.output.contains("After") ? true : nil }
        }

        @Test(.early) func `a client that asks when it is told to gives up a daemon that hangs, and goes on with it`()
            async throws
        {
            let timeout = Duration.seconds(10)
            try daemon.fill()
            let client = Client(askingWhenToldTo: SocketPath(daemon.socket), name: nil, replyTimeout: timeout)
            var updates = client.list("tasks").makeAsyncIterator()
            _ = try await updates.next()
            await client.checkConnection()
            daemon.program.signal(SIGSTOP)
            let check = Task { await client.checkConnection() }
            try await Task.sleep(for: .milliseconds(200))
            #expect(client.connectionState == .connected)
            client.giveUpConnection()
            await check.value
            try await eventuallyInTask("a loss") {
                if case .disconnected(.noReply?) = client.connectionState { () } else { nil }
            }
            daemon.program.signal(SIGCONT)
            try daemon.succeed("append", "tasks", "x", "text=After", "-q")
            #expect(try await updates.next()?.snapshot.sections.last?.items.last?.id == "x")
        }

        /// The viewers of this daemon, which tmux has started.
        private func viewers() -> [pid_t] {
            let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return processes.compactMap { pid_t($0) }.filter { process in
                func text(_ file: String) -> String {
                    let bytes = (try? Data(contentsOf: URL(filePath: "/proc/\(process)/\(file)"))) ?? Data()
                    return String(decoding: bytes, as: UTF8.self)
                }
                return text("comm") == "diffablectl\n" && text("environ").contains(daemon.socket)
            }
        }

        /// Proves that the test would notice a timer.
        @Test(.early) func `a program that wakes twice a second never has the rest that is asked for`() throws {
            let program = try Program("/bin/sh", ["-c", "while :; do sleep 0.5; done"], in: daemon.directory)
            #expect(throws: Failure.self) {
                try Wakings.waitForNone(of: program.processID, within: 12, "a clock")
            }
        }
    }
}
