/// How a feed is doing: where its rows come from, and the list that they go to.
struct FeedHealth: Equatable {
    /// Why nothing comes from the source.
    var sourceProblem: String?
    /// Why what came is not in the list.
    var listProblem: String?
    /// Why nobody answers for the list.
    var handlerProblem: String?
    /// Why it is not heard when the source changes.
    var watchProblem: String?
    /// The error of a line that was left out since the stream began. The next run may bring its item.
    var omission: String?
    /// In milliseconds since 1970: when the source runs again.
    var nextRun: Int?
    /// When the list is sent again.
    var nextSending: Int?
    /// In milliseconds since 1970.
    var lastSuccess: Int?

    var problem: String? { sourceProblem ?? listProblem ?? handlerProblem ?? watchProblem }

    func show(in status: inout FeedStatus) {
        status.state = problem != nil ? .failing : lastSuccess != nil ? .fed : .waiting
        status.message = problem ?? omission
        status.lastSuccess = lastSuccess
        status.nextAttempt = sourceProblem == nil && listProblem != nil ? nextSending : nextRun
    }
}
