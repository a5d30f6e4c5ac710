import NIOCore

/// How long connections have for their turns: all turns between two looks at the sockets are one round, and share what it
/// has room for, so that a client with one line waits about as long for many who have thousands as for one.
///
/// Turns are short while several clients send. A client that sends alone has longer ones, because the more changes become
/// visible in one turn, the less it costs to tell subscribers.
struct TurnScheduler {
    /// When this one is over; nil before the first turn.
    private var end: NIODeadline?
    /// The number of the connection that read last.
    private var lastReader = 0
    /// Another read a short while before.
    private var shortUntil = NIODeadline.distantPast

    private static let length = TimeAmount.milliseconds(4)
    private static let shortLength = TimeAmount.microseconds(250)
    /// How long a client that has sent something is reckoned with.
    private static let remembrance = TimeAmount.milliseconds(100)
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

    /// The sockets are looked at next.
    mutating func finish() { end = nil }
}
