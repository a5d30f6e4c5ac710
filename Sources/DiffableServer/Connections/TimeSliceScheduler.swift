import NIOCore

/// One user's share of each round, for all its connections together.
final class UserShare {
    /// Nil for the daemon itself, and for clients without a known user.
    let id: Int?
    fileprivate var reading = TimeSlice()
    fileprivate var serving = TimeSlice()
    fileprivate var longLines = TimeSlice()

    init(_ id: Int?) { self.id = id }

    /// A part of a round, or of the time between two polls of the sockets. It begins when it is first requested.
    fileprivate struct TimeSlice {
        private var number = -1
        private var deadline = NIODeadline.distantPast

        mutating func end(in number: Int, from now: NIODeadline, lasting length: TimeAmount) -> NIODeadline {
            if self.number != number { (self.number, deadline) = (number, now + length) }
            return deadline
        }
    }
}

/// The user of the request that the event loop is processing.
final class ServedUser {
    /// For work that no user asked for.
    let daemon = UserShare(nil)
    private(set) var current: UserShare

    init() { current = daemon }

    @inline(__always)
    func serve(_ user: UserShare, _ body: () -> Void) {
        let before = current
        current = user
        body()
        current = before
    }
}

/// Divides the event loop's time among connections. The time between two polls of the sockets is a round. All time
/// slices (turns) of a round share its time, and each user has a share of it, regardless of the user's number of
/// connections. So a client with one line waits about as long for thousands of lines of another user as for a few.
///
/// Slices are short while several clients send. A client that sends alone gets longer ones, because the more changes
/// become visible together, the less it costs to notify subscribers.
struct TimeSliceScheduler {
    let served: ServedUser
    /// The end of the current round. Nil before its first slice.
    private var end: NIODeadline?
    /// The number of known polls of the sockets.
    private(set) var polls = 0
    /// The number of the connection that read last.
    private var lastReader = 0
    /// The end of the period of short slices, after a different connection has read.
    private var shortUntil = NIODeadline.distantPast
    /// The user of the connection that read last. Nil before the first one.
    private var lastUser: Int??
    /// The end of the period in which several users count as active.
    private var sharedUntil = NIODeadline.distantPast
    private var round = 0

    private static let length = TimeAmount.milliseconds(4)
    private static let shortLength = TimeAmount.microseconds(250)
    /// How long after sending a client counts as active.
    private static let remembrance = TimeAmount.milliseconds(100)
    /// The time for writing a user's long lines between two polls of the sockets, for all its connections together.
    /// Without this limit, clients that read fast would keep the event loop from its sockets.
    private static let lengthOfMuch = TimeAmount.milliseconds(1)
    /// The minimum length of each slice, regardless of their number.
    private static let turnLengthMin = TimeAmount.microseconds(50)
    /// A user's share of a round while other users are active.
    private static let shareLength = TimeAmount.milliseconds(1)
    /// How long after its last request a user counts as active.
    private static let shareRemembrance = TimeAmount.seconds(1)

    init(_ served: ServedUser = ServedUser()) { self.served = served }

    /// Whether a connection may read now. False if its user's other connections have used up the user's share of this
    /// round.
    mutating func mayRead(_ number: Int, of user: UserShare, at now: @autoclosure () -> NIODeadline) -> Bool {
        // Its own slice ends soon enough.
        if number == lastReader { return true }
        let now = now()
        noteReading(of: user, at: now)
        return now <= user.reading.end(in: round, from: now, lasting: share(at: now))
    }

    mutating func noteReading(of user: UserShare, at now: NIODeadline) {
        if lastUser == .some(user.id) { return }
        if lastUser != nil { sharedUntil = now + Self.shareRemembrance }
        lastUser = .some(user.id)
    }

    /// The time until which a user's connections are served before the next poll of the sockets. A connection with many
    /// lines becomes due again and again, so iterations of the event loop can follow each other without a poll.
    func servingEnd(of user: UserShare, from now: NIODeadline) -> NIODeadline {
        user.serving.end(in: polls, from: now, lasting: share(at: now))
    }

    func share(at now: NIODeadline) -> TimeAmount { isShared(at: now) ? Self.shareLength : Self.length }

    func isShared(at now: NIODeadline) -> Bool { now < sharedUntil }

    mutating func noteReading(_ number: Int, at now: @autoclosure () -> NIODeadline = .now()) {
        if number == lastReader { return }
        lastReader = number
        shortUntil = now() + Self.remembrance
    }

    /// The end of a slice that begins now.
    mutating func timeSliceEnd(from now: NIODeadline) -> NIODeadline {
        let end = end ?? now + (now < shortUntil ? Self.shortLength : Self.length)
        self.end = end
        return max(end, now + Self.turnLengthMin)
    }

    /// Whether the current user has room for the line of a slow subscriber, or for more of a long line.
    func hasRoomForLongLines(at now: NIODeadline) -> Bool {
        now <= served.current.longLines.end(in: polls, from: now, lasting: Self.lengthOfMuch)
    }

    /// Ends the round. The sockets are polled next, unless more work is due at once.
    mutating func finish() {
        end = nil
        round += 1
    }

    mutating func notePoll() {
        polls += 1
    }
}
