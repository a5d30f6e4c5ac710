import Diffable
import DiffableClient
import Foundation
import Testing

extension Integration {
    /// A daemon that hangs is told from one that has nothing to say.
    @Suite(.alone)
    struct SilentDaemonTests {
        private static let timeout = Duration.milliseconds(600)

        @Test func `whoever waits for a daemon that never answers is told so, and what to do`() async throws {
            let directory = try ScratchDirectory()
            // It takes connections and what they send.
            let listener = try MuteListener(at: directory.file("mute"))
            let path = SocketPath(directory.file("mute"))
            let before = ContinuousClock.now
            let error = try await #require(throws: ClientError.self) {
                try await Connection.withConnection(to: path, replyTimeout: Self.timeout) { try await $0.lists() }
            }
            #expect(error == .noReply(path, within: Self.timeout))
            #expect("\(error)".contains("has said nothing for 600 ms") && "\(error)".contains("systemctl status"))
            #expect(ContinuousClock.now - before >= Self.timeout)
            withExtendedLifetime(listener) {}
        }

        @Test func `a quiet list is followed on, and one whose daemon hangs when it wakes`() async throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "tasks", "--volatile")
            let client = Client(socket: SocketPath(daemon.socket), replyTimeout: Self.timeout)
            var updates = client.list("tasks").makeAsyncIterator()
            #expect(try await updates.next()?.revision == 0)
            let next = Task { [updates] in
                var updates = updates
                return try await updates.next()?.revision
            }
            let states = Task {
                var states: [ConnectionState] = []
                for await state in client.connectionStates {
                    states.append(state)
                    if states.count > 2 { break }
                }
                return states
            }
            try await Task.sleep(for: Self.timeout * 4)
            #expect(client.connectionState == .connected)
            daemon.program.signal(SIGSTOP)
            try await Task.sleep(for: Self.timeout * 2)
            daemon.program.signal(SIGCONT)
            try daemon.succeed("section", "add", "tasks", "s")
            #expect(try await next.value == 1)
            let seen = await states.value
            #expect(seen.first == .connected && seen.last == .connected)
            #expect(seen.dropFirst().first == .disconnected(.noReply(SocketPath(daemon.socket), within: Self.timeout)))
        }
    }
}
