import Diffable
import DiffableProtocol

/// The state machine of all handlers and of the requests to them: which handler handles which list, which requests are
/// open, and which clients wait for each.
///
/// It is a value without a socket, a store or a clock, so that tests can drive it with random events. `Handlers`
/// reports events and carries out the `Action`s that are returned.
///
/// - An **ask** is a client's request to a handler. It gets exactly one `reply`, unless its connection ends before.
/// - A **request** is sent to a handler. Asks to expand the same item share one; otherwise it belongs to one ask. It is
///   open until it is answered, until no client waits for it, or until its handler ends.
struct HandlerMachine {
    typealias ConnectionNumber = Int
    /// In milliseconds of any clock.
    typealias Time = UInt64

    struct HandlerID: Hashable {
        var connection: ConnectionNumber
        /// Counted from 1 on each connection.
        var number: Int
    }

    /// Unique while the daemon runs.
    struct AskID: Hashable {
        fileprivate(set) var number: Int
    }

    struct Handler {
        let list: ListName
        let requests: Set<HandlerRequestKind>
        /// Nil for all.
        let actions: [ActionName]?
        /// The requests that it has not answered.
        fileprivate(set) var open: Set<Int> = []
    }

    /// The next step for `Handlers`.
    enum Action: Hashable {
        /// Send the request to its handler as soon as its connection can take it (`takeRequest`).
        case notify(HandlerID, request: Int)
        /// Drop the request, which was not sent.
        case drop(HandlerID, request: Int)
        /// Notify the handler that the request, which was sent, is over.
        case cancel(HandlerID, ListName, request: Int, HandlerNotification.CancelReason)
        case tellEnd(HandlerID, ListName, HandlerNotification.EndReason)
        /// Answer the ask. Nothing else follows for it.
        case reply(AskID, Outcome)
        /// Report `timeOut` at this time.
        case setTimer(AskID, Time)
        case cancelTimer(AskID)
    }

    enum Outcome: Hashable {
        case answered
        case timedOut
        case handlerLost(Loss)
    }

    /// Why a handler ended before it answered.
    enum Loss: Hashable {
        case connectionEnded
        case unhandled
        case ended(HandlerNotification.EndReason)
    }

    private(set) var limits: Limits
    private(set) var handlers: [HandlerID: Handler] = [:]
    private var lists: [ListName: ListHandlerTable] = [:]
    private var requests: [Int: OpenRequest] = [:]
    private var asks: [AskID: Ask] = [:]
    private var connections: [ConnectionNumber: Peer] = [:]
    private var requestsMade = 0
    private var asksMade = 0
    /// Handlers that have ended since the last `takeEndedHandlers`.
    private var endedHandlers: [(id: HandlerID, list: ListName)] = []

    struct Limits: Equatable {
        var handlersPerConnectionMax: Int
        var requestsPerHandlerMax: Int
    }

    /// A connection while it has handlers or asks.
    private struct Peer {
        var handlersMade = 0
        var handlers: Set<Int> = []
        var asks: Set<AskID> = []
    }

    private struct Ask {
        let asker: ConnectionNumber
        let request: Int
    }

    private struct OpenRequest {
        let handler: HandlerID
        let subject: Subject
        /// Nil after the request was sent.
        var content: HandlerRequest?
        /// The asks that wait for it, in order.
        var asks: [AskID]
    }

    init(_ limits: Limits) { self.limits = limits }

    /// Takes new limits. Existing handlers and requests that exceed them stay.
    mutating func apply(_ limits: Limits) { self.limits = limits }

    // MARK: Questions

    enum Subject: Hashable {
        case perform(ActionName)
        case propose
        case expand(ItemID)

        var kind: HandlerRequestKind {
            switch self {
            case .perform: .perform
            case .propose: .propose
            case .expand: .expand
            }
        }
    }

    func handler(of list: ListName, for subject: Subject) -> HandlerID? { lists[list]?.handler(for: subject) }

    func handledList(_ list: ListName) -> ListHandlerTable? { lists[list] }

    /// The handlers of a list, in the order of their connections.
    func handlers(of list: ListName) -> [HandlerID] { lists[list]?.all.sorted(by: Self.isBefore) ?? [] }

    /// The actions that the handlers of a list named, sorted within each handler. Nil if no handler named any.
    func actions(of list: ListName) -> [ActionName]? {
        let actions = handlers(of: list).compactMap { handlers[$0]?.actions }
        return actions.isEmpty ? nil : Array(actions.joined())
    }

    /// The handlers of a connection, in the order of their creation.
    func handlers(of connection: ConnectionNumber) -> [HandlerID] {
        (connections[connection]?.handlers ?? []).sorted().map { HandlerID(connection: connection, number: $0) }
    }

    func isOpen(_ request: Int) -> Bool { requests[request] != nil }

    var openRequestCount: Int { requests.count }
    var openAskCount: Int { asks.count }

    private static func isBefore(_ a: HandlerID, _ b: HandlerID) -> Bool {
        (a.connection, a.number) < (b.connection, b.number)
    }

    // MARK: Handlers

    enum HandleError: Error, Equatable {
        /// The kind of request, or the action, already has a handler.
        case exists(HandlerRequestKind, ActionName?)
        case tooMany(max: Int)
    }

    mutating func handle(
        _ request: Request.Handle, by connection: ConnectionNumber, _ actions: inout [Action]
    ) throws(HandleError) -> HandlerID {
        let handler = Handler(
            list: request.list, requests: request.requests, actions: request.actions.map { Array(Set($0)).sorted() })
        if request.existing == .isError, let first = lists[request.list]?.overlap(with: handler) {
            throw .exists(first.kind, first.action)
        }
        let replaced = lists[request.list]?.replaced(by: handler) ?? []
        let own = connections[connection]?.handlers.count ?? 0
        guard own - replaced.count(where: { $0.connection == connection }) < limits.handlersPerConnectionMax else {
            throw .tooMany(max: limits.handlersPerConnectionMax)
        }
        for other in replaced.sorted(by: Self.isBefore) { end(other, .replaced, &actions) }
        connections[connection, default: Peer()].handlersMade += 1
        let id = HandlerID(connection: connection, number: connections[connection]?.handlersMade ?? 0)
        connections[connection]?.handlers.insert(id.number)
        handlers[id] = handler
        lists[request.list, default: ListHandlerTable()].add(id, handler)
        return id
    }

    /// Returns false if the connection has no such handler.
    mutating func unhandle(_ number: Int, by connection: ConnectionNumber, _ actions: inout [Action]) -> Bool {
        let id = HandlerID(connection: connection, number: number)
        guard handlers[id] != nil else { return false }
        remove(id, .unhandled, &actions)
        return true
    }

    mutating func end(
        _ id: HandlerID, _ reason: HandlerNotification.EndReason, _ actions: inout [Action]
    ) {
        guard let list = handlers[id]?.list else { return }
        remove(id, .ended(reason), &actions)
        actions.append(.tellEnd(id, list, reason))
    }

    mutating func endList(_ list: ListName, _ actions: inout [Action]) {
        for id in handlers(of: list) { end(id, .listDeleted, &actions) }
    }

    /// Ends the handlers of a connection that reads no more requests, or sends no more answers.
    mutating func endHandlers(of connection: ConnectionNumber, _ actions: inout [Action]) {
        for id in handlers(of: connection) { remove(id, .connectionEnded, &actions) }
    }

    /// Returns the handlers that have ended since the last call.
    mutating func takeEndedHandlers() -> [(id: HandlerID, list: ListName)] {
        defer { endedHandlers = [] }
        return endedHandlers
    }

    private mutating func remove(_ id: HandlerID, _ loss: Loss, _ actions: inout [Action]) {
        guard let handler = handlers.removeValue(forKey: id) else { return }
        endedHandlers.append((id, handler.list))
        connections[id.connection]?.handlers.remove(id.number)
        lists[handler.list]?.remove(id, handler)
        if lists[handler.list]?.isEmpty == true { lists[handler.list] = nil }
        for number in handler.open.sorted() {
            guard let request = requests.removeValue(forKey: number) else { continue }
            if request.content != nil { actions.append(.drop(id, request: number)) }
            for ask in request.asks { reply(ask, .handlerLost(loss), &actions) }
        }
    }

    // MARK: Asking

    enum AskError: Error, Equatable {
        case noHandler
        case tooManyForHandler(max: Int)
    }

    /// Adds an ask. `content` makes the request for its handler, unless the ask shares an existing request.
    mutating func ask(
        _ subject: Subject, of list: ListName, by asker: ConnectionNumber, until deadline: Time,
        _ actions: inout [Action], content: (HandlerID, _ request: Int) -> HandlerRequest
    ) throws(AskError) -> AskID {
        guard let handler = lists[list]?.handler(for: subject) else { throw .noHandler }
        if case .expand(let item) = subject, let shared = lists[list]?.expansions[item] {
            let ask = newAsk(by: asker, for: shared, until: deadline, &actions)
            requests[shared]?.asks.append(ask)
            return ask
        }
        guard handlers[handler]?.open.count ?? 0 < limits.requestsPerHandlerMax else {
            throw .tooManyForHandler(max: limits.requestsPerHandlerMax)
        }
        requestsMade += 1
        let number = requestsMade
        let ask = newAsk(by: asker, for: number, until: deadline, &actions)
        requests[number] = OpenRequest(
            handler: handler, subject: subject, content: content(handler, number), asks: [ask])
        handlers[handler]?.open.insert(number)
        if case .expand(let item) = subject { lists[list]?.expansions[item] = number }
        actions.append(.notify(handler, request: number))
        return ask
    }

    private mutating func newAsk(
        by asker: ConnectionNumber, for request: Int, until deadline: Time, _ actions: inout [Action]
    ) -> AskID {
        asksMade += 1
        let id = AskID(number: asksMade)
        asks[id] = Ask(asker: asker, request: request)
        connections[asker, default: Peer()].asks.insert(id)
        actions.append(.setTimer(id, deadline))
        return id
    }

    /// Takes the content of a request to be sent. Nil if the request is over.
    mutating func takeRequest(_ number: Int) -> HandlerRequest? {
        guard let content = requests[number]?.content else { return nil }
        requests[number]?.content = nil
        return content
    }

    // MARK: Answering

    enum AnswerError: Error, Equatable {
        /// No open request with this number was sent to this connection.
        case noSuchRequest
        /// The answer has operations, but the request is not a proposal. It stays open.
        case notProposed
    }

    /// Answers a request. `actions` has the replies to its asks.
    mutating func answer(
        _ number: Int, hasOperations: Bool, by connection: ConnectionNumber, _ actions: inout [Action]
    ) throws(AnswerError) {
        guard let request = requests[number], request.handler.connection == connection, request.content == nil else {
            throw .noSuchRequest
        }
        if hasOperations, request.subject != .propose { throw .notProposed }
        close(number, request)
        for ask in request.asks { reply(ask, .answered, &actions) }
    }

    private mutating func close(_ number: Int, _ request: OpenRequest) {
        requests[number] = nil
        guard let list = handlers[request.handler]?.list else { return }
        handlers[request.handler]?.open.remove(number)
        if case .expand(let item) = request.subject { lists[list]?.expansions[item] = nil }
    }

    private mutating func reply(_ id: AskID, _ ending: Outcome, _ actions: inout [Action]) {
        guard forget(id) != nil else { return }
        if ending != .timedOut { actions.append(.cancelTimer(id)) }
        actions.append(.reply(id, ending))
    }

    private mutating func forget(_ id: AskID) -> Ask? {
        guard let ask = asks.removeValue(forKey: id) else { return nil }
        connections[ask.asker]?.asks.remove(id)
        return ask
    }

    // MARK: Waiting no more

    /// Ends an ask without an answer.
    mutating func timeOut(_ id: AskID, _ actions: inout [Action]) {
        guard let request = asks[id]?.request else { return }
        reply(id, .timedOut, &actions)
        leave(request, id, .timedOut, &actions)
    }

    /// Ends the asks of a connection that reads no more replies. Its handlers stay.
    mutating func endAsks(of connection: ConnectionNumber, _ actions: inout [Action]) {
        for id in (connections[connection]?.asks ?? []).sorted(by: { $0.number < $1.number }) {
            guard let ask = forget(id) else { continue }
            actions.append(.cancelTimer(id))
            leave(ask.request, id, .askerLost, &actions)
        }
    }

    mutating func endConnection(_ connection: ConnectionNumber, _ actions: inout [Action]) {
        endAsks(of: connection, &actions)
        endHandlers(of: connection, &actions)
        connections[connection] = nil
    }

    /// Removes an ask from a request, which is over after the last one.
    private mutating func leave(
        _ number: Int, _ ask: AskID, _ reason: HandlerNotification.CancelReason, _ actions: inout [Action]
    ) {
        requests[number]?.asks.removeAll { $0 == ask }
        guard let request = requests[number], request.asks.isEmpty else { return }
        close(number, request)
        guard request.content == nil else { return actions.append(.drop(request.handler, request: number)) }
        guard let list = handlers[request.handler]?.list else { return }
        actions.append(.cancel(request.handler, list, request: number, reason))
    }
}
