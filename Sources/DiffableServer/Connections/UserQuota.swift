import DequeModule
import NIOCore

/// What the connections of one user take together: how many they are, the requests they make, and the bytes that are
/// kept for them.
///
/// Who asks for too much is slowed down: no line of the user's connections is read while the user's requests for this
/// second are used up, or while too many answers wait that the user's programs have not read. Nothing is lost and nobody
/// is thrown out, as when a socket is full, and subscriptions are served on.
final class UserQuota {
    private let hub: Hub
    /// Nil for who has no user that the kernel knows.
    let userID: Int?
    private(set) var numberOfConnections = 0
    /// What is kept of requests that are not complete, in bytes.
    private(set) var requestsLength = 0
    /// And of answers that were not read.
    private(set) var answersLength = 0
    private var bucket: TokenBucket
    private var isFillScheduled = false
    /// Whether no line is read.
    private(set) var isPaused = false
    /// They have lines that were not read, in the order in which they came to wait.
    private var waiting: Deque<Connection> = []

    init(userID: Int?, of hub: Hub) {
        self.userID = userID
        self.hub = hub
        bucket = TokenBucket(rate: hub.limits.requestsPerSecondMax, at: .now())
    }

    // MARK: Connections

    func enter() { numberOfConnections += 1 }

    func leave(_ connection: Connection) {
        numberOfConnections -= 1
        waiting.removeAll { $0 === connection }
    }

    /// Whether it may be forgotten: otherwise somebody could begin anew with each connection.
    var isForgettable: Bool { numberOfConnections == 0 && bucket.rate == 0 }

    // MARK: What is kept

    /// So much more is kept for one of the connections, in bytes.
    func note(requests: Int, answers: Int) {
        requestsLength += requests
        answersLength += answers
        update()
    }

    /// So many bytes more, or less, are kept of what one of the connections asks of handlers.
    func noteAsked(_ length: Int) {
        requestsLength += length
        if length < 0 { update() }
    }

    /// How many bytes more may be kept of requests that are not complete. Those that would be more are refused.
    var roomForRequests: Int { hub.limits.heldLengthMax - requestsLength }

    /// Whether no answer is made before others are read.
    var isOverfull: Bool { answersLength > 0 && requestsLength + answersLength > hub.limits.heldLengthMax }

    // MARK: Requests

    /// A line is taken.
    func noteRequest() {
        bucket.take()
        if bucket.isEmpty { update() }
    }

    /// The limits are others now.
    func applyLimits() {
        if bucket.rate != hub.limits.requestsPerSecondMax {
            bucket = TokenBucket(rate: hub.limits.requestsPerSecondMax, at: .now())
        }
        update()
    }

    // MARK: Pausing

    /// The connection goes on when lines are read again.
    func wait(_ connection: Connection) { waiting.append(connection) }

    private func update() {
        if bucket.isEmpty { bucket.fill(at: .now()) }
        if bucket.isEmpty { scheduleFill() }
        let wasPaused = isPaused
        isPaused = bucket.isEmpty || isOverfull
        if wasPaused && !isPaused { resume() }
    }

    private func scheduleFill() {
        if isFillScheduled { return }
        isFillScheduled = true
        hub.schedule(in: bucket.pause) { [self] in
            isFillScheduled = false
            update()
        }
    }

    /// One line of each in turn, so that one that asks without end leaves the others theirs.
    private func resume() {
        while !isPaused, let connection = waiting.popFirst() { connection.takeTurn() }
    }
}
