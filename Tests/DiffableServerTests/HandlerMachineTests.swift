import Diffable
import DiffableProtocol
import TestSupport
import Testing

@testable import DiffableServer

@Suite struct `Handlers` {
    @Test func `keep their promises, whatever happens in whatever order`() {
        var random = SplitMix64()
        var (runs, asks, answers) = (0, 0, 0)
        while runs < 400 || (asks <= 1_500 || answers <= 400) && runs < 1_000 {
            runs += 1
            let seed = random.next()
            let run = HandlerRun(seed: seed)
            do {
                try run.run(events: 60)
                try run.finish()
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
            asks += run.asksMade
            answers += run.answers
        }
        // The run made enough requests to be meaningful.
        #expect(asks > 1_500 && answers > 400, "\(asks) asks, \(answers) answers")
    }

    private var machine = HandlerMachine(.init(handlersPerConnectionMax: 2, requestsPerHandlerMax: 2))
    private var actions: [HandlerMachine.Action] = []

    private mutating func handle(_ requests: Set<HandlerRequestKind>, _ names: [ActionName]? = nil, by connection: Int)
        throws
    {
        _ = try machine.handle(.init(list: "t", requests: requests, actions: names), by: connection, &actions)
    }

    private mutating func ask(_ subject: HandlerMachine.Subject, by asker: Int) throws -> HandlerMachine.AskID {
        try machine.ask(subject, of: "t", by: asker, until: 9, &actions) { handler, number in
            HandlerRequest(
                handler: handler.number, request: number, list: "t", content: .expand("x"), revision: 1,
                from: ClientIdentity())
        }
    }

    @Test mutating func `one answers for each action, and one for all others leaves no room for any`() throws {
        try handle([.perform], ["a"], by: 1)
        try handle([.perform], ["b"], by: 2)
        #expect(throws: HandlerMachine.HandleError.exists(.perform, "b")) { try handle([.perform], ["c", "b"], by: 3) }
        #expect(throws: HandlerMachine.HandleError.exists(.perform, "a")) { try handle([.perform], by: 3) }
        #expect(machine.actions(of: "t") == ["a", "b"])
        #expect(throws: HandlerMachine.AskError.noHandler) { try ask(.perform("c"), by: 4) }
    }

    @Test mutating func `a handler has so many requests and no more, and those who share one are not counted`() throws {
        try handle([.expand, .propose], by: 1)
        _ = try ask(.expand("x"), by: 2)
        _ = try ask(.propose, by: 2)
        _ = try ask(.expand("x"), by: 3)
        #expect(throws: HandlerMachine.AskError.tooManyForHandler(max: 2)) { try ask(.expand("y"), by: 3) }
        _ = machine.takeRequest(1)
        try machine.answer(1, hasOperations: false, by: 1, &actions)
        _ = try ask(.expand("y"), by: 3)
    }

    @Test mutating func `a connection has so many handlers and no more, of which those that it replaces are none`()
        throws
    {
        try handle([.expand], by: 1)
        try handle([.propose], by: 1)
        #expect(throws: HandlerMachine.HandleError.tooMany(max: 2)) { try handle([.perform], by: 1) }
        let replacing = Request.Handle(list: "t", requests: [.propose], existing: .isReplaced)
        let id = try machine.handle(replacing, by: 1, &actions)
        #expect(id.number == 3)
        #expect(actions == [.tellEnd(.init(connection: 1, number: 2), "t", .replaced)])
    }

    @Test mutating func `a request can be answered when it was sent, and not before`() throws {
        try handle([.propose], by: 1)
        let ask = try ask(.propose, by: 2)
        #expect(throws: HandlerMachine.AnswerError.noSuchRequest) {
            try machine.answer(1, hasOperations: false, by: 1, &actions)
        }
        _ = machine.takeRequest(1)
        actions = []
        try machine.answer(1, hasOperations: true, by: 1, &actions)
        #expect(actions == [.cancelTimer(ask), .reply(ask, .answered)])
    }
}
