import Diffable
import DiffableProtocol
import DiffableStore
import NIOCore

/// The handlers of lists, and the open requests to them. Carries out the decisions of the `HandlerMachine`: it knows
/// the store, the clients that wait for answers, and the connections to send to.
///
/// It lives on the event loop, with the hub.
final class Handlers {
    private let store: Store
    private var machine: HandlerMachine
    private var asks: [HandlerMachine.AskID: ForwardedRequest] = [:]
    /// Connections that have been handlers, by their numbers.
    private var connections: [Int: Connection] = [:]
    /// The bytes that each handler has counted in its user's quota.
    private var lengths: [HandlerMachine.HandlerID: Int] = [:]
    private var timers: DeadlineTimers<ForwardedRequest>?
    /// Called when the requests of a list that are handled, or its actions, have changed.
    var onChange: (ListName) -> Void = { _ in }

    init(_ limits: ServerLimits, _ store: Store, on eventLoop: any EventLoop) {
        self.store = store
        machine = HandlerMachine(HandlerMachine.Limits(limits))
        timers = DeadlineTimers(on: eventLoop) { [unowned self] in timeOut($0) }
    }

    func apply(_ limits: ServerLimits) { machine.apply(HandlerMachine.Limits(limits)) }

    // MARK: Handlers

    func handle(_ request: Request.Handle, by connection: Connection) throws(HandlerMachine.HandleError) -> Int {
        var actions: [HandlerMachine.Action] = []
        let id = try machine.handle(request, by: connection.number, &actions)
        connections[connection.number] = connection
        connection.isHandler = true
        carryOut(actions)
        let length = Self.length(of: request)
        lengths[id] = length
        connection.quota.register(length)
        onChange(request.list)
        return id.number
    }

    /// The memory of a handler, in bytes.
    static func length(of request: Request.Handle) -> Int {
        let actions = request.actions ?? []
        return 1_024 + actions.reduce(0) { $0 + 192 + $1.record.withID { $0.count } }
    }

    /// Ends a handler. Returns false if the connection has no such handler.
    func unhandle(_ number: Int, by connection: Connection) -> Bool {
        change { $0.unhandle(number, by: connection.number, &$1) }
    }

    /// Ends the handlers of a connection that answers no more requests.
    func endHandlers(of connection: Connection) { change { $0.endHandlers(of: connection.number, &$1) } }

    /// Ends the asks of a connection that reads no more replies.
    func endAsks(of connection: Connection) { change { $0.endAsks(of: connection.number, &$1) } }

    /// Ends the handlers and asks of a closed connection.
    func end(_ connection: Connection) {
        change { $0.endConnection(connection.number, &$1) }
        connections[connection.number] = nil
    }

    func endList(_ list: ListName) { change { $0.endList(list, &$1) } }

    /// Ends the handlers of a list that have lost their rights.
    func reevaluate(_ list: ListName) {
        for id in machine.handlers(of: list) {
            guard let handler = machine.handlers[id], let connection = connections[id.connection] else { continue }
            if store.mayHandle(list, handler.requests, connection.peer) { continue }
            change { $0.end(id, .permissionDenied, &$1) }
        }
    }

    /// Ends the handlers of lists that the connection gave up.
    func endOutOfScope(_ connection: Connection) {
        for id in machine.handlers(of: connection.number) {
            guard let handler = machine.handlers[id], !connection.peer.isInScope(handler.list) else { continue }
            change { $0.end(id, .permissionDenied, &$1) }
        }
    }

    /// Ends all handlers, because no more answers are read.
    func drain() {
        for connection in connections.values { endHandlers(of: connection) }
    }

    // MARK: Questions

    func isHandled(_ list: ListName, _ subject: HandlerMachine.Subject) -> Bool {
        machine.handler(of: list, for: subject) != nil
    }

    func handledKinds(of list: ListName) -> Set<HandlerRequestKind> { machine.handledList(list)?.handles ?? [] }

    /// The actions that the handlers of a list named; nil if no handler named any.
    func actions(of list: ListName) -> [ActionName]? { machine.actions(of: list) }

    /// Adds the handled requests to a summary.
    func completed(_ summary: Reply.ListSummary, namingActions: Bool) -> Reply.ListSummary {
        guard let handled = machine.handledList(summary.list) else { return summary }
        var summary = summary
        summary.handles = handled.handles
        if namingActions { summary.actions = machine.actions(of: summary.list) }
        return summary
    }

    func handlers(of connection: Connection, namingActions: Bool) -> [Reply.Client.Handler] {
        machine.handlers(of: connection.number).compactMap { id in
            machine.handlers[id].map {
                Reply.Client.Handler(
                    handler: id.number, list: $0.list, requests: $0.requests, actions: namingActions ? $0.actions : nil,
                    pendingRequests: $0.open.count)
            }
        }
    }

    // MARK: Asking

    /// Sends an ask to the handler, about a state of the list that is on disk.
    func ask(
        _ ask: ForwardedRequest, _ subject: HandlerMachine.Subject, about state: ListState,
        _ content: HandlerRequest.Content
    ) throws(HandlerMachine.AskError) {
        var actions: [HandlerMachine.Action] = []
        let asker = ask.connection
        let number = try machine.ask(
            subject, of: ask.list, by: asker.number, until: ask.deadline, &actions
        ) { handler, request in
            let mayRead = connections[handler.connection].map { store.mayRead(ask.list, by: $0) } ?? false
            return HandlerRequest(
                handler: handler.number, request: request, list: ask.list, content: content,
                revision: mayRead ? state.revision : nil, from: asker.identity)
        }
        asks[number] = ask
        ask.number = number
        carryOut(actions, about: state)
    }

    /// Takes the content of a request that can be sent now; nil if the request is over.
    func takeRequest(_ number: Int) -> HandlerRequest? { machine.takeRequest(number) }

    private func timeOut(_ ask: ForwardedRequest) {
        if let number = ask.number { change { $0.timeOut(number, &$1) } }
    }

    // MARK: Answering

    /// Returns the asks that wait for this answer.
    func answer(
        _ answer: Request.Answer, by connection: Connection
    ) throws(HandlerMachine.AnswerError) -> [ForwardedRequest] {
        var actions: [HandlerMachine.Action] = []
        try machine.answer(
            answer.request, hasOperations: answer.hasOperations, by: connection.number, &actions)
        var answered: [ForwardedRequest] = []
        for action in actions {
            if case .reply(let number, .answered) = action, let ask = asks.removeValue(forKey: number) {
                answered.append(ask)
            } else {
                carryOut([action])
            }
        }
        return answered
    }

    // MARK: Carrying out

    private func change<Result>(
        _ body: (inout HandlerMachine, inout [HandlerMachine.Action]) -> Result
    ) -> Result {
        var actions: [HandlerMachine.Action] = []
        let result = body(&machine, &actions)
        carryOut(actions)
        return result
    }

    /// - Parameter state: the list's state that a new request is about.
    private func carryOut(_ actions: [HandlerMachine.Action], about state: ListState? = nil) {
        for (id, list) in machine.takeEndedHandlers() {
            if let length = lengths.removeValue(forKey: id) { connections[id.connection]?.quota.register(-length) }
            onChange(list)
        }
        for action in actions {
            switch action {
            case .notify(let handler, let request):
                connections[handler.connection]?.queue(request: request, about: state)
            case .drop(let handler, _): noteDropped(connections[handler.connection])
            case .cancel(let handler, let list, let request, let reason):
                connections[handler.connection]?.notify(
                    .requestCancelled(handler: handler.number, request: request, list: list, reason))
            case .tellEnd(let handler, let list, let reason):
                connections[handler.connection]?.notify(
                    .handlerEnded(handler: handler.number, list: list, reason))
            case .reply(let number, let ending):
                guard let ask = asks.removeValue(forKey: number) else { continue }
                ask.refuse(WireError(ending, of: ask))
            case .setTimer(let number, let time): if let ask = asks[number] { timers?.set(time, for: ask) }
            case .cancelTimer(let number): cancelTimer(number)
            }
        }
    }

    /// Cancels the timer of an ask, and abandons the ask if its connection has ended: no other action follows for it.
    private func cancelTimer(_ number: HandlerMachine.AskID) {
        guard let ask = asks[number] else { return }
        timers?.cancel(ask.deadline, for: ask)
        if ask.connection.context != nil { return }
        asks[number] = nil
        ask.abandon()
    }

    private func noteDropped(_ connection: Connection?) {
        guard let connection, connection.session.unordered.noteDropped() else { return }
        connection.session.unordered.removeDropped { !machine.isOpen($0) }
    }
}

extension HandlerMachine.Limits {
    init(_ limits: ServerLimits) {
        self.init(
            handlersPerConnectionMax: limits.handlersPerConnectionMax,
            requestsPerHandlerMax: limits.requestsPerHandlerMax)
    }
}

extension Request.Answer {
    fileprivate var hasOperations: Bool {
        if case .consent(_, operations: .some) = verdict { true } else { false }
    }
}

extension Store {
    fileprivate nonisolated func mayHandle(_ list: ListName, _ requests: Set<HandlerRequestKind>, _ peer: Peer) -> Bool
    {
        assumeIsolated { store in
            (try? store.checkHandling(of: list, seeing: requests.contains(.propose), by: peer)) != nil
        }
    }

    fileprivate nonisolated func mayRead(_ list: ListName, by connection: Connection) -> Bool {
        let peer = connection.peer
        return assumeIsolated { $0.mayRead(list, peer) }
    }
}
