import DiffableServer
import Foundation
import Testing

extension Integration {
    /// Requests that are answered late, twice, by other clients, or never, and handlers that end.
    struct HandlerEndTests {
        @Test func `an answer that is late, the second, or another's is refused and changes nothing`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""perform""#)
            try bench.asker.send(HandlerBench.perform("a", id: 1, members: #","timeout":200"#))
            let late = try bench.request().number
            let timedOut = try bench.line(of: bench.asker)
            #expect(timedOut.errorName == "handlerTimedOut" && timedOut.contains(#""id":1,"#))
            #expect(
                try bench.line(of: bench.handler)
                    == #"{"jsonrpc":"2.0","method":"requestCancelled","params":{"handler":1,"request":\#(late),"list":"tasks","reason":"timedOut"}}"#
            )
            #expect(try bench.handler.reply(to: HandlerBench.answer(late, id: 2)).errorName == "noSuchRequest")
            try bench.asker.send(HandlerBench.perform("a", id: 2))
            let number = try bench.request().number
            #expect(try bench.asker.reply(to: HandlerBench.answer(number, id: 3)).errorName == "noSuchRequest")
            let withOperations = HandlerBench.answer(number, id: 3, #","operations":[]"#)
            #expect(try bench.handler.reply(to: withOperations).errorName == "invalidParams")
            #expect(try bench.handler.reply(to: HandlerBench.answer(number, id: 4)).contains("result"))
            #expect(try bench.line(of: bench.asker).contains(#""id":2,"result""#))
            #expect(try bench.handler.reply(to: HandlerBench.answer(number, id: 5)).errorName == "noSuchRequest")
            #expect(try bench.handler.reply(to: HandlerBench.answer(999, id: 5)).errorName == "noSuchRequest")
            #expect(bench.asker.isSilent())
        }

        @Test func `a refusal is the handler's own words`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""perform""#)
            try bench.asker.send(HandlerBench.perform("a", id: 1))
            try bench.handler.send(HandlerBench.answer(try bench.request().number, #","refusal":"not today""#))
            #expect(
                try bench.line(of: bench.asker)
                    == #"{"jsonrpc":"2.0","id":1,"error":{"code":21,"message":"not today","data":{"name":"refused","list":"tasks"}}}"#
            )
        }

        @Test func `a failure says that it may have happened`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""perform""#)
            for (id, text) in [(1, "half of it is done"), (2, "")] {
                try bench.asker.send(HandlerBench.perform("a", id: id))
                try bench.handler.send(HandlerBench.answer(try bench.request().number, #","failure":"\#(text)""#))
                let line = try bench.line(of: bench.asker)
                #expect(line.errorName == "handlerLost" && line.contains(#""code":23,"#), "\(line)")
                #expect(line.contains(text.isEmpty ? "it may have carried out the request" : text), "\(line)")
            }
        }

        @Test func `an answer that says what cannot be said leaves the request open`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""propose""#)
            try bench.asker.send(HandlerBench.propose(HandlerBench.append("x"), id: 1))
            let number = try bench.request().number
            let long = #","result":"\#(String(repeating: "x", count: 262_144))""#
            for (members, error) in [
                (#","operations":[{"op":"none"}]"#, "invalidParams"), (#","refusal":1"#, "invalidParams"),
                (#","refusal":"a","failure":"b""#, "invalidParams"), (long, "tooLarge"),
            ] {
                let reply = try bench.handler.reply(to: HandlerBench.answer(number, id: 2, members))
                #expect(reply.errorName == error, "\(members.prefix(60)): \(reply.prefix(200))")
            }
            #expect(try bench.handler.reply(to: HandlerBench.answer(number, id: 3)).contains("result"))
            #expect(try bench.line(of: bench.asker).contains(#""changed":true"#))
        }

        @Test(arguments: ["close", "finish", "replace", "delete"])
        func `who asked hears that its handler has ended, once`(end: String) throws {
            let bench = try HandlerBench()
            try bench.handle(#""perform","expand""#)
            try bench.asker.send(HandlerBench.perform("a", id: 1))
            _ = try bench.request()
            let other = try bench.daemon.connect()
            var reason: String?
            switch end {
            case "close": bench.handler.close()
            case "finish": bench.handler.finishSending()
            case "replace":
                #expect(try bench.handle(#""perform""#, by: other, members: #","replace":true"#).contains("result"))
                // It has ended as a whole.
                #expect(try bench.handle(#""expand""#, by: other).contains("result"))
                reason = "replaced"
            default:
                _ = try other.reply(to: "deleteList tasks")
                reason = "listDeleted"
            }
            if let reason {
                #expect(
                    try bench.line(of: bench.handler)
                        == #"{"jsonrpc":"2.0","method":"handlerEnded","params":{"handler":1,"list":"tasks","reason":"\#(reason)"}}"#
                )
            }
            let lost = try bench.line(of: bench.asker)
            #expect(lost.errorName == "handlerLost" && lost.contains(#""id":1,"#), "\(lost)")
            #expect(try bench.asker.reply(to: #"{"id":9,"method":"ping"}"#).contains(#""id":9,"#))
        }

        @Test(.withSeveralUsers) func `a handler that may not change the list any more hears that it has ended`() throws
        {
            let daemon = try TestServer.forEverybody(turn: .init())
            try daemon.succeed("create", "tasks", "--mode", "0666")
            let handler = try daemon.startOpenClient(
                as: .bob,
                sending: [#"{"id":1,"method":"handle","params":{"list":"tasks","requests":["propose"]}}"#])
            try handler.waitForOutput(#""handler":1"#)
            let asker = try daemon.connect()
            try asker.send(HandlerBench.propose(HandlerBench.append("x"), id: 1))
            try handler.waitForOutput(#""method":"request""#)
            try daemon.succeed("chmod", "0664", "tasks")
            #expect(try asker.line()?.errorName == "handlerLost")
            try handler.waitForOutput(#""handler":1,"list":"tasks","reason":"permissionDenied""#)
        }

        @Test func `a handler hears that nobody waits any more`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""perform""#)
            let other = try bench.daemon.connect()
            try other.send(HandlerBench.perform("a", id: 1))
            let number = try bench.request().number
            other.close()
            #expect(
                try bench.line(of: bench.handler)
                    .contains(#""request":\#(number),"list":"tasks","reason":"askerLost""#))
            #expect(try bench.handler.reply(to: HandlerBench.answer(number, id: 1)).errorName == "noSuchRequest")
        }

        @Test func `a handler that does not read holds up nobody else`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""perform""#)
            // More than sockets have room for.
            let arguments = #","timeout":300,"arguments":"\#(String(repeating: "x", count: 60_000))""#
            for id in 1...60 { try bench.asker.send(HandlerBench.perform("a", id: id, members: arguments)) }
            let other = try bench.daemon.connect()
            #expect(try other.reply(to: HandlerBench.transact(HandlerBench.append("x"))).contains("result"))
            // Some requests may have timed out before.
            try bench.asker.send(#"{"id":99,"method":"ping"}"#)
            var lines = try bench.asker.lines(until: #""id":99,"#).dropLast()
            while lines.count < 60 { lines.append(try bench.line(of: bench.asker)) }
            #expect(lines.allSatisfy { $0.errorName == "handlerTimedOut" })
            #expect(Set(lines.map { $0.firstMatch(of: #/"id":([0-9]+)/#)?.1 ?? "" }).count == 60)
            // In the end it reads the requests in the sockets, and their cancellations.
            try bench.handler.send(#"{"id":7,"method":"ping"}"#)
            let read = try bench.handler.lines(until: #""id":7,"#)
            let requests = read.filter { $0.contains(#""method":"request""#) }.count
            let cancelled = read.filter { $0.contains(#""method":"requestCancelled""#) }.count
            #expect(requests == cancelled && (1..<60).contains(requests), "\(requests), \(cancelled)")
        }

        @Test func `a daemon that stops answers those who ask`() throws {
            let daemon = try Daemon()
            let (handler, asker) = try (daemon.connect(), daemon.connect())
            _ = try handler.reply(to: "createList tasks")
            _ = try handler.reply(
                to: #"{"id":0,"method":"handle","params":{"list":"tasks","requests":["perform"]}}"#)
            try asker.send(HandlerBench.perform("a", id: 1))
            #expect(try handler.line()?.contains(#""method":"request""#) == true)
            daemon.program.signal(SIGTERM)
            #expect(try asker.line()?.errorName == "handlerLost")
            #expect(try asker.line() == nil)
        }
    }
}
