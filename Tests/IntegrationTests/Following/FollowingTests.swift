import Diffable
import DiffableClient
import Foundation
import Synchronization
import Testing

extension Integration {
    /// `Client.list` against the real daemon, while connections break.
    struct FollowingTests {
        /// Changes a followed list while `disturb` breaks connections, and checks the followers' states.
        private static func follow(
            _ daemon: Daemon, through socket: String, writerPause: Duration = .milliseconds(2), seed: UInt64,
            disturb: () async throws -> Void
        ) async throws {
            let log = RevisionLog()
            var writer = Writer(to: "tasks", of: daemon, log: log, seed: seed)
            try await writer.begin()
            let client = Client(socket: SocketPath(socket), name: "followers")
            let followers = [
                TypedFollower("fast"), TypedFollower("slow", pause: .milliseconds(40)),
                TypedFollower("unsteady", patience: 15),
            ]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for follower in followers { group.addTask { try await follower.follow("tasks", of: client) } }
                // Stopped without cancelling, because a pending change could still be made after that.
                let mustStop = Flag()
                let writing = Task { [writer] in
                    var writer = writer
                    while !mustStop.isSet {
                        try await writer.write()
                        try await Task.sleep(for: writerPause)
                    }
                    return writer.revision
                }
                do {
                    try await disturb()
                    // However busy the machine is.
                    _ = try await eventuallyInTask("ten states for each, seed \(seed)") {
                        followers.allSatisfy { $0.all.count > 10 } ? true : nil
                    }
                } catch {
                    mustStop.set()
                    throw error
                }
                mustStop.set()
                let revision = try await writing.value
                for follower in followers {
                    _ = try await eventuallyInTask("\(follower.name) at \(revision), seed \(seed)") {
                        follower.revision == revision ? true : nil
                    }
                }
                group.cancelAll()
                try await group.waitForAll()
            }
            for follower in followers { follower.check(against: log) }
        }

        @Test func `three followers read on over restarts and crashes, and see only what there was`() async throws {
            let daemon = SendableDaemon(try Daemon())
            let seed = UInt64.random(in: 0...UInt64.max)
            try await Self.follow(daemon.daemon, through: daemon.daemon.socket, seed: seed) {
                for cycle in 0..<10 {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 50...250)))
                    try await onThread { try daemon.restart(after: cycle.isMultiple(of: 2) ? SIGKILL : SIGTERM) }
                }
            }
        }

        @Test func `a connection that is cut after any number of bytes does no harm`() async throws {
            let daemon = try Daemon()
            let seed = UInt64.random(in: 0...UInt64.max)
            let proxy = try CuttingProxy(
                at: daemon.directory.file("proxy"), to: daemon.socket, limits: 0..<30_000, seed: seed)
            defer { proxy.close() }
            try await Self.follow(daemon, through: proxy.socket, writerPause: .milliseconds(1), seed: seed) {
                let cuts = Sweep.count(60)
                _ = try await eventuallyInTask("\(cuts) cuts, seed \(seed)") {
                    proxy.cuts >= cuts ? true : nil
                }
                proxy.letEverythingThrough()
            }
        }
    }
}

private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}

/// A daemon that is ended and started again on another thread.
final class SendableDaemon: @unchecked Sendable {
    // Unchecked, because only one thread at a time restarts it, and no other uses it during that.
    let daemon: Daemon

    init(_ daemon: Daemon) { self.daemon = daemon }

    func restart(after signal: Int32) throws {
        daemon.program.signal(signal)
        _ = try daemon.program.wait()
        try daemon.restart()
    }
}
