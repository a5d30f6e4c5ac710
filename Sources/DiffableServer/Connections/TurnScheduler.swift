import NIOCore

/// The part of each round that one user gets, for all its connections together.
final class UserTurn {
    /// Nil for the daemon itself, and for clients without a user that the kernel knows.
    let id: Int?
    fileprivate var reading = Part()
    fileprivate var serving = Part()
    fileprivate var longLines = Part()

    init(_ id: Int?) { self.id = id }

    /// A part of a round, or of the time between two looks at the sockets. It begins when it is first asked for.
    fileprivate struct Part {
        /// The number of that round or look.
        private var number = -1
        private var deadline = NIODeadline.distantPast

        mutating func end(in number: Int, from now: NIODeadline, lasting length: TimeAmount) -> NIODeadline {
            if self.number != number { (self.number, deadline) = (number, now + length) }
            return deadline
        }
    }
}

/// The user of the request that the event loop is working on.
final class ServedUser {
    /// The daemon, for work that no user has asked for.
    let daemon = UserTurn(nil)
    private(set) var current: UserTurn

    init() { current = daemon }

    @inline(__always)
    func serve(_ user: UserTurn, _ body: () -> Void) {
        let before = current
        current = user
        body()
        current = before
    }
}

/// How long connections may read and write before other connections do. The time between two looks at the sockets is a
/// round. All turns of a round share its time, and each user has a part of it, however many connections the user has. So a
/// client with one line waits about as long for thousands of lines of another user as for a few.
///
/// Turns are short while several clients send. A client that sends alone has longer ones, because the more changes become
/// visible in one turn, the less it costs to tell subscribers.
struct TurnScheduler {
    let served: ServedUser
    /// When this one is over; nil before the first turn.
    private var end: NIODeadline?
    /// How often the sockets were looked at, as far as that is known.
    private(set) var looks = 0
    /// The number of the connection that read last.
    private var lastReader = 0
    /// Another read a short while before.
    private var shortUntil = NIODeadline.distantPast
    /// The user of the connection that read last. Nil before the first one.
    private var lastUser: Int??
    /// Connections of another user read a while before.
    private var sharedUntil = NIODeadline.distantPast
    private var round = 0

    private static let length = TimeAmount.milliseconds(4)
    private static let shortLength = TimeAmount.microseconds(250)
    /// How long a client that has sent something is reckoned with.
    private static let remembrance = TimeAmount.milliseconds(100)
    /// How long a user's long lines are written between two looks at the sockets, however many connections they are for.
    /// Without this limit, clients that read fast would keep the event loop from its sockets.
    private static let lengthOfMuch = TimeAmount.milliseconds(1)
    /// Each turn has at least so much, however many there are.
    private static let turnLengthMin = TimeAmount.microseconds(50)
    /// A user's part of a round while other users are active.
    private static let shareLength = TimeAmount.milliseconds(1)
    /// How long after its last request a user counts as active.
    private static let shareRemembrance = TimeAmount.seconds(1)

    init(_ served: ServedUser = ServedUser()) { self.served = served }

    /// Whether a connection may read now, or its user's other connections have used up the user's part of this round.
    mutating func mayRead(_ number: Int, of user: UserTurn, at now: @autoclosure () -> NIODeadline) -> Bool {
        // Its own turn ends soon enough.
        if number == lastReader { return true }
        let now = now()
        noteReading(of: user, at: now)
        return now <= user.reading.end(in: round, from: now, lasting: share(at: now))
    }

    /// Requests of this user are read.
    mutating func noteReading(of user: UserTurn, at now: NIODeadline) {
        if lastUser == .some(user.id) { return }
        if lastUser != nil { sharedUntil = now + Self.shareRemembrance }
        lastUser = .some(user.id)
    }

    /// When a user's connections have been served for long enough until the next look at the sockets. A connection with many
    /// lines becomes due again and again, so iterations of the event loop can follow each other without a look.
    func servingEnd(of user: UserTurn, from now: NIODeadline) -> NIODeadline {
        user.serving.end(in: looks, from: now, lasting: share(at: now))
    }

    /// A user's part of a round.
    func share(at now: NIODeadline) -> TimeAmount { isShared(at: now) ? Self.shareLength : Self.length }

    /// Whether several users are active.
    func isShared(at now: NIODeadline) -> Bool { now < sharedUntil }

    /// The connection with this number reads lines.
    mutating func noteReading(_ number: Int, at now: @autoclosure () -> NIODeadline = .now()) {
        if number == lastReader { return }
        lastReader = number
        shortUntil = now() + Self.remembrance
    }

    /// Until when the turn lasts that begins now.
    mutating func turnEnd(from now: NIODeadline) -> NIODeadline {
        let end = end ?? now + (now < shortUntil ? Self.shortLength : Self.length)
        self.end = end
        return max(end, now + Self.turnLengthMin)
    }

    /// Whether the served user has room for the line of a slow subscriber, or for more of a long line.
    func hasRoomForMuch(at now: NIODeadline) -> Bool {
        now <= served.current.longLines.end(in: looks, from: now, lasting: Self.lengthOfMuch)
    }

    /// The sockets are looked at next, if nothing is left that can be done at once.
    mutating func finish() {
        end = nil
        round += 1
    }

    /// The sockets have been looked at.
    mutating func noteLook() {
        looks += 1
    }
}
