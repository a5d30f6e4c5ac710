import Foundation
import Testing

extension Integration {
    /// Whose list it is that `diffable-feed` feeds: its own, one that is gone, or somebody else's.
    struct FedListTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon(configured: "listsMax: 2\n") }

        private func file(_ name: String) -> String { daemon.directory.file(name) }

        private func createMine(_ list: String = "a") throws {
            try daemon.succeed("create", list)
            try daemon.succeed("append", list, "mine", "-q")
        }

        @Test func `a feed that only adds does not say that it has made the list`() throws {
            try createMine()
            let program = try daemon.startFeeds(
                """
                - list: a
                  command: "echo '{\\"id\\":\\"x\\"}'; while [ ! -e \(file("go")) ]; do sleep 0.05; done; echo '{\\"id\\":\\"y\\"}'; exec sleep 1000"
                  shell: true
                  stream: ndjson
                """)
            try daemon.waitForIDs(["mine", "x"], program)
            _ = try daemon.directory.write("", to: "go")
            try daemon.waitForIDs(["mine", "x", "y"], program)
            #expect(try !daemon.succeed("show", "a", "-o", "json").contains("fedBy"))
            // Nor does it take away what came while it heard nothing.
            program.signal(SIGSTOP)
            daemon.program.end(with: SIGKILL)
            try daemon.restart()
            try daemon.succeed("append", "a", "more", "-q")
            program.signal(SIGCONT)
            try daemon.waitForIDs(["a"], of: "feeds", program)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" }
            #expect(try daemon.ids(of: "a") == ["mine", "x", "y", "more"])
            #expect(try !daemon.succeed("show", "a", "-o", "json").contains("fedBy"))
            program.end(with: SIGTERM)
        }

        @Test func `a list that somebody else has filled keeps its mode, too`() throws {
            try createMine()
            let before = try daemon.succeed("ls", "--json")
            let program = try daemon.startFeeds(
                "- {list: a, command: [echo, x], every: 1h, from: lines, mode: \"0644\"}\n")
            _ = try daemon.waitForStatus("a refusal") {
                $0.message?.contains("has 1 item that no feed has put there") == true
            }
            #expect(try before.contains(#""mode":"0600""#) && !daemon.succeed("ls", "--json").contains("0644"))
            let once = try daemon.feedProgram("--config", file("feeds.yaml"), "--once", "a")
            #expect(try once.wait() == 70)
            #expect(try !daemon.succeed("ls", "--json").contains("0644"))
            program.end(with: SIGTERM)
        }

        @Test func `a list of somebody else in the place of one that was lost is not overwritten`() throws {
            let program = try daemon.startFeeds(
                "- {list: a, command: [echo, x], every: 1h, from: lines, durability: volatile}\n")
            try daemon.waitForIDs(["x"], program)
            program.signal(SIGSTOP)
            daemon.program.end(with: SIGKILL)
            try daemon.restart()
            try createMine()
            program.signal(SIGCONT)
            _ = try daemon.waitForStatus("a refusal") {
                $0.message?.contains("has 1 item that no feed has put there") == true
            }
            #expect(try daemon.ids(of: "a") == ["mine"])
            program.end(with: SIGTERM)
        }

        @Test func `a list that cannot be made again is tried less and less often, until it can`() throws {
            let program = try daemon.startFeeds("- {list: a, command: [echo, x], every: 1h, from: lines}\n")
            try daemon.waitForIDs(["x"], program)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" }
            // With the list of feeds there are as many as there may be.
            program.signal(SIGSTOP)
            try daemon.succeed("delete", "a")
            try daemon.succeed("create", "b")
            program.signal(SIGCONT)
            _ = try daemon.waitForStatus("a third attempt") { status in
                guard status.message?.contains("listsMax") == true, let next = status.nextAttempt else { return false }
                return Double(next) / 1_000 - Date.now.timeIntervalSince1970 > 4.1
            }
            try daemon.succeed("delete", "b")
            try daemon.waitForIDs(["x"], program)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" && $0.message == nil }
            program.end(with: SIGTERM)
        }
    }
}
