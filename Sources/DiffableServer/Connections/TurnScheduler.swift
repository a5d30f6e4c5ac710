import NIOCore

/// How long connections have for their turns: all turns between two looks at the sockets are one round, and share what it
/// has room for, so that a client with one line waits about as long for many who have thousands as for one.
///
/// Turns are short while several clients send. A client that sends alone has longer ones, because the more changes become
/// visible in one turn, the less it costs to tell subscribers.
struct TurnScheduler {
    /// When this one is over; nil before the first turn.
    private var end: NIODeadline?
    /// Until when those who are sent much are served before the next look at the sockets. What they are sent can be taken
    /// at once, so that there would be no such look for as long as they read.
    private var endOfMuch: NIODeadline?
    /// How often the sockets were looked at, as far as that is known.
    private(set) var looks = 0
    /// The number of the connection that read last.
    private var lastReader = 0
    /// Another read a short while before.
    private var shortUntil = NIODeadline.distantPast

    private static let length = TimeAmount.milliseconds(4)
    private static let shortLength = TimeAmount.microseconds(250)
    /// How long a client that has sent something is reckoned with.
    private static let remembrance = TimeAmount.milliseconds(100)
    /// Whoever has one line waits for so much of all that is long, however many are sent it.
    private static let lengthOfMuch = TimeAmount.milliseconds(1)
    /// Each turn has at least so much, however many there are.
    private static let turnLengthMin = TimeAmount.microseconds(50)

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

    /// Whether there is room for a line that somebody is behind, or for more of a long one.
    mutating func hasRoomForMuch(at now: NIODeadline) -> Bool {
        guard let endOfMuch else {
            self.endOfMuch = now + Self.lengthOfMuch
            return true
        }
        return now <= endOfMuch
    }

    /// The sockets are looked at next, if nothing is left that can be done at once.
    mutating func finish() { end = nil }

    /// The sockets have been looked at.
    mutating func noteLook() {
        endOfMuch = nil
        looks += 1
    }
}
