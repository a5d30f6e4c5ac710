import NIOCore

/// When a subscription may be sent a group, and when it owes a bookmark: of one that asked for `minInterval` or for
/// `bookmark`.
struct Pace {
    /// Between the end of a group and the beginning of the next.
    let minInterval: TimeAmount?
    /// Without a line, until a bookmark.
    let bookmark: TimeAmount?
    private var lastGroup: NIODeadline?
    /// Nil before it was first looked at.
    private var lastLine: NIODeadline?

    /// Both in milliseconds; nil when neither is asked for.
    init?(minInterval: Int?, bookmark: Int?) {
        if minInterval == nil, bookmark == nil { return nil }
        self.minInterval = minInterval.map { .milliseconds(Int64($0)) }
        self.bookmark = bookmark.map { .milliseconds(Int64($0)) }
    }

    /// When the next group may begin, if that is not now.
    func earliestGroup(at now: NIODeadline) -> NIODeadline? {
        guard let minInterval, let lastGroup, lastGroup + minInterval > now else { return nil }
        return lastGroup + minInterval
    }

    /// When a bookmark is due if no line comes before.
    var nextBookmark: NIODeadline? {
        guard let bookmark, let lastLine else { return nil }
        return lastLine + bookmark
    }

    /// Time counts from now on, if it did not before.
    mutating func begin(at now: NIODeadline) { lastLine = lastLine ?? now }

    mutating func noteLine(at now: NIODeadline) { lastLine = now }

    mutating func noteGroup(at now: NIODeadline) { lastGroup = now }
}
