import DequeModule
import DiffableProtocol
import DiffableStore
import NIOCore

/// The resources of one user's connections: their number, the rate of their requests, and the memory kept for them.
///
/// A user that exceeds a limit is slowed down: no line of its connections is read while its requests for this second
/// are used up, or while too many answers are unread. Nothing is lost and no client is disconnected, as with a full
/// socket, and subscriptions continue.
final class UserQuota {
    private let hub: Hub
    /// Nil for clients without a known user.
    let userID: Int?
    /// The user's share of the event loop's time.
    let turn: UserShare
    private(set) var numberOfConnections = 0
    /// Memory of incomplete requests, in bytes.
    private(set) var requestsLength = 0
    /// Memory of unread answers, in bytes.
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
    /// Whether no lines are read at the moment.
    private(set) var isPaused = false
    /// Connections with unread lines, in the order in which they started to wait.
    private var waiting: Deque<Connection> = []

    init(userID: Int?, of hub: Hub) {
        self.userID = userID
        self.turn = UserShare(userID)
        self.hub = hub
        bucket = TokenBucket(rate: hub.limits.requestsPerSecondMax, at: .now())
    }

    // MARK: Connections

    func addConnection() { numberOfConnections += 1 }

    func removeConnection(_ connection: Connection) {
        numberOfConnections -= 1
        waiting.removeAll { $0 === connection }
        if numberOfConnections == 0 { registerStates(0) }
    }

    /// Whether the quota can be dropped. Otherwise, reconnecting would reset the rate limit.
    var isForgettable: Bool { numberOfConnections == 0 && bucket.rate == 0 && registeredLength == 0 }

    // MARK: What is kept

    /// Counts more memory for one of the connections, in bytes.
    func note(requests: Int, answers: Int) {
        requestsLength += requests
        answersLength += answers
        hub.lengthHeld.add(requests + answers)
        update()
    }

    /// Counts more or less memory of pending requests to handlers, in bytes.
    func countHandlerRequest(_ length: Int) {
        requestsLength += length
        if length < 0 { update() }
    }

    /// Counts the growth of a subscription or a handler, in bytes.
    func register(_ length: Int) {
        registeredLength += length
        hub.lengthHeld.add(length)
    }

    /// Sets the memory of the earlier states that slow clients keep, in bytes.
    func registerStates(_ length: Int) {
        register(length - statesLength)
        statesLength = length
    }

    /// Ends the user's subscriptions to a selection if the user still takes too much memory after this event-loop
    /// iteration.
    func endIfOverLimit(_ selection: LiveSelection) {
        hub.schedule(in: .nanoseconds(0)) { [self] in
            if roomForRegistrations >= 0 { return }
            selection.end(for: self) { [hub] in
                WireError.tooMuchRegistered(list: $0, max: hub.limits.registeredLengthMax)
            }
        }
    }

    /// The bytes left for subscriptions and handlers.
    var roomForRegistrations: Int { hub.limits.registeredLengthMax - registeredLength }

    /// The bytes left for incomplete requests. Requests that would exceed it are refused.
    var roomForRequests: Int { hub.limits.heldLengthMax - requestsLength }

    /// Whether no more answers are made before others are read.
    var isOverfull: Bool { answersLength > 0 && requestsLength + answersLength > hub.limits.heldLengthMax }

    // MARK: Requests

    func noteRequest() {
        bucket.take()
        if bucket.isEmpty { update() }
    }

    // MARK: Commit groups

    /// Counts a change that was added to the gathering commit group. The changes of other users wait for the whole
    /// group, so each user has a limited part of it.
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

    /// The maximum part of a group for one user, in bytes: about 10 ms of the journal's time.
    private static let lengthInGroupMax = 1 << 20
    /// The maximum while other users are active, in bytes.
    private static let lengthInGroupShared = 1 << 18
    /// The cost of a change without its contents, in bytes.
    private static let lengthOfChange = 1 << 10

    func applyLimits() {
        if bucket.rate != hub.limits.requestsPerSecondMax {
            bucket = TokenBucket(rate: hub.limits.requestsPerSecondMax, at: .now())
        }
        update()
    }

    // MARK: Pausing

    func enqueue(_ connection: Connection) { waiting.append(connection) }

    private func update() {
        if bucket.isEmpty { bucket.fill(at: .now()) }
        if bucket.isEmpty { scheduleFill() }
        let wasPaused = isPaused
        isPaused = bucket.isEmpty || isOverfull || isGroupFull
        if wasPaused && !isPaused { resumeWaiting() }
    }

    private func scheduleFill() {
        if isFillScheduled { return }
        isFillScheduled = true
        hub.schedule(in: bucket.pause) { [self] in
            isFillScheduled = false
            update()
        }
    }

    /// Lets each connection read one line in turn, so that a connection that sends endlessly leaves time for the
    /// others. Stops when the user's share of the time until the next poll of the sockets is used up, and continues
    /// after that poll. Otherwise consecutive commit groups could keep the event loop from its sockets.
    private func resumeWaiting() {
        if isResumePostponed { return }
        var now = NIODeadline.now()
        hub.turns.noteReading(of: turn, at: now)
        let end = hub.turns.servingEnd(of: turn, from: now)
        while !isPaused, now <= end, let connection = waiting.popFirst() {
            connection.readOneLine()
            now = .now()
        }
        if isPaused || waiting.isEmpty { return }
        isResumePostponed = true
        hub.postpone(self)
    }

    func resumePostponed() {
        isResumePostponed = false
        if !isPaused { resumeWaiting() }
    }
}
