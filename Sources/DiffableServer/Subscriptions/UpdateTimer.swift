import NIOCore

/// The time at which a subscription may get its next update, and at which it owes a bookmark. Only for subscriptions
/// with `minInterval` or `bookmark`.
struct UpdateTimer {
    /// Time between the end of an update and the beginning of the next.
    let minInterval: TimeAmount?
    /// Time without a line after which a bookmark is due.
    let bookmark: TimeAmount?
    private var lastGroup: NIODeadline?
    /// Nil until time begins to count.
    private var lastLine: NIODeadline?

    /// Takes both in milliseconds. Returns nil if both are nil.
    init?(minInterval: Int?, bookmark: Int?) {
        if minInterval == nil, bookmark == nil { return nil }
        self.minInterval = minInterval.map { .milliseconds(Int64($0)) }
        self.bookmark = bookmark.map { .milliseconds(Int64($0)) }
    }

    /// Returns the earliest time of the next update, or nil if it may begin now.
    func earliestGroup(at now: NIODeadline) -> NIODeadline? {
        guard let minInterval, let lastGroup, lastGroup + minInterval > now else { return nil }
        return lastGroup + minInterval
    }

    /// The time at which a bookmark is due if no line is sent before.
    var nextBookmark: NIODeadline? {
        guard let bookmark, let lastLine else { return nil }
        return lastLine + bookmark
    }

    /// Begins to count time, if it was not counted before.
    mutating func begin(at now: NIODeadline) { lastLine = lastLine ?? now }

    mutating func noteLine(at now: NIODeadline) { lastLine = now }

    mutating func noteGroup(at now: NIODeadline) { lastGroup = now }
}
