import Diffable
import DiffableClient
import Foundation
import Testing

extension Integration {
    /// A hanging daemon is distinguished from an idle one.
    struct SilentDaemonTests {
        @Test func `whoever waits for a daemon that never answers is told so, and what to do`() async throws {
            let directory = try ScratchDirectory()
            // It accepts connections and input.
            let listener = try MuteListener(at: directory.file("mute"))
            let timeout = Duration.milliseconds(600)
            let path = SocketPath(directory.file("mute"))
            let before = ContinuousClock.now
            let error = try await #require(throws: ClientError.self) {
                try await Connection.withConnection(to: path, replyTimeout: timeout) { try await $0.lists() }
            }
            #expect(error == .noReply(path, within: timeout))
            #expect("\(error)".contains("has said nothing for 600 ms") && "\(error)".contains("systemctl status"))
            #expect(ContinuousClock.now - before >= timeout)
            withExtendedLifetime(listener) {}
        }

        @Test(.early) func `a quiet list is followed on, and one whose daemon hangs when it wakes`() async throws {
            // A daemon that is silent for half of this time, because the machine is busy, does not count as hanging.
            let timeout = Duration.seconds(10)
            let daemon = try Daemon()
            try daemon.succeed("create", "tasks", "--volatile")
            // The proxy counts connections: a lost one is visible only for a moment, or on a busy machine not at all.
            let proxy = try CuttingProxy(
                at: daemon.directory.file("proxy"), to: daemon.socket, limits: Int.max - 1..<Int.max, seed: 0)
            defer { proxy.close() }
            let client = Client(socket: SocketPath(proxy.socket), replyTimeout: timeout)
            var updates = client.list("tasks").makeAsyncIterator()
            #expect(try await updates.next()?.revision == 0)
            let next = Task { [updates] in
                var updates = updates
                return try await updates.next()?.revision
            }
            let path = SocketPath(daemon.socket)
            let alone = Task {
                try await Connection.withConnection(to: path, replyTimeout: timeout) { connection in
                    for try await _ in try await connection.subscribe(to: "tasks") {}
                }
            }
            try await Task.sleep(for: timeout * 1.5)
            #expect(client.connectionState == .connected && proxy.visits == 1)
            daemon.program.signal(SIGSTOP)
            await #expect(throws: ClientError.noReply(path, within: timeout)) { try await alone.value }
            try await eventuallyInTask("another connection") { proxy.visits > 1 ? () : nil }
            daemon.program.signal(SIGCONT)
            try daemon.succeed("section", "add", "tasks", "s")
            #expect(try await next.value == 1)
        }
    }
}
