import Foundation
import Testing

extension Integration {
    struct FeedActionTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon() }

        private func file(_ name: String) -> String { daemon.directory.file(name) }

        /// Returns a feed that prints a file, and that runs by itself only once an hour.
        private func hourly(_ list: String = "a") -> String {
            "- list: \(list)\n  command: [cat, \(file(list))]\n  every: 1h\n  from: lines\n"
        }

        private func write(_ text: String, to name: String = "a") throws {
            _ = try daemon.directory.write(text, to: name)
        }

        /// Waits until the items of the list `feeds` have actions.
        private func waitForActions(_ list: String = "a") throws {
            _ = try daemon.waitForStatus("actions", of: list) { $0.actions?.isEmpty == false }
        }

        @Test func `a feed runs at once when it is told to, and the reply comes when its list is up to date`() throws {
            try write("x\n")
            let program = try daemon.startFeeds(hourly())
            try daemon.waitForIDs(["x"], program)
            try waitForActions()
            for round in 0..<3 {
                try write("y\(round)\n")
                try daemon.succeed("perform", "feeds", "run", "a")
                #expect(try daemon.ids(of: "a") == ["y\(round)"])
            }
            let status = try daemon.waitForStatus("the next run") { $0.nextAttempt != nil }
            let left = Double(status.nextAttempt ?? 0) / 1_000 - Date().timeIntervalSince1970
            #expect((3_500...3_600).contains(left), "\(left)")
            try FileManager.default.removeItem(atPath: file("a"))
            let failed = try daemon.companion("perform", "feeds", "run", "a")
            #expect(failed.status != 0 && failed.complaints.contains("ended with status 1"), "\(failed)")
            #expect(try daemon.ids(of: "a") == ["y2"])
            let unknown = try daemon.companion("perform", "feeds", "run", "b")
            #expect(unknown.status != 0, "\(unknown)")
            program.end(with: SIGTERM)
        }

        @Test func `a paused feed leaves its list as it is until it is resumed`() throws {
            try write("x\n")
            let program = try daemon.startFeeds(
                "- list: a\n  command: [cat, \(file("a"))]\n  on: \(file("a"))\n  every: 1h\n  from: lines\n")
            try daemon.waitForIDs(["x"], program)
            try waitForActions()
            try daemon.succeed("perform", "feeds", "pause", "a")
            let paused = try daemon.waitForStatus("a pause") { $0.state == "paused" }
            #expect(paused.nextAttempt == nil && paused.actions?.map(\.id) == ["resume"])
            try write("y\n")
            // Longer than an event takes.
            Thread.sleep(forTimeInterval: 0.5)
            #expect(try daemon.ids(of: "a") == ["x"])
            let refused = try daemon.companion("perform", "feeds", "run", "a")
            #expect(refused.status != 0, "\(refused)")
            program.signal(SIGHUP)
            Thread.sleep(forTimeInterval: 0.3)
            #expect(try daemon.ids(of: "a") == ["x"])
            try daemon.succeed("perform", "feeds", "resume", "a")
            try daemon.waitForIDs(["y"], program)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" }
            program.end(with: SIGTERM)
        }

        @Test func `pausing a stream ends its command, and resuming starts it again`() throws {
            let program = try daemon.startFeeds(
                """
                - list: a
                  command: "echo $$ > \(file("pid")); echo '{\\"id\\":\\"x\\"}'; exec sleep 1000"
                  shell: true
                  stream: ndjson
                """)
            try daemon.waitForIDs(["x"], program)
            try waitForActions()
            let first = try String(contentsOfFile: file("pid"), encoding: .utf8)
            let process = try #require(pid_t(first.trimmingCharacters(in: .newlines)))
            try daemon.succeed("perform", "feeds", "pause", "a")
            _ = try eventually("the end of the command") { kill(process, 0) != 0 ? true : nil }
            _ = try daemon.waitForStatus("a pause") { $0.state == "paused" && $0.message == nil }
            try daemon.succeed("perform", "feeds", "resume", "a")
            _ = try eventually("another command") {
                try String(contentsOfFile: file("pid"), encoding: .utf8) != first ? true : nil
            }
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" }
            program.end(with: SIGTERM)
        }

        @Test func `a reload runs failing feeds at once`() throws {
            try write("x\n", to: "b")
            let program = try daemon.startFeeds(hourly() + hourly("b"))
            _ = try daemon.waitForStatus("a failure") { $0.state == "failing" }
            try daemon.waitForIDs(["x"], of: "b", program)
            try write("y\n")
            try write("y\n", to: "b")
            program.signal(SIGHUP)
            try daemon.waitForIDs(["y"], program)
            // The other feed is not failing.
            #expect(try daemon.ids(of: "b") == ["x"])
            program.end(with: SIGTERM)
        }

        @Test func `of two programs with one list of feeds, the first handles it, and then the second`() throws {
            try write("x\n")
            try write("x\n", to: "b")
            let first = try daemon.startFeeds(hourly())
            try waitForActions()
            let second = try daemon.feedProgram("b", "--every", "1h", "--from", "lines", "--", "cat", file("b"))
            let other = try daemon.waitForStatus("a success", of: "b") { $0.state == "fed" }
            #expect(other.actions == nil)
            let refused = try daemon.companion("perform", "feeds", "run", "b")
            #expect(
                refused.complaints.contains("is not a feed of the diffable-feed that handles this list"), "\(refused)")
            first.end(with: SIGTERM)
            _ = try waitForActions("b")
            second.end(with: SIGTERM)
        }
    }
}
