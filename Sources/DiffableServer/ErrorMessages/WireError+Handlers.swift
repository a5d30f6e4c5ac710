import Diffable
import DiffableProtocol

// Errors for callers of handlers, and for handlers.

extension WireError {
    static func noHandler(_ list: ListName, _ subject: HandlerMachine.Subject) -> WireError {
        let (what, reason, action): (String, Reason, String?) =
            switch subject {
            case .perform(let action): ("the action \"\(action)\"", .perform, "\(action)")
            case .propose: ("proposals", .propose, nil)
            case .expand: ("the children of items", .expand, nil)
            }
        return WireError(
            .noHandler,
            "no handler is registered for \(what) of the list \"\(list)\"; nothing happened. Start a program that handles this; "
                + "`lists` shows in `handles` the requests that are handled",
            reason, list: list, action: action)
    }

    static func noHandler(number: Int) -> WireError {
        WireError(
            .noHandler,
            "this connection has no handler \(number), or that handler has ended; use a number from one of its `handle` replies"
        )
    }

    static func refused(_ text: String, list: ListName) -> WireError {
        let words = "the handler of the list \"\(list)\" refused the request and gave no reason; nothing happened"
        return WireError(.refused, text.isEmpty ? words : text, list: list)
    }

    /// The same code as for a lost handler, because the caller has to check before it retries.
    static func failed(_ text: String, list: ListName) -> WireError {
        let words =
            "the handler of the list \"\(list)\" failed; it may have carried out the request. Check before you retry"
        return WireError(.handlerLost, text.isEmpty ? words : text, list: list)
    }

    /// The error if a handler's replacement operations cannot be applied.
    var ofHandlersOperations: WireError {
        var error = self
        error.message =
            "the handler replaced the proposed operations with its own, and the daemon could not apply those: \(message)"
        return error
    }

    init(_ ending: HandlerMachine.Outcome, of ask: ForwardedRequest) {
        let list = ask.list
        switch ending {
        case .answered: preconditionFailure("an answer is no error")
        case .timedOut:
            self.init(
                .handlerTimedOut,
                "the handler of the list \"\(list)\" did not answer in time; it may still carry out the request. Check before you retry",
                list: list)
        case .handlerLost(let loss):
            let reason =
                switch loss {
                case .connectionEnded: "its connection ended"
                case .unhandled: "it was unregistered"
                case .ended(.replaced): "another handler replaced it"
                case .ended(.listDeleted): "the list was deleted"
                case .ended(.permissionDenied): "it lost the right to handle the list"
                }
            self.init(
                .handlerLost,
                "the handler of the list \"\(list)\" did not answer (\(reason)); it may have carried out the request. Check "
                    + "before you retry",
                list: list)
        }
    }

    init(_ error: HandlerMachine.HandleError, list: ListName) {
        switch error {
        case .exists(let kind, let action):
            let what = action.map { "the action \"\($0)\"" } ?? "`\(kind.rawValue)`"
            self.init(
                .handlerExists,
                "another handler is registered for \(what) of the list \"\(list)\"; wait until its connection ends, or replace it "
                    + "(`\"replace\":true`)",
                Reason(rawValue: kind.rawValue), list: list, action: action?.description)
        case .tooMany(let max):
            self.init(
                .tooLarge,
                "this connection already has \(max) handlers (handlersPerConnectionMax): end some with `unhandle`, or use another "
                    + "connection",
                list: list, limit: Limit("handlersPerConnectionMax", max: max))
        }
    }

    init(_ error: HandlerMachine.AnswerError, request: Int) {
        switch error {
        case .noSuchRequest:
            self.init(
                .noSuchRequest,
                "no request \(request) is waiting on this connection: it was answered or cancelled, its handler ended, or it belongs to "
                    + "another connection. Answer each request once, on the connection that received it")
        case .notProposed:
            self.init(
                .invalidParams,
                "the request \(request) is not a proposal, so its answer cannot have operations; change the list with `transact`, and then "
                    + "answer")
        }
    }

    static func tooManyForHandler(list: ListName, max: Int) -> WireError {
        WireError(
            .tooLarge,
            "the handler of the list \"\(list)\" has \(max) unanswered requests (requestsPerHandlerMax); nothing happened. Retry when "
                + "it has answered some",
            list: list, limit: Limit("requestsPerHandlerMax", max: max))
    }

    static func tooManyAsked(list: ListName, max: Int) -> WireError {
        WireError(
            .tooLarge,
            "this connection already waits for handlers to answer \(max) requests (requestsPerAskerMax); nothing happened. Retry when "
                + "some are answered",
            list: list, limit: Limit("requestsPerAskerMax", max: max))
    }
}
