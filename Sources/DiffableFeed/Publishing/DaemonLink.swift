import DiffableClient
import Synchronization

/// The connection that all feeds share, reconnected whenever it is lost. It stays open while the feeds are idle, because the items
/// of the list `feeds` are leased by it. It sends no heartbeats: a request that times out shows that the daemon hangs.
package actor DaemonLink {
    /// A connection and its number. Cached states of lists are valid for one connection only.
    package struct Current: Sendable {
        package let connection: Connection
        package let number: Int
        fileprivate let end: WakeSignal
    }

    private let socket: String?
    private let say: @Sendable (String) -> Void
    private var current: Current?
    private var lastNumber = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// Signalled for each new connection.
    private var reconnectSignals: [WakeSignal] = []
    private var lastComplaint: String?

    /// The limit of a request's duration. After it, the daemon is considered hung.
    private static let replyTimeout = Duration.seconds(60)

    /// `socket` is the socket's path. If it is nil, each attempt to connect searches for a socket.
    package init(socket: String?, say: @escaping @Sendable (String) -> Void) {
        self.socket = socket
        self.say = say
    }

    /// The current connection's number; nil while disconnected.
    package var number: Int? { current?.number }

    package func addReconnectSignal(_ wakeSignal: WakeSignal) { reconnectSignals.append(wakeSignal) }

    package func removeReconnectSignal(_ wakeSignal: WakeSignal) { reconnectSignals.removeAll { $0 === wakeSignal } }

    package func run() async {
        var failures = 0
        while !Task.isCancelled {
            do {
                let path = try SocketPath.find(socket)
                try await Connection.withConnection(to: path, name: "diffable-feed", replyTimeout: nil) { connection in
                    failures = 0
                    await self.keepOpen(connection)
                }
                end(nil)
            } catch {
                end((error as? ClientError)?.sentence(socket: "--socket", system: "--system") ?? "\(error)")
                failures += 1
            }
            if Task.isCancelled { break }
            try? await Task.sleep(for: max(Backoff.pause(afterFailures: failures), .milliseconds(20)))
        }
        resumeAll()
    }

    private func keepOpen(_ connection: Connection) async {
        lastNumber += 1
        let end = WakeSignal()
        current = Current(connection: connection, number: lastNumber, end: end)
        if lastComplaint != nil { say("connected to the daemon at \(connection.path)") }
        lastComplaint = nil
        resumeAll()
        for wakeSignal in reconnectSignals { wakeSignal.signal() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await connection.closed() }
            group.addTask { await end.wait() }
            await group.next()
            group.cancelAll()
        }
        current = nil
    }

    private func end(_ complaint: String?) {
        current = nil
        if let complaint, complaint != lastComplaint { say(complaint) }
        lastComplaint = complaint ?? lastComplaint
    }

    private func resumeAll() {
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    // MARK: - Requests

    /// Runs the closure with the connection, and waits for a connection first. Throws `CancellationError` when the task is
    /// cancelled.
    package func perform<R: Sendable>(_ body: @Sendable (Current) async throws -> R) async throws -> R {
        let current = try await connected()
        // When the daemon hangs, the callers get the error of a lost connection.
        let watch = Deadline(after: Self.replyTimeout) { current.end.signal() }
        defer { watch.cancel() }
        return try await body(current)
    }

    /// Waits for a connection. Throws `CancellationError` when the task is cancelled.
    package func connected() async throws -> Current {
        while true {
            try Task.checkCancellation()
            if let current { return current }
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiting.append($0) }
            } onCancel: {
                // All waiting tasks check again, and wait again unless they were cancelled.
                Task { await self.resumeAll() }
            }
        }
    }
}
