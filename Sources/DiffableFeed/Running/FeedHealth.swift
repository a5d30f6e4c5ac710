/// A feed's problems and times, both of its source and of its list.
struct FeedHealth: Equatable {
    var sourceProblem: String?
    var listProblem: String?
    var handlerProblem: String?
    var watchProblem: String?
    /// Whether a user has paused the feed.
    var isPaused = false
    /// The last error of an unreadable line in this run of a stream that only adds items. The next run clears it.
    var omission: String?
    /// The time of the source's next run, in milliseconds since 1970.
    var nextRun: Int?
    /// The time of the next attempt to send the list, in milliseconds since 1970.
    var nextSending: Int?
    /// The time of the last success, in milliseconds since 1970.
    var lastSuccess: Int?

    /// The limit of a message's length in bytes: a source can put long names into messages.
    private static let messageLengthMax = 4_096

    var problem: String? { Self.cut(sourceProblem ?? listProblem ?? handlerProblem ?? watchProblem) }

    /// Whether the list matches the source's last result, even if there is another problem.
    var isFed: Bool { sourceProblem == nil && listProblem == nil && lastSuccess != nil }

    private static func cut(_ message: String?) -> String? {
        guard let message, message.utf8.count > messageLengthMax else { return message }
        return "\(message.prefix(messageLengthMax / 4))…"
    }

    func show(in status: inout FeedStatus) {
        status.state = isPaused ? .paused : problem != nil ? .failing : lastSuccess != nil ? .fed : .waiting
        status.message = problem ?? Self.cut(omission)
        status.lastSuccess = lastSuccess
        status.nextAttempt = isPaused ? nil : sourceProblem == nil && listProblem != nil ? nextSending : nextRun
    }
}
