import DequeModule
import DiffableProtocol
import DiffableStore
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
    /// The user's part of the event loop's time.
    let turn: UserTurn
    private(set) var numberOfConnections = 0
    /// What is kept of requests that are not complete, in bytes.
    private(set) var requestsLength = 0
    /// And of answers that were not read.
    private(set) var answersLength = 0
    /// Memory of subscriptions and handlers, in bytes. Includes `statesLength`.
    private(set) var registeredLength = 0
    /// Memory of the earlier states of lists that slow clients keep, in bytes.
    private(set) var statesLength = 0
    private var bucket: TokenBucket
    private var isFillScheduled = false
    private var isResumePostponed = false
    /// The commit group that `lengthInGroup` counts for.
    private var group = 0
    /// The length of this user's changes in the gathering commit group, in bytes.
    private var lengthInGroup = 0
    private var isGroupFull = false
    /// Whether no line is read.
    private(set) var isPaused = false
    /// They have lines that were not read, in the order in which they came to wait.
    private var waiting: Deque<Connection> = []

    init(userID: Int?, of hub: Hub) {
        self.userID = userID
        self.turn = UserTurn(userID)
        self.hub = hub
        bucket = TokenBucket(rate: hub.limits.requestsPerSecondMax, at: .now())
    }

    // MARK: Connections

    func enter() { numberOfConnections += 1 }

    func leave(_ connection: Connection) {
        numberOfConnections -= 1
        waiting.removeAll { $0 === connection }
        if numberOfConnections == 0 { registerStates(0) }
    }

    /// Whether it may be forgotten: otherwise somebody could begin anew with each connection.
    var isForgettable: Bool { numberOfConnections == 0 && bucket.rate == 0 && registeredLength == 0 }

    // MARK: What is kept

    /// So much more is kept for one of the connections, in bytes.
    func note(requests: Int, answers: Int) {
        requestsLength += requests
        answersLength += answers
        hub.lengthHeld.add(requests + answers)
        update()
    }

    /// So many bytes more, or less, are kept of what one of the connections asks of handlers.
    func noteAsked(_ length: Int) {
        requestsLength += length
        if length < 0 { update() }
    }

    /// Counts the growth of a subscription or a handler, in bytes.
    func register(_ length: Int) {
        registeredLength += length
        hub.lengthHeld.add(length)
    }

    /// Counts the earlier states of lists that slow clients keep, in bytes.
    func registerStates(_ length: Int) {
        register(length - statesLength)
        statesLength = length
    }

    /// Ends the user's subscriptions that depend on a selection, if the user still takes too much memory after this iteration
    /// of the event loop.
    func endLater(_ selection: LiveSelection) {
        hub.schedule(in: .nanoseconds(0)) { [self] in
            if roomForRegistrations >= 0 { return }
            selection.end(for: self) { [hub] in
                WireError.tooMuchRegistered(list: $0, max: hub.limits.registeredLengthMax)
            }
        }
    }

    /// The bytes left for subscriptions and handlers.
    var roomForRegistrations: Int { hub.limits.registeredLengthMax - registeredLength }

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

    // MARK: Commit groups

    /// Counts a change that was added to the gathering commit group. The changes of other users wait for the whole group, so
    /// each user has a limited part of it.
    /// - Returns: whether no more lines are read until `endGroup`.
    func noteChange(length: Int, in group: Int) -> Bool {
        if group != self.group { (self.group, lengthInGroup) = (group, 0) }
        lengthInGroup += length + Self.lengthOfChange
        guard !isGroupFull, lengthInGroup > Self.lengthInGroupShared,
            lengthInGroup > Self.lengthInGroupMax || hub.turns.isShared(at: .now())
        else { return false }
        isGroupFull = true
        update()
        return true
    }

    func endGroup() {
        isGroupFull = false
        update()
    }

    /// The longest part of a group for one user, in bytes: about 10 ms of the journal's time.
    private static let lengthInGroupMax = 1 << 20
    /// The same while other users are active.
    private static let lengthInGroupShared = 1 << 18
    /// The cost of a change without its contents, in bytes.
    private static let lengthOfChange = 1 << 10

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
        isPaused = bucket.isEmpty || isOverfull || isGroupFull
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

    /// Lets each connection read one line in turn, so that a connection that sends without end leaves the others time. This
    /// ends with the user's part of the time until the next look at the sockets, and continues after that look. Otherwise
    /// commit groups that follow each other could keep the event loop from its sockets.
    private func resume() {
        if isResumePostponed { return }
        var now = NIODeadline.now()
        hub.turns.noteReading(of: turn, at: now)
        let end = hub.turns.servingEnd(of: turn, from: now)
        while !isPaused, now <= end, let connection = waiting.popFirst() {
            connection.takeTurn()
            now = .now()
        }
        if isPaused || waiting.isEmpty { return }
        isResumePostponed = true
        hub.postpone(self)
    }

    /// The sockets have been looked at.
    func resumePostponed() {
        isResumePostponed = false
        if !isPaused { resume() }
    }
}
