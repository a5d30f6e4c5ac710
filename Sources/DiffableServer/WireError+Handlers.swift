import Diffable
import DiffableProtocol

// What those are told who ask handlers, and who are handlers.

extension WireError {
    static func noHandler(_ list: ListName, _ subject: HandlerMachine.Subject) -> WireError {
        let what =
            switch subject {
            case .perform(let action): "the action \"\(action)\""
            case .propose: "proposals"
            case .expand: "the children of items"
            }
        return WireError(
            .noHandler,
            "nobody answers for \(what) of the list \"\(list)\" now, and nothing happened; `lists` shows in `handles` what is "
                + "answered for",
            list: list)
    }

    static func noHandler(number: Int) -> WireError {
        WireError(
            .noHandler, "this connection has no handler \(number); the replies to `handle` say their numbers")
    }

    static func refused(_ text: String, list: ListName) -> WireError {
        WireError(.refused, text.isEmpty ? "the handler of the list \"\(list)\" refused" : text, list: list)
    }

    /// As if the handler had gone: who asked is to look before it asks again.
    static func failed(_ text: String, list: ListName) -> WireError {
        let words =
            "the handler of the list \"\(list)\" failed; it may have done what was asked: look before you ask again"
        return WireError(.handlerLost, text.isEmpty ? words : text, list: list)
    }

    /// What a handler gave instead of what was proposed does not fit.
    var ofHandlersOperations: WireError {
        var error = self
        error.message = "what the handler gave instead of the proposal was not applied: \(message)"
        return error
    }

    init(_ ending: HandlerMachine.Ending, of ask: Ask) {
        let list = ask.list
        switch ending {
        case .answered: preconditionFailure("an answer is no error")
        case .timedOut:
            self.init(
                .handlerTimedOut,
                "the handler of the list \"\(list)\" did not answer in time; it may still do what was asked: look before you ask "
                    + "again",
                list: list)
        case .handlerLost(let loss):
            let reason =
                switch loss {
                case .connectionEnded: "its connection ended"
                case .unhandled: "it gave up"
                case .ended(.replaced): "another has taken its place"
                case .ended(.listDeleted): "the list was deleted"
                case .ended(.permissionDenied): "it may not answer for the list any more"
                }
            self.init(
                .handlerLost,
                "the handler of the list \"\(list)\" did not answer (\(reason)); it may have done what was asked: look before "
                    + "you ask again",
                list: list)
        }
    }

    init(_ error: HandlerMachine.HandleError, list: ListName) {
        switch error {
        case .exists(let kind, let action):
            let what = action.map { "the action \"\($0)\"" } ?? "`\(kind.rawValue)`"
            self.init(
                .handlerExists,
                "another handler answers for \(what) of the list \"\(list)\" already; it ends with its connection, or when it is "
                    + "replaced (`\"replace\":true`)",
                list: list)
        case .tooMany(let max):
            self.init(
                .tooLarge,
                "this connection has \(max) handlers, which is handlersPerConnectionMax: end some with `unhandle`, or use "
                    + "another connection",
                list: list, limit: Limit("handlersPerConnectionMax", max: max))
        }
    }

    init(_ error: HandlerMachine.AnswerError, request: Int) {
        switch error {
        case .noSuchRequest:
            self.init(
                .noSuchRequest,
                "no request \(request) waits for an answer of this connection: it was answered, was cancelled, is over with its "
                    + "handler, or is somebody else's")
        case .notProposed:
            self.init(
                .invalidParams,
                "the request \(request) is no proposal, so the answer to it takes no operations; change the list by `transact`, "
                    + "and then answer")
        }
    }

    static func tooManyForHandler(list: ListName, max: Int) -> WireError {
        WireError(
            .tooLarge,
            "the handler of the list \"\(list)\" has \(max) requests to answer, which is requestsPerHandlerMax; nothing "
                + "happened: ask again when it has answered some",
            list: list, limit: Limit("requestsPerHandlerMax", max: max))
    }

    static func tooManyAsked(list: ListName, max: Int) -> WireError {
        WireError(
            .tooLarge,
            "this connection waits for the answers of handlers to \(max) requests, which is requestsPerAskerMax; nothing "
                + "happened: ask again when some are answered",
            list: list, limit: Limit("requestsPerAskerMax", max: max))
    }
}
