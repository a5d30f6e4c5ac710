import Testing

extension Integration {
    /// Verdicts on proposals applied without a handler, when there seemed to be one.
    struct HandlerFactsTests {
        private static let registration = HandlerRecord.Registration(
            list: "fragile", kinds: ["propose", "perform"], actions: nil, replaces: false)

        private static func replacement(of list: String, kinds: Set<String>) -> HandlerRecord.Request {
            .handle(HandlerRecord.Registration(list: list, kinds: kinds, actions: nil, replaces: true))
        }

        private static func handled(_ number: Int) -> HandlerRecord.Reply {
            .result(ReadLine.Result(list: "fragile", handler: number))
        }

        /// Connection 1 acts as 1; connection 2 becomes a handler as 2; connection 3 proposes as 3.
        private static func record(
            of request: HandlerRecord.Request, answered: HandlerRecord.Reply? = nil,
            afterwards: [HandlerRecord.What] = []
        ) -> HandlerRecord {
            var record = HandlerRecord()
            record.note(.sent(id: 1, request), on: 1)
            if let answered { record.note(.replied(id: 1, answered), on: 1) }
            record.note(.sent(id: 2, .handle(registration)), on: 2)
            record.note(.replied(id: 2, handled(1)), on: 2)
            let ask = HandlerRecord.Ask(list: "fragile", subject: .propose, milliseconds: 60_000, hasRevision: false)
            record.note(.sent(id: 3, .ask(ask)), on: 3)
            record.note(.replied(id: 3, .result(ReadLine.Result(list: "fragile", revision: 10))), on: 3)
            if answered == nil { record.note(.replied(id: 1, handled(1)), on: 1) }
            for what in afterwards { record.note(what, on: 2) }
            return record
        }

        private static func isMissed(_ record: HandlerRecord) -> Bool {
            !HandlerPromise.rightReply.violations(HandlerFacts(record, [:])).isEmpty
        }

        private static let causes = [
            HandlerRecord.Request.deletion(list: "fragile"), replacement(of: "fragile", kinds: ["perform"]),
        ]

        @Test(arguments: causes)
        func `what was sent before a handler was registered may end it, until it is answered`(
            cause: HandlerRecord.Request
        ) {
            #expect(!Self.isMissed(Self.record(of: cause, afterwards: [.ended(handler: 1)])))
            #expect(Self.isMissed(Self.record(of: cause, answered: Self.handled(1), afterwards: [.ended(handler: 1)])))
        }

        @Test(arguments: causes)
        func `a handler that never hears of its end has stood, unless it has left`(cause: HandlerRecord.Request) {
            #expect(Self.isMissed(Self.record(of: cause)))
            #expect(!Self.isMissed(Self.record(of: cause, afterwards: [.finished])))
        }

        @Test(arguments: [
            HandlerRecord.Request.deletion(list: "steady"), replacement(of: "steady", kinds: ["propose"]),
            replacement(of: "fragile", kinds: ["expand"]), .handle(registration),
        ])
        func `what ends no such handler excuses nothing`(request: HandlerRecord.Request) {
            #expect(Self.isMissed(Self.record(of: request, afterwards: [.ended(handler: 1)])))
        }

        @Test func `what was refused has ended nothing`() {
            var record = HandlerRecord()
            record.note(.sent(id: 4, .deletion(list: "fragile")), on: 4)
            for event in Self.record(of: .other).events { record.note(event.what, on: event.connection) }
            let refusal = ReadLine.Refusal(message: "no", data: nil)
            record.note(.replied(id: 4, .failure(refusal)), on: 4)
            record.note(.finished, on: 2)
            #expect(Self.isMissed(record))
        }
    }
}
