import DiffableClient
import Synchronization

/// The one connection of all feeds to the daemon, which is made again whenever it is lost.
///
/// It is kept while nothing happens, because the items of the list `feeds` are leased by it, and nothing is sent over it then:
/// whether a daemon hangs is asked by those who wait for its answer.
package actor DaemonLink {
    /// A connection, with the number that says which: what is known of lists is known as of one connection.
    package struct Current: Sendable {
        package let connection: Connection
        package let number: Int
        fileprivate let end: Bell
    }

    private let socket: String?
    private let say: @Sendable (String) -> Void
    private var current: Current?
    private var lastNumber = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// Are rung for each new connection.
    private var bells: [Bell] = []
    private var lastComplaint: String?

    /// A request that takes longer counts as one to a daemon that hangs.
    private static let replyTimeout = Duration.seconds(60)

    /// - Parameter socket: nil: wherever one is found, each time a connection is made.
    package init(socket: String?, say: @escaping @Sendable (String) -> Void) {
        self.socket = socket
        self.say = say
    }

    /// That of the connection that there is; nil while there is none.
    package var number: Int? { current?.number }

    /// Rings for each connection from the next on.
    package func tell(_ bell: Bell) { bells.append(bell) }

    package func forget(_ bell: Bell) { bells.removeAll { $0 === bell } }

    /// Connects, and again when the connection is lost, until the task is cancelled.
    package func run() async {
        var failures = 0
        while !Task.isCancelled {
            do {
                let path = try SocketPath.find(socket)
                try await Connection.withConnection(to: path, name: "diffable-feed", replyTimeout: nil) { connection in
                    failures = 0
                    await self.hold(connection)
                }
                end(nil)
            } catch {
                end((error as? ClientError)?.descriptionWithOptions ?? "\(error)")
                failures += 1
            }
            if Task.isCancelled { break }
            try? await Task.sleep(for: max(Backoff.pause(afterFailures: failures), .milliseconds(20)))
        }
        resumeAll()
    }

    private func hold(_ connection: Connection) async {
        lastNumber += 1
        let end = Bell()
        current = Current(connection: connection, number: lastNumber, end: end)
        if lastComplaint != nil { say("connected to the daemon at \(connection.path)") }
        lastComplaint = nil
        resumeAll()
        for bell in bells { bell.ring() }
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

    /// Does something over the connection, as soon as there is one. Throws `CancellationError` when the task is cancelled.
    package func perform<R: Sendable>(_ body: @Sendable (Current) async throws -> R) async throws -> R {
        let current = try await connected()
        // The daemon hangs: whoever waits for it hears of a connection that was lost.
        let watch = Deadline(after: Self.replyTimeout) { current.end.ring() }
        defer { watch.cancel() }
        return try await body(current)
    }

    /// The connection, as soon as there is one. Throws `CancellationError` when the task is cancelled.
    package func connected() async throws -> Current {
        while true {
            try Task.checkCancellation()
            if let current { return current }
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiting.append($0) }
            } onCancel: {
                // All look again, and the others go on waiting.
                Task { await self.resumeAll() }
            }
        }
    }
}
