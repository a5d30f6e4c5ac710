import Foundation
import Testing

extension Integration {
    struct PerformTests {
        @Test func `a handler is asked, changes the list, and answers, and the asker has seen the change before`()
            throws
        {
            let bench = try HandlerBench()
            #expect(
                try bench.handle(#""perform""#) == #"{"jsonrpc":"2.0","id":0,"result":{"handler":1,"list":"tasks"}}"#)
            try bench.asker.send(#"{"id":1,"method":"subscribe","params":{"list":"tasks"}}"#)
            _ = try bench.asker.lines(until: #""method":"reset""#)
            let members = #","items":["milk"],"arguments":{"n": [1]},"ifRevision":1"#
            try bench.asker.send(HandlerBench.perform("done", id: 2, members: members))
            let (number, line) = try bench.request()
            #expect(
                line.contains(
                    #""list":"tasks","kind":"perform","action":"done","items":["milk"],"arguments":{"n":[1]},"revision":1,"from":{"name":"phone","pid":"#
                ))
            // In one write: the answer is processed after the change.
            try bench.handler.send(
                HandlerBench.transact(HandlerBench.append("tea"), id: 5) + "\n"
                    + HandlerBench.answer(number, id: 6, #","result":{"done":true}"#))
            #expect(try bench.line(of: bench.handler).contains(#""id":5,"result":{"list":"tasks","revision":2"#))
            #expect(try bench.line(of: bench.handler) == #"{"jsonrpc":"2.0","id":6,"result":{"request":\#(number)}}"#)
            #expect(try bench.line(of: bench.asker).contains(#""method":"changes""#))
            #expect(
                try bench.line(of: bench.asker)
                    == #"{"jsonrpc":"2.0","id":2,"result":{"list":"tasks","revision":2,"result":{"done":true}}}"#)
        }

        @Test func `nothing else on the connection waits for the answer, and answers come in any order`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""perform""#)
            try bench.asker.send(HandlerBench.perform("a", id: 1) + "\n" + HandlerBench.perform("b", id: 2))
            #expect(try bench.asker.reply(to: #"{"id":3,"method":"ping"}"#).contains(#""id":3,"#))
            let change = HandlerBench.transact(HandlerBench.append("x"), id: 4)
            #expect(try bench.asker.reply(to: change).contains(#""id":4,"#))
            let requests = try [bench.request().number, bench.request().number]
            for (request, id) in zip(requests.reversed(), [2, 1]) {
                try bench.handler.send(HandlerBench.answer(request))
                #expect(
                    try bench.line(of: bench.asker).contains(
                        #""id":\#(id),"result":{"list":"tasks","revision":2,"result":null}"#))
            }
        }

        @Test func `a handler asks itself without standing still`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""perform""#)
            try bench.handler.send(HandlerBench.perform("a", id: 1))
            let number = try bench.request().number
            try bench.handler.send(HandlerBench.answer(number, id: 2, #","result":7"#))
            let lines = try [bench.line(of: bench.handler), bench.line(of: bench.handler)].sorted()
            #expect(lines[0].contains(#""id":1,"result":{"list":"tasks","revision":1,"result":7}"#), "\(lines)")
            #expect(lines[1].contains(#""id":2,"result":{"request":\#(number)}"#), "\(lines)")
        }

        @Test(arguments: ["", #","minInterval":300"#, #","view":{"sections":["s"]}"#, #","deliver":"snapshots""#])
        func `a handler that follows its list knows each item that it is asked about`(members: String) throws {
            let bench = try HandlerBench()
            try bench.handle(#""perform""#)
            try bench.handler.send(#"{"id":1,"method":"subscribe","params":{"list":"tasks"\#(members)}}"#)
            _ = try bench.handler.lines(until: #""subscription":1,"list":"tasks","epoch""#)
            for number in 1...4 {
                let item = "tea \(number)"
                try bench.asker.send(
                    HandlerBench.transact(HandlerBench.append(item), id: 1) + "\n"
                        + HandlerBench.perform("pour", id: 2, members: #","items":["\#(item)"]"#))
                let lines = try bench.handler.lines(until: #""method":"request""#)
                #expect(lines.contains { $0.contains(#""id":"\#(item)""#) }, "\(lines)")
                let request = try #require(lines.last?.firstMatch(of: #/"request":([0-9]+)/#).map { String($0.1) })
                try bench.handler.send(HandlerBench.answer(Int(request) ?? 0))
                _ = try bench.asker.lines(until: #""id":2,"#)
            }
        }

        @Test func `who has closed its side is answered before the connection ends`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""perform""#)
            try bench.asker.send(HandlerBench.perform("a", id: 1))
            bench.asker.finishSending()
            let number = try bench.request().number
            #expect(bench.asker.isSilent())
            try bench.handler.send(HandlerBench.answer(number))
            #expect(try bench.line(of: bench.asker).contains(#""id":1,"result""#))
            #expect(try bench.asker.line() == nil)
        }

        @Test func `what cannot be asked is refused at once, the first reason first`() throws {
            let bench = try HandlerBench()
            func error(_ members: String, action: String = "a") throws -> String {
                try bench.asker.reply(to: HandlerBench.perform(action, id: 1, members: members)).errorName
            }
            let absent = #"{"id":1,"method":"perform","params":{"list":"none","action":"a"}}"#
            #expect(try bench.asker.reply(to: absent).errorName == "noSuchList")
            #expect(try error(#","items":["none"],"ifRevision":9"#) == "noHandler")
            try bench.handle(#""perform""#, members: #","actions":["a"]"#)
            #expect(try error("", action: "b") == "noHandler")
            #expect(try error(#","items":["none"],"ifRevision":9"#) == "revisionMismatch")
            #expect(try error(#","items":["milk","none"],"ifRevision":1"#) == "noSuchItem")
            #expect(try error(#","section":"none""#) == "noSuchSection")
            let other = try bench.daemon.connect()
            #expect(try bench.handle(#""perform""#, by: other).errorName == "handlerExists")
            #expect(try bench.handle(#""propose""#, by: other).contains(#""handler":1"#))
        }

        @Test func `lists and clients say who answers for what`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""perform","expand""#, members: #","actions":["b","a"]"#)
            try bench.asker.send(HandlerBench.perform("a", id: 1))
            _ = try bench.request()
            let lists = try bench.asker.reply(to: #"{"id":1,"method":"lists","params":{"actions":true}}"#)
            #expect(
                lists.contains(
                    #""durability":"volatile","handles":["perform","expand"],"may":["see","ask","change"],"actions":["a","b"]}"#
                ),
                "\(lists)")
            let clients = try bench.asker.reply(to: #"{"id":1,"method":"clients","params":{"actions":true}}"#)
            #expect(
                clients.contains(
                    #""handlers":[{"handler":1,"list":"tasks","requests":["perform","expand"],"actions":["a","b"],"pendingRequests":1}]"#
                ), "\(clients)")
            let end = try bench.handler.reply(to: #"{"id":2,"method":"unhandle","params":{"handler":1}}"#)
            #expect(end == #"{"jsonrpc":"2.0","id":2,"result":{"handler":1}}"#)
            #expect(try bench.line(of: bench.asker).errorName == "handlerLost")
            #expect(try !bench.asker.reply(to: "lists").contains("handles"))
            let again = try bench.handler.reply(to: #"{"id":2,"method":"unhandle","params":{"handler":1}}"#)
            #expect(again.errorName == "noHandler")
        }
    }
}
