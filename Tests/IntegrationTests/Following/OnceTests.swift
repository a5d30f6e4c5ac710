import Diffable
import DiffableClient
import Foundation
import Testing

extension Integration {
    /// Changes and commands that continue automatically after a crash.
    struct OnceTests {
        @Test func `a change through a client is made once, whatever crashes meanwhile`() async throws {
            let daemon = SendableDaemon(try Daemon())
            try daemon.daemon.succeed("create", "log")
            let client = Client(socket: SocketPath(daemon.daemon.socket), name: "publisher")
            try await client.transact("log", [.appendSections([Diffable.Section(id: "s")])])
            let writing = Task {
                for number in 0..<400 {
                    // Making it twice would fail with a duplicate id.
                    let outcome = try await client.transact("log", [.appendItems([Item(id: try ItemID("\(number)"))])])
                    #expect(outcome.changed && outcome.revision == number + 2)
                    try await Task.sleep(for: .milliseconds(3))
                }
            }
            for _ in 0..<6 {
                try await Task.sleep(for: .milliseconds(Int.random(in: 50...250)))
                try await onThread { try daemon.restart(after: SIGKILL) }
            }
            try await writing.value
            let state = try await client.withConnection { try await $0.state(of: "log") }
            #expect(state.revision == 401)
            #expect(state.snapshot.itemIdentifiers.map(\.description) == (0..<400).map { "\($0)" })
        }

        @Test func `watch goes on over crashes, and shows each change once`() async throws {
            let daemon = SendableDaemon(try Daemon())
            try daemon.daemon.succeed("create", "log")
            let client = Client(socket: SocketPath(daemon.daemon.socket))
            try await client.transact("log", [.appendSections([Diffable.Section(id: "s")])])
            let lines = try daemon.daemon.startCompanion(["watch", "log", "--json"])
            let drawn = try daemon.daemon.startCompanion(["watch", "log"])
            let brittle = try daemon.daemon.startCompanion(["watch", "log", "--no-reconnect"])
            for program in [lines, drawn, brittle] {
                _ = try await eventuallyInTask("first state") { program.output.isEmpty ? nil : true }
            }
            let writing = Task {
                for number in 0..<300 {
                    try await client.transact("log", [.appendItems([Item(id: try ItemID("\(number)"))])])
                    try await Task.sleep(for: .milliseconds(3))
                }
            }
            for cycle in 0..<5 {
                try await Task.sleep(for: .milliseconds(Int.random(in: 50...200)))
                try await onThread { try daemon.restart(after: cycle == 2 ? SIGTERM : SIGKILL) }
            }
            try await writing.value
            _ = try await eventuallyInTask("last line") {
                lines.outputEnds(afterRevision: 301) && drawn.output.contains("+ 299") ? true : nil
            }
            let replay = try Replay(of: lines.outputLines)
            #expect(replay.resets == 1 && replay.revision == 301)
            #expect(replay.json == (try daemon.daemon.succeed("show", "log", "--json")))
            let numbers = drawn.outputLines.dropFirst().compactMap { $0.split(separator: " ").dropFirst(2).first }
            #expect(numbers.map(String.init) == (0..<300).map { "\($0)" })
            #expect(drawn.complaints.contains("connection to the daemon was lost"))
            #expect(drawn.complaints.contains("connected again"))
            #expect(try brittle.wait() == 3 && brittle.complaints.contains("closed the connection"))
            lines.signal(SIGINT)
            #expect(try lines.wait() == 128 + SIGINT)
        }
    }
}
