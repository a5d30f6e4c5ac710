import Diffable
import DiffableProtocol
import TestSupport

@testable import DiffableServer

/// Handlers among random events: connections that handle, ask, answer (correctly, unasked, late or twice), give up and end;
/// deleted lists; lost rights; time. After each event, the machine's actions are compared with a naive model.
final class HandlerRun {
    private struct Registered {
        let id: HandlerMachine.HandlerID
        let list: ListName
        let requests: Set<HandlerRequestKind>
        let actions: Set<ActionName>?

        func answers(for subject: HandlerMachine.Subject, of list: ListName) -> Bool {
            guard self.list == list, requests.contains(subject.kind) else { return false }
            if case .perform(let action) = subject, let actions { return actions.contains(action) }
            return true
        }

        func overlaps(with other: Registered) -> Bool {
            guard list == other.list else { return false }
            return requests.intersection(other.requests).contains { kind in
                guard kind == .perform, let mine = actions, let others = other.actions else { return true }
                return !mine.isDisjoint(with: others)
            }
        }
    }

    private struct Asked {
        let number: Int
        let handler: HandlerMachine.HandlerID
        let list: ListName
        let subject: HandlerMachine.Subject
        var isSent = false
        var asks: [(id: HandlerMachine.AskID, asker: Int)]
    }

    private var random: SplitMix64
    private var machine: HandlerMachine
    private let handlersMax: Int
    private let requestsMax: Int
    private var registered: [Registered] = []
    private var asked: [Asked] = []
    private var requestsMade = 0
    private var handlersMade: [Int: Int] = [:]
    private var repliedTo: Set<HandlerMachine.AskID> = []
    /// The number of all requests so far, for late answers.
    private(set) var asksMade = 0
    private(set) var answers = 0

    private static let lists: [ListName] = ["a", "b"]
    private static let names: [ActionName] = ["x", "y", "z"]
    private static let items: [ItemID] = ["i", "j"]

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        handlersMax = Int.random(in: 1...4, using: &random)
        requestsMax = Int.random(in: 1...5, using: &random)
        self.random = random
        machine = HandlerMachine(.init(handlersPerConnectionMax: handlersMax, requestsPerHandlerMax: requestsMax))
    }

    private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private func chance(_ percent: Int) -> Bool { number(0...99) < percent }
    private func any<Element>(of elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }
    private var anyConnection: Int { number(1...4) }

    // MARK: Events

    func run(events: Int) throws {
        for _ in 0..<events {
            switch number(0...29) {
            case 0...4: try handle()
            case 5: if chance(30) { try unhandle() }
            case 6...12: try ask()
            case 13...18: try send()
            case 19...25: try answer()
            case 26, 27: try timeOut()
            case 28: if chance(60) { try endConnection(anyConnection) } else { try endHandlers(of: anyConnection) }
            default: if chance(50) { try endList() } else { try loseRight() }
            }
            try compareCounts()
        }
    }

    /// Ends all connections, and checks that nothing is left.
    func finish() throws {
        for connection in 1...4 { try endConnection(connection) }
        try compareCounts()
        guard machine.openAskCount == 0, machine.openRequestCount == 0, machine.handlers.isEmpty else {
            throw SessionFailure("something is left when all are gone")
        }
        for list in Self.lists {
            guard machine.handledList(list) == nil else { throw SessionFailure("a list is handled by nobody") }
        }
    }

    private func handle() throws {
        let connection = anyConnection
        var requests = Set(HandlerRequestKind.allCases.filter { _ in chance(50) })
        if requests.isEmpty { requests = [any(of: HandlerRequestKind.allCases)] }
        let names = Self.names.filter { _ in chance(40) }
        let actions = requests.contains(.perform) && !names.isEmpty ? names : nil
        let existing: ExistingHandler = chance(30) ? .isReplaced : .isError
        let request = Request.Handle(
            list: any(of: Self.lists), requests: requests, actions: actions, existing: existing)
        let id = HandlerMachine.HandlerID(connection: connection, number: handlersMade[connection, default: 0] + 1)
        let new = Registered(id: id, list: request.list, requests: requests, actions: actions.map(Set.init))

        let others = registered.filter { $0.overlaps(with: new) }
        let isTaken = !others.isEmpty && existing == .isError
        let rest = registered.count { $0.id.connection == connection && !others.map(\.id).contains($0.id) }
        var got: [HandlerMachine.Action] = []
        let made: HandlerMachine.HandlerID
        do throws(HandlerMachine.HandleError) {
            made = try machine.handle(request, by: connection, &got)
        } catch {
            switch error {
            case .exists: guard isTaken else { throw SessionFailure("nobody else answers for it") }
            case .tooMany(let max):
                guard !isTaken, rest >= handlersMax, max == handlersMax else { throw SessionFailure("it has room") }
            }
            return try compare(got, [])
        }
        guard !isTaken, rest < handlersMax, made == id else { throw SessionFailure("a handler too many") }
        var expected: [HandlerMachine.Action] = []
        for other in others { end(other, .ended(.replaced), &expected) }
        registered.append(new)
        handlersMade[connection] = id.number
        try compare(got, expected)
    }

    private func unhandle() throws {
        let (connection, number) = (anyConnection, number(1...4))
        var got: [HandlerMachine.Action] = []
        let isThere = machine.unhandle(number, by: connection, &got)
        var expected: [HandlerMachine.Action] = []
        let found = registered.first { $0.id == .init(connection: connection, number: number) }
        guard isThere == (found != nil) else { throw SessionFailure("a handler is there for one of two") }
        if let found { end(found, .unhandled, &expected) }
        try compare(got, expected)
    }

    private func ask() throws {
        let (asker, list) = (anyConnection, any(of: Self.lists))
        let subject: HandlerMachine.Subject =
            switch number(0...3) {
            case 0: .propose
            case 1: .perform(any(of: Self.names))
            default: .expand(any(of: Self.items))
            }
        let handler = registered.first { $0.answers(for: subject, of: list) }
        var isShared = false
        if case .expand = subject { isShared = asked.contains { $0.list == list && $0.subject == subject } }
        let isFull = asked.count { $0.handler == handler?.id } >= requestsMax && !isShared
        var got: [HandlerMachine.Action] = []
        let deadline = HandlerMachine.Time(number(1...1_000))
        let id: HandlerMachine.AskID
        do throws(HandlerMachine.AskError) {
            id = try machine.ask(subject, of: list, by: asker, until: deadline, &got) { handler, number in
                Self.request(number, handler, list, subject)
            }
        } catch {
            switch error {
            case .noHandler: guard handler == nil else { throw SessionFailure("there is a handler") }
            case .tooManyForHandler(let max):
                guard handler != nil, isFull, max == requestsMax else { throw SessionFailure("it has room") }
            }
            return try compare(got, [])
        }
        guard let handler, !isFull else { throw SessionFailure("nobody can be asked") }
        asksMade += 1
        var expected = [HandlerMachine.Action.setTimer(id, deadline)]
        if isShared, let position = asked.firstIndex(where: { $0.list == list && $0.subject == subject }) {
            asked[position].asks.append((id, asker))
        } else {
            requestsMade += 1
            asked.append(
                Asked(number: requestsMade, handler: handler.id, list: list, subject: subject, asks: [(id, asker)]))
            expected.append(.notify(handler.id, request: requestsMade))
        }
        try compare(got, expected)
    }

    private static func request(
        _ number: Int, _ handler: HandlerMachine.HandlerID, _ list: ListName, _ subject: HandlerMachine.Subject
    ) -> HandlerRequest {
        let content: HandlerRequest.Content =
            switch subject {
            case .perform(let action): .perform(action, .list, arguments: nil)
            case .propose: .propose([], nil)
            case .expand(let item): .expand(item)
            }
        return HandlerRequest(
            handler: handler.number, request: number, list: list, content: content, revision: 1, from: ClientIdentity())
    }

    /// Lets the connection of a handler take a line.
    private func send() throws {
        guard requestsMade > 0 else { return }
        // Most requests are open and not sent yet.
        let unsent = asked.filter { !$0.isSent }.randomElement(using: &random)?.number
        let number = chance(80) ? unsent ?? 1 : number(1...requestsMade)
        let position = asked.firstIndex { $0.number == number && !$0.isSent }
        let request = machine.takeRequest(number)
        guard (request != nil) == (position != nil) else { throw SessionFailure("a request is sent twice, or never") }
        guard let position, let request else { return }
        guard request.handler == asked[position].handler.number, request.request == number,
            request.list == asked[position].list
        else { throw SessionFailure("another request is sent") }
        asked[position].isSent = true
    }

    private func answer() throws {
        // Most handlers know the request that they answer.
        let known = asked.filter(\.isSent).randomElement(using: &random) ?? asked.randomElement(using: &random)
        let number = chance(80) ? known?.number ?? 1 : number(1...max(1, requestsMade))
        let connection = chance(80) ? known?.handler.connection ?? 1 : anyConnection
        let hasOperations = chance(10)
        let position = asked.firstIndex { $0.number == number && $0.handler.connection == connection && $0.isSent }
        var got: [HandlerMachine.Action] = []
        do throws(HandlerMachine.AnswerError) {
            try machine.answer(number, hasOperations: hasOperations, by: connection, &got)
        } catch {
            let isWrong = position.map { hasOperations && asked[$0].subject != .propose }
            guard isWrong == (error == .notProposed ? true : nil) else { throw SessionFailure("it may be answered") }
            return try compare(got, [])
        }
        guard let position, !hasOperations || asked[position].subject == .propose else {
            throw SessionFailure("nothing waits for that answer")
        }
        answers += 1
        try compare(got, asked.remove(at: position).asks.flatMap { replied($0.id, .answered) })
    }

    private func timeOut() throws {
        guard let request = asked.randomElement(using: &random), let ask = request.asks.randomElement(using: &random)
        else { return }
        var got: [HandlerMachine.Action] = []
        machine.timeOut(ask.id, &got)
        var expected = [HandlerMachine.Action.reply(ask.id, .timedOut)]
        leave(ask.id, .timedOut, &expected)
        try compare(got, expected)
        // The handler registers once.
        var again: [HandlerMachine.Action] = []
        machine.timeOut(ask.id, &again)
        try compare(again, [])
    }

    private func endConnection(_ connection: Int) throws {
        var got: [HandlerMachine.Action] = []
        machine.endConnection(connection, &got)
        var expected: [HandlerMachine.Action] = []
        for ask in asked.flatMap(\.asks) where ask.asker == connection {
            expected.append(.cancelTimer(ask.id))
            leave(ask.id, .askerLost, &expected)
        }
        for handler in registered where handler.id.connection == connection {
            end(handler, .connectionEnded, &expected)
        }
        handlersMade[connection] = nil
        try compare(got, expected)
    }

    private func endHandlers(of connection: Int) throws {
        var got: [HandlerMachine.Action] = []
        machine.endHandlers(of: connection, &got)
        var expected: [HandlerMachine.Action] = []
        for handler in registered where handler.id.connection == connection {
            end(handler, .connectionEnded, &expected)
        }
        try compare(got, expected)
    }

    private func endList() throws {
        let list = any(of: Self.lists)
        var got: [HandlerMachine.Action] = []
        machine.endList(list, &got)
        var expected: [HandlerMachine.Action] = []
        for handler in registered where handler.list == list { end(handler, .ended(.listDeleted), &expected) }
        try compare(got, expected)
    }

    private func loseRight() throws {
        guard let handler = registered.randomElement(using: &random) else { return }
        var got: [HandlerMachine.Action] = []
        machine.end(handler.id, .permissionDenied, &got)
        var expected: [HandlerMachine.Action] = []
        end(handler, .ended(.permissionDenied), &expected)
        try compare(got, expected)
    }

    // MARK: The model

    private func end(_ handler: Registered, _ loss: HandlerMachine.Loss, _ actions: inout [HandlerMachine.Action]) {
        registered.removeAll { $0.id == handler.id }
        for request in asked where request.handler == handler.id {
            if !request.isSent { actions.append(.drop(handler.id, request: request.number)) }
            actions += request.asks.flatMap { replied($0.id, .handlerLost(loss)) }
        }
        asked.removeAll { $0.handler == handler.id }
        if case .ended(let reason) = loss { actions.append(.tellEnd(handler.id, handler.list, reason)) }
    }

    private func replied(_ ask: HandlerMachine.AskID, _ ending: HandlerMachine.Outcome) -> [HandlerMachine.Action] {
        [.cancelTimer(ask), .reply(ask, ending)]
    }

    private func leave(
        _ ask: HandlerMachine.AskID, _ reason: HandlerNotification.CancelReason,
        _ actions: inout [HandlerMachine.Action]
    ) {
        guard let position = asked.firstIndex(where: { $0.asks.contains { $0.id == ask } }) else { return }
        asked[position].asks.removeAll { $0.id == ask }
        guard asked[position].asks.isEmpty else { return }
        let request = asked.remove(at: position)
        actions.append(
            request.isSent
                ? .cancel(request.handler, request.list, request: request.number, reason)
                : .drop(request.handler, request: request.number))
    }

    // MARK: Comparing

    private func compare(_ got: [HandlerMachine.Action], _ expected: [HandlerMachine.Action]) throws {
        for case .reply(let ask, _) in got {
            guard repliedTo.insert(ask).inserted else { throw SessionFailure("\(ask) is answered twice") }
        }
        // The actions of one event are distinct and have no order.
        guard got.count == expected.count, Set(got) == Set(expected) else {
            throw SessionFailure("\(got)\nis done instead of\n\(expected)")
        }
    }

    private func compareCounts() throws {
        guard machine.openRequestCount == asked.count, machine.openAskCount == asked.reduce(0, { $0 + $1.asks.count }),
            Set(machine.handlers.keys) == Set(registered.map(\.id))
        else { throw SessionFailure("more or less is kept than is open") }
        for handler in registered {
            guard machine.handlers[handler.id]?.open == Set(asked.filter { $0.handler == handler.id }.map(\.number))
            else {
                throw SessionFailure("another's requests are open")
            }
        }
        for list in Self.lists {
            let handles = registered.filter { $0.list == list }.reduce(into: Set()) { $0.formUnion($1.requests) }
            guard machine.handledList(list)?.handles ?? [] == handles else {
                throw SessionFailure("\(list) is said to be handled otherwise")
            }
        }
    }
}
