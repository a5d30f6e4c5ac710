import DiffableServer
import Foundation
import Testing

extension Integration {
    struct ProposalTests {
        @Test func `a proposal is applied when the handler consents, by the proposer's name, and history has both`()
            throws
        {
            let bench = try HandlerBench(durability: "durable")
            try bench.handle(#""propose""#)
            try bench.asker.send(#"{"id":1,"method":"subscribe","params":{"list":"tasks"}}"#)
            _ = try bench.asker.lines(until: #""method":"reset""#)
            let operation = #"{"op":"reconfigureItems","items":[{"id":"milk","content":1}]}"#
            try bench.asker.send(HandlerBench.propose(operation, id: 2))
            let (number, line) = try bench.request()
            #expect(
                line.contains(
                    #""kind":"propose","operations":[\#(operation)],"summary":{"reconfiguredItems":1},"revision":1,"from":{"name":"phone""#
                ), "\(line)")
            #expect(bench.asker.isSilent(forSeconds: 0.05))
            let answered = try bench.handler.reply(to: HandlerBench.answer(number, id: 3))
            #expect(answered == #"{"jsonrpc":"2.0","id":3,"result":{"request":\#(number)}}"#)
            #expect(try bench.line(of: bench.asker).contains(#""method":"changes""#))
            #expect(
                try bench.line(of: bench.asker)
                    == #"{"jsonrpc":"2.0","id":2,"result":{"list":"tasks","revision":2,"changed":true}}"#)
            let history = try bench.asker.reply(to: "history tasks")
            #expect(
                history.contains(
                    #/"revision":2,"time":[0-9]+,"operations":1,"name":"phone","pid":[0-9]+,"uid":[0-9]+,"handler":\{"name":"keeper","pid":[0-9]+,"uid":[0-9]+\}/#
                ), "\(history)")
        }

        @Test func `the handler refuses, or has something else applied`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""propose""#)
            try bench.asker.send(HandlerBench.propose(HandlerBench.append("beer"), id: 1))
            try bench.handler.send(HandlerBench.answer(try bench.request().number, #","refusal":"no beer""#))
            #expect(try bench.line(of: bench.asker).contains(#""code":21,"message":"no beer""#))
            try bench.asker.send(HandlerBench.propose(HandlerBench.append("beer"), id: 2))
            let instead = #","operations":[\#(HandlerBench.append("tea"))]"#
            try bench.handler.send(HandlerBench.answer(try bench.request().number, instead))
            #expect(
                try bench.line(of: bench.asker).contains(
                    #""id":2,"result":{"list":"tasks","revision":2,"changed":true"#))
            let snapshot = try bench.asker.reply(to: "snapshot tasks")
            #expect(snapshot.contains("tea") && !snapshot.contains("beer"))
            // An invalid proposal is an error for both.
            try bench.asker.send(HandlerBench.propose(HandlerBench.append("beer"), id: 3))
            let bad = HandlerBench.answer(try bench.request().number, id: 4, instead)
            #expect(try bench.handler.reply(to: bad).errorName == "duplicateItem")
            let error = try bench.line(of: bench.asker)
            #expect(
                error.errorName == "duplicateItem" && error.contains("replaced the proposed operations with its own"))
        }

        @Test func `it is looked at before the handler is asked, and again when it consents`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""propose""#)
            let bad = HandlerBench.propose(HandlerBench.append("milk"), id: 1)
            #expect(try bench.asker.reply(to: bad).errorName == "duplicateItem")
            let stale = HandlerBench.propose(HandlerBench.append("tea"), id: 2, members: #","ifRevision":0"#)
            #expect(try bench.asker.reply(to: stale).errorName == "revisionMismatch")
            let dry = HandlerBench.propose(HandlerBench.append("tea"), id: 2, members: #","dryRun":true"#)
            #expect(try bench.asker.reply(to: dry).contains(#""changed":true,"operations":["#))
            #expect(bench.handler.isSilent(forSeconds: 0.05))
            try bench.asker.send(
                HandlerBench.propose(HandlerBench.append("tea"), id: 3) + "\n"
                    + HandlerBench.propose(HandlerBench.append("coffee"), id: 4, members: #","ifRevision":1"#))
            let requests = try [bench.request().number, bench.request().number]
            try bench.handler.send(HandlerBench.transact(HandlerBench.append("tea")))
            for request in requests { try bench.handler.send(HandlerBench.answer(request)) }
            #expect(try bench.line(of: bench.asker).errorName == "duplicateItem")
            #expect(try bench.line(of: bench.asker).errorName == "revisionMismatch")
            #expect(try bench.asker.reply(to: "history tasks").contains(#""revision":2,"#))
        }

        @Test func `what would change nothing is answered without the handler`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""propose""#)
            let nothing = #"{"op":"deleteItems","items":["none"],"ifPresent":true}"#
            #expect(
                try bench.asker.reply(to: HandlerBench.propose(nothing, id: 1))
                    == #"{"jsonrpc":"2.0","id":1,"result":{"list":"tasks","revision":1,"changed":false}}"#)
            // With a key the result is kept, and a later repetition with the same key may change something.
            try bench.asker.send(HandlerBench.propose(nothing, id: 2, members: #","requestKey":"k""#))
            #expect(try bench.request().line.contains(#""operations":[\#(nothing)]"#))
        }

        @Test func `under a request key it is carried out once, whatever was applied`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""propose""#)
            let key = #","requestKey":"k""#
            let proposal = HandlerBench.propose(HandlerBench.append("beer"), id: 1, members: key)
            // Two at once, and one afterwards.
            try bench.asker.send(proposal + "\n" + proposal)
            let requests = try [bench.request().number, bench.request().number]
            let instead = #","operations":[\#(HandlerBench.append("tea"))]"#
            for request in requests { try bench.handler.send(HandlerBench.answer(request, instead)) }
            let result = #"{"jsonrpc":"2.0","id":1,"result":{"list":"tasks","revision":2,"changed":true}}"#
            for _ in 1...2 { #expect(try bench.line(of: bench.asker) == result) }
            #expect(try bench.asker.reply(to: proposal) == result)
            #expect(
                try bench.asker.reply(to: HandlerBench.transact(HandlerBench.append("beer"), id: 1, members: key))
                    == result)
            #expect(
                try bench.asker.reply(to: HandlerBench.propose(HandlerBench.append("x"), id: 1, members: key)).errorName
                    == "requestKeyReused")
            try bench.handler.send(#"{"id":8,"method":"ping"}"#)
            _ = try bench.handler.lines(until: #""id":8,"#)
            #expect(try bench.asker.reply(to: "history tasks").contains(#""revision":2,"#))
        }

        @Test func `without a handler it is a transaction, and a handler is asked about its own proposals too`() throws
        {
            let bench = try HandlerBench()
            let proposal = HandlerBench.propose(HandlerBench.append("tea"), id: 1)
            #expect(try bench.asker.reply(to: proposal).contains(#""revision":2,"changed":true"#))
            try bench.handle(#""propose""#)
            try bench.handler.send(HandlerBench.propose(HandlerBench.append("coffee"), id: 1))
            let refused = try bench.request()
            // The handler can change the list before it answers.
            #expect(
                try bench.handler.reply(to: HandlerBench.transact(HandlerBench.append("jam"), id: 2))
                    .contains(#""id":2,"result":{"list":"tasks","revision":3"#))
            try bench.handler.send(HandlerBench.answer(refused.number, #","refusal":"no coffee""#))
            #expect(try bench.line(of: bench.handler).contains(#""id":1,"error":{"code":21,"message":"no coffee""#))
            try bench.handler.send(HandlerBench.propose(HandlerBench.append("cocoa"), id: 3))
            try bench.handler.send(HandlerBench.answer(try bench.request().number))
            #expect(try bench.line(of: bench.handler).contains(#""id":3,"result":{"list":"tasks","revision":4"#))
            #expect(!(try bench.asker.reply(to: "snapshot tasks").contains("coffee")))
        }

        @Test func `a handler sees the operations that were proposed, and not a difference`() throws {
            let bench = try HandlerBench()
            _ = try bench.handler.reply(to: HandlerBench.transact(HandlerBench.append("eggs")))
            _ = try bench.handler.reply(to: HandlerBench.transact(HandlerBench.append("jam")))
            try bench.handle(#""propose""#)
            for (number, operation) in [
                // The diff would move eggs before milk.
                #"{"op":"moveItem","item":"milk","after":"eggs"}"#,
                #"{"op":"moveItem","item":"jam","before":"eggs"}"#,
                #"{"op":"patchItems","items":[{"id":"milk","content":{"done":true}}]}"#,
                #"{"op":"appendItems","parent":"milk","items":[{"id":"oat","expanded":false}]}"#,
                #"{"op":"deleteItems","items":["jam","none"],"ifPresent":true}"#,
                #"{"op":"replaceChildren","parent":"milk","items":[]}"#,
                #"{"op":"deleteAllItems"}"#,
            ].enumerated() {
                try bench.asker.send(HandlerBench.propose(operation, id: number))
                let request = try bench.request()
                #expect(request.line.contains(#""operations":[\#(operation)],"#), "\(request.line)")
                try bench.handler.send(HandlerBench.answer(request.number))
                #expect(try bench.line(of: bench.asker).contains(#""id":\#(number),"result""#))
            }
        }

        @Test func `it comes in parts like a transaction`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""propose""#)
            let first = HandlerBench.propose(HandlerBench.append("tea"), id: 1, members: #","more":true"#)
            #expect(try bench.asker.reply(to: first).contains(#""staged":true"#))
            try bench.asker.send(HandlerBench.propose(HandlerBench.append("coffee"), id: 2, members: #","more":false"#))
            let (number, line) = try bench.request()
            #expect(line.contains(#""summary":{"insertedItems":2}"#), "\(line)")
            try bench.handler.send(HandlerBench.answer(number))
            #expect(try bench.line(of: bench.asker).contains(#""id":2,"result":{"list":"tasks","revision":2"#))
        }

        @Test func `what was leased goes with the proposer's connection`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""propose""#)
            let other = try bench.daemon.connect()
            try other.send(HandlerBench.propose(HandlerBench.append("tea"), id: 1, members: #","lease":"connection""#))
            try bench.handler.send(HandlerBench.answer(try bench.request().number, id: 2))
            _ = try bench.handler.line()
            #expect(try other.line()?.contains("result") == true)
            try bench.asker.send(#"{"id":1,"method":"subscribe","params":{"list":"tasks"}}"#)
            #expect(try bench.asker.lines(until: #""method":"reset""#).last?.contains("tea") == true)
            other.close()
            #expect(try bench.line(of: bench.asker).contains(#"{"op":"deleteItems","items":["tea"]}"#))
        }

        @Test(.withSeveralUsers)
        func `who may only ask proposes where there is a handler, and performs, and nothing else`() throws {
            let daemon = try TestServer.forEverybody(turn: .init())
            try daemon.succeed("create", "tasks", "--mode", "0605")
            try daemon.succeed("section", "add", "tasks", "s")
            func asked(_ lines: String...) throws -> [String] { try daemon.replies(to: .bob, lines).map(\.errorName) }
            let proposal = HandlerBench.propose(HandlerBench.append("tea"), id: 1)
            let handle = #"{"id":1,"method":"handle","params":{"list":"tasks","requests":["expand"]}}"#
            #expect(try asked(proposal, handle) == ["permissionDenied", "permissionDenied"])
            let handler = try daemon.connect()
            _ = try handler.reply(
                to: #"{"id":0,"method":"handle","params":{"list":"tasks","requests":["propose","perform"]}}"#)
            let bob = try daemon.startClient(as: .bob, sending: [proposal, HandlerBench.perform("a", id: 2)])
            for _ in 1...2 {
                let line = try #require(try handler.line())
                #expect(line.contains(#""uid":61002"#))
                let number = try #require(line.firstMatch(of: #/"request":([0-9]+)/#).flatMap { Int($0.1) })
                try handler.send(HandlerBench.answer(number))
            }
            try bob.waitForOutput(#""id":1,"result":{"list":"tasks","revision":2,"changed":true}"#)
            try bob.waitForOutput(#""id":2,"result""#)
            try daemon.succeed("chmod", "o-x", "tasks")
            #expect(try asked(proposal, HandlerBench.perform("a", id: 2)) == ["permissionDenied", "permissionDenied"])
            try daemon.succeed("chmod", "o=", "tasks")
            #expect(try asked(proposal, HandlerBench.perform("a", id: 2)) == ["noSuchList", "noSuchList"])
            // A caller without read access gets a success, and no information on the list.
            try daemon.succeed("chmod", "o=x", "tasks")
            let blind = try daemon.startClient(as: .bob, sending: [HandlerBench.perform("a", id: 3)])
            let number = try #require(try handler.line()?.firstMatch(of: #/"request":([0-9]+)/#).flatMap { Int($0.1) })
            try handler.send(HandlerBench.answer(number))
            try blind.waitForOutput(#""id":3,"result":{"list":"tasks","result":null}"#)
            let looking = HandlerBench.perform("a", id: 4, members: #","items":["none"]"#)
            let staleLooking = HandlerBench.perform("a", id: 4, members: #","ifRevision":1"#)
            #expect(try asked(looking, staleLooking) == ["permissionDenied", "permissionDenied"])
            // The handler sees the deleted items, regardless of the caller.
            let deletion = HandlerBench.propose(#"{"op":"deleteAllItems"}"#, id: 5, members: #","requestKey":"k""#)
            let deleting = try daemon.startClient(as: .bob, sending: [deletion])
            let request = try #require(try handler.line())
            #expect(request.contains(#""summary":{"deletedItems":1,"deletedSections":1}"#), "\(request)")
            try handler.send(
                HandlerBench.answer(
                    try #require(request.firstMatch(of: #/"request":([0-9]+)/#).flatMap { Int($0.1) })))
            try deleting.waitForOutput(#""id":5,"result""#)
            // Without a handler nothing happens, but an earlier approval is reported again.
            _ = try handler.reply(to: #"{"method":"unhandle","id":9,"params":{"handler":1}}"#)
            #expect(try asked(proposal, HandlerBench.perform("a", id: 2), deletion) == ["noHandler", "noHandler", ""])
        }

        // MARK: expand

        @Test func `those who open the same item share one request, and all have its children before the reply`() throws
        {
            let bench = try HandlerBench()
            try bench.handle(#""expand""#)
            let others = try (0..<3).map { _ in try bench.daemon.connect() }
            for other in others {
                try other.send(#"{"id":1,"method":"subscribe","params":{"list":"tasks"}}"#)
                _ = try other.lines(until: #""method":"reset""#)
                try other.send(HandlerBench.expand("milk", id: 2))
                // In this order, and none before the others have asked.
                _ = try other.reply(to: "ping")
            }
            let (number, line) = try bench.request()
            #expect(line.contains(#""kind":"expand","item":"milk","revision":1,"#))
            let children = #"{"op":"appendItems","parent":"milk","items":[{"id":"whole"}]}"#
            try bench.handler.send(HandlerBench.transact(children, id: 3) + "\n" + HandlerBench.answer(number, id: 4))
            for other in others {
                #expect(try bench.line(of: other).contains("whole"))
                #expect(
                    try bench.line(of: other)
                        == #"{"jsonrpc":"2.0","id":2,"result":{"list":"tasks","item":"milk","revision":2}}"#)
            }
            _ = try bench.handler.lines(until: #""id":4,"#)
            // The item now has children.
            #expect(
                try bench.asker.reply(to: HandlerBench.expand("milk", id: 5)).contains(#""item":"milk","revision":2}"#))
            #expect(bench.handler.isSilent(forSeconds: 0.05))
        }

        @Test func `without a handler there is nothing to wait for, and what is not there is refused`() throws {
            let bench = try HandlerBench()
            #expect(
                try bench.asker.reply(to: HandlerBench.expand("milk", id: 1)).contains(#""item":"milk","revision":1}"#))
            #expect(try bench.asker.reply(to: HandlerBench.expand("none", id: 1)).errorName == "noSuchItem")
        }

        @Test func `without a handler, callers that cannot read the list do not learn which items exist`() throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "tasks", "--mode", "0601")
            try daemon.succeed("append", "tasks", "folder")
            try daemon.succeed("append", "tasks", "milk", "--parent", "folder")
            let items = ["milk", "folder", "none"]
            #expect(
                try daemon.replies(to: .bob, items.map { HandlerBench.expand($0, id: 1) })
                    == items.map { #"{"jsonrpc":"2.0","id":1,"result":{"list":"tasks","item":"\#($0)"}}"# })
            for requests in [
                items.map { HandlerBench.perform("a", id: 1, members: #","items":["\#($0)"]"#) },
                items.map {
                    HandlerBench.propose(
                        #"{"op":"deleteItems","items":["\#($0)"]}"#, id: 1, members: #","requestKey":"\#($0)""#)
                },
            ] {
                let replies = try daemon.replies(to: .bob, requests)
                #expect(replies.count == 3 && Set(replies).count == 1, "\(replies)")
                #expect(replies.first?.errorName == "noHandler")
            }
        }

        @Test func `one who waits shorter hears so, and the request goes on for the others`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""expand""#)
            try bench.asker.send(HandlerBench.expand("milk", id: 1))
            let number = try bench.request().number
            let other = try bench.daemon.connect()
            try other.send(HandlerBench.expand("milk", id: 1, members: #","timeout":20"#))
            #expect(try bench.line(of: other).errorName == "handlerTimedOut")
            #expect(bench.handler.isSilent(forSeconds: 0.05))
            try bench.handler.send(HandlerBench.answer(number))
            #expect(try bench.line(of: bench.asker).contains(#""id":1,"result""#))
        }
    }
}
