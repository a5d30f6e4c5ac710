import Diffable
import DiffableJSON
import DiffableProtocol
import Testing

/// The requests to handlers, and errors in messages of handlers and their callers.
struct HandlerMessageTests {
    private static func request(_ content: HandlerRequest.Content, revision: Int? = 12) -> HandlerRequest {
        HandlerRequest(
            handler: 1, request: 7, list: "tasks", content: content, revision: revision,
            from: ClientIdentity(name: "phone", processID: 4_711, userID: 1_000))
    }

    private static let end = #""from":{"name":"phone","pid":4711,"uid":1000}}}"#

    @Test func `a request is one line as the protocol's pages have it`() throws {
        let old = try Snapshot(sections(#"{"sections":[{"id":"s","items":[{"id":"a"}]}]}"#))
        let new = try old.applying([.deleteAllItems])
        let operations = new.difference(from: old)
        let proposal = HandlerRequest.Content.propose(operations, DifferenceSummary(operations, from: old, to: new))
        let lines: [(HandlerRequest, String)] = [
            (
                Self.request(.perform("done", .items(["milk", "tea"]), arguments: Array(#"{"n":1}"#.utf8))),
                #""kind":"perform","action":"done","items":["milk","tea"],"arguments":{"n":1},"revision":12,"#
            ),
            (
                Self.request(.perform("clear", .section("s"), arguments: nil), revision: nil),
                #""kind":"perform","action":"clear","section":"s","#
            ),
            (
                Self.request(.perform("clear", .list, arguments: nil)),
                #""kind":"perform","action":"clear","revision":12,"#
            ),
            (
                Self.request(proposal),
                #""kind":"propose","operations":[{"op":"deleteSections","sections":["s"]}],"#
                    + #""summary":{"deletedItems":1,"deletedSections":1},"revision":12,"#
            ),
            (Self.request(.expand("milk")), #""kind":"expand","item":"milk","revision":12,"#),
        ]
        for (request, members) in lines {
            let line = text { request.write(into: &$0) }
            let head = #"{"jsonrpc":"2.0","method":"request","params":{"handler":1,"request":7,"list":"tasks","#
            #expect(line == head + members + Self.end + "\n")
            guard case .request(let read) = try decodeMessage(line) else {
                Issue.record("\(line) is not read")
                continue
            }
            #expect(text { read.write(into: &$0) } == line)
        }
    }

    @Test func `a client passes over what only a newer daemon asks for`() throws {
        let line =
            #"{"method":"request","params":{"handler":1,"request":7,"list":"t","kind":"dance","step":[1],"from":{}}}"#
        guard case .other("request") = try decodeMessage(line) else {
            Issue.record("not read")
            return
        }
    }

    @Test func `a client reads that a request is cancelled and that a handler has ended`() throws {
        for reason in [HandlerNotification.CancelReason.timedOut, .askerLost] {
            let line = text {
                HandlerNotification.requestCancelled(handler: 1, request: 7, list: "t", reason).write(into: &$0)
            }
            guard case .requestCancelled(1, 7, "t", reason.rawValue) = try decodeMessage(line) else {
                Issue.record("\(line) is not read")
                continue
            }
        }
        for reason in [HandlerNotification.EndReason.replaced, .listDeleted, .permissionDenied] {
            let line = text { HandlerNotification.handlerEnded(handler: 1, list: "t", reason).write(into: &$0) }
            guard case .handlerEnded(1, "t", reason.rawValue) = try decodeMessage(line) else {
                Issue.record("\(line) is not read")
                continue
            }
        }
    }

    @Test(arguments: [
        (#""method":"handle","params":{"list":"t"}"#, "handle needs the parameter requests"),
        (
            #""method":"handle","params":{"list":"t","requests":[]}"#,
            #"requests must name at least one of "perform", "propose" and "expand""#
        ),
        (
            #""method":"handle","params":{"list":"t","requests":["dance"]}"#,
            #"a request must be "perform", "propose" or "expand", not "dance""#
        ),
        (
            #""method":"handle","params":{"list":"t","requests":["expand"],"actions":["a"]}"#,
            #"actions can be used only if requests contains "perform""#
        ),
        (
            #""method":"handle","params":{"list":"t","requests":["perform"],"actions":[]}"#,
            "actions must name at least one action; leave it out to handle all"
        ),
        (
            #""method":"perform","params":{"list":"t","action":"a","items":[],"section":"s"}"#,
            "perform takes items or section, not both"
        ),
        (#""method":"perform","params":{"list":"t","action":""}"#, "action is empty"),
        (
            #""method":"expand","params":{"list":"t","item":"x","timeout":0}"#,
            "timeout must be an integer number of milliseconds from 1 to 600000"
        ),
        (
            #""method":"expand","params":{"list":"t","item":"x","timeout":600001}"#,
            "timeout must be an integer number of milliseconds from 1 to 600000"
        ),
        (#""method":"answer","params":{"result":1}"#, "answer needs the parameter request"),
        (
            #""method":"answer","params":{"request":1,"result":1,"refusal":"no"}"#,
            "answer takes only one of these: refusal; failure; or result, operations or both"
        ),
        (
            #""method":"answer","params":{"request":1,"failure":"no","refusal":"no"}"#,
            "answer takes only one of these: refusal; failure; or result, operations or both"
        ),
        (
            #""method":"propose","params":{"list":"t","operations":[],"lease":"connection","requestKey":"k"}"#,
            "lease and requestKey cannot be combined"
        ),
    ])
    func `what is wrong with a request is said`(members: String, message: String) {
        guard case .failure(let error) = decodeRequest(#"{"id":1,\#(members)}"#).request else {
            Issue.record("\(members) is taken")
            return
        }
        #expect(error.code == .invalidParams)
        #expect(error.message.contains(message), "\(error.message)")
    }
}
