import Diffable
import Testing

extension Integration {
    /// `setView`, and other events of a subscription with a view.
    struct ViewChangeTests {
        private static let pad = String(repeating: "x", count: 1_000)

        private func list(_ rows: Int) throws -> (Daemon, RawClient) {
            let daemon = try Daemon()
            try daemon.succeed("create", "rows", "--volatile")
            let items = (0..<rows).map { #"{"id":"i\#($0)","n":\#($0),"pad":"\#(Self.pad)"}"# }
            try daemon.succeed("apply", "rows", "--from", "ndjson", input: items.joined(separator: "\n"))
            return (daemon, try daemon.connect())
        }

        private func change(_ client: RawClient, _ operation: String) throws {
            let reply = try client.reply(
                to: #"{"id":1,"method":"transact","params":{"list":"rows","operations":[\#(operation)]}}"#)
            guard reply.contains(#""changed":true"#) else { throw Failure(reply) }
        }

        private func expectSame(_ replay: Replay, _ view: String, _ client: RawClient) throws {
            let reply = try client.reply(
                to: #"{"id":1,"method":"snapshot","params":{"list":"rows","view":\#(view)}}"#)
            #expect(reply.hasSuffix(#""snapshot":\#(replay.snapshot.json)}}"#))
        }

        @Test func `a view that comes while a group is half sent follows when that is whole`() throws {
            let (daemon, publisher) = try list(3_000)
            let client = try daemon.connect()
            let view = #"{"where":{"path":"/n","atLeast":2000},"window":{"offset":10,"limit":30}}"#
            try client.send("subscribe rows")
            // Longer than a socket holds: the daemon waits in the middle of the reset.
            var lines = [try client.line() ?? "", try client.line() ?? ""]
            try client.send(#"{"id":"view","method":"setView","params":{"subscription":1,"view":\#(view)}}"#)
            try client.waitUntilTaken()
            // The view has been computed by then, because this one is computed after it.
            _ = try publisher.reply(to: #"{"id":2,"method":"snapshot","params":{"list":"rows","view":\#(view)}}"#)
            try change(publisher, #"{"op":"deleteItems","items":["i2012","i3"]}"#)
            lines += try client.lines(until: #""method":"changes""#)

            let reply = try #require(lines.firstIndex { $0.contains(#""id":"view","result""#) })
            let end = try #require(lines.firstIndex { $0.contains("reset") && !$0.contains(#""more":true"#) })
            #expect(reply < end, "the reply comes between the parts")
            let replay = try Replay(of: lines)
            #expect(replay.resets == 1 && replay.changes == 1)
            #expect(replay.extent == Window.Extent(offset: 10, total: 999))
            try expectSame(replay, view, publisher)
        }

        @Test func `a view that comes while its subscriber is behind is reached in one group`() throws {
            let (daemon, publisher) = try list(1_000)
            let client = try daemon.connect()
            try client.send("subscribe rows")
            var lines = try client.lines(until: "reset")
            while lines.last?.contains(#""more":true"#) == true { lines.append(try client.line() ?? "") }
            // It does not read, and its socket cannot hold many of these long lines.
            for number in 0..<1_000 {
                let items = (number..<number + 5).map {
                    #"{"id":"i\#($0 % 1_000)","content":{"n":\#(number),"pad":"\#(Self.pad)"}}"#
                }
                try change(publisher, #"{"op":"reconfigureItems","items":[\#(items.joined(separator: ","))]}"#)
            }
            let view = #"{"where":{"path":"/n","lessThan":500},"sort":[{"path":"/n","descending":true}]}"#
            try client.send(#"{"id":"view","method":"setView","params":{"subscription":1,"view":\#(view)}}"#)
            lines += try client.lines(until: #""id":"view""#)
            repeat { lines.append(try client.line() ?? "") } while lines.last?.contains(#""more":true"#) == true
            let replay = try Replay(of: lines)
            #expect(replay.changes < 200, "\(replay.changes) groups")
            // The lines so far may have been the rest of an earlier update.
            let shown = try publisher.reply(
                to: #"{"id":1,"method":"snapshot","params":{"list":"rows","view":\#(view)}}"#)
            while try !shown.hasSuffix(#""snapshot":\#(Replay(of: lines).snapshot.json)}}"#) {
                lines.append(try #require(try client.line()))
            }
        }

        @Test func `a view hears nothing of what it does not show, and replies do not wait for it`() throws {
            let (daemon, client) = try list(20)
            defer { withExtendedLifetime(daemon) {} }
            try client.send(
                #"{"id":2,"method":"subscribe","params":{"list":"rows","view":{"where":{"path":"/n","lessThan":3}}}}"#)
            _ = try client.lines(until: "reset")
            try change(client, #"{"op":"deleteItems","items":["i7"]}"#)
            try client.send(
                #"{"id":3,"method":"transact","params":{"list":"rows","operations":["#
                    + #"{"op":"deleteItems","items":["i1","i9"]}]}}"#)
            #expect(
                try client.line() == #"{"jsonrpc":"2.0","method":"changes","params":{"subscription":1,"list":"rows","#
                    + #""from":1,"revision":3,"operations":[{"op":"deleteItems","items":["i1"]}]}}"#)
            #expect(try client.line()?.contains(#""id":3,"result""#) == true)
        }

        @Test func `a list that is drawn anew or deleted says so to its views, whatever they show`() throws {
            let (daemon, client) = try list(5)
            defer { withExtendedLifetime(daemon) {} }
            try client.send(
                #"{"id":2,"method":"subscribe","params":{"list":"rows","view":{"search":"absent"}}}"#)
            _ = try client.lines(until: "reset")
            try client.send(
                #"{"id":3,"method":"apply","params":{"list":"rows","usingReloadData":true,"#
                    + #""snapshot":{"sections":[{"id":"items","items":[]}]}}}"#)
            #expect(try client.line()?.contains(#""reason":"reload""#) == true)
            #expect(try client.line()?.contains(#""id":3,"result""#) == true)
            try client.send(#"{"id":4,"method":"deleteList","params":{"list":"rows"}}"#)
            #expect(try client.line()?.contains(#""method":"listDeleted""#) == true)
        }

        @Test(arguments: [
            (#"{"were":{}}"#, #"a view has no member \"were\"; did you mean \"where\"?"#),
            (#"{"where":{"path":"n","equals":1}}"#, #"view.where.path must be \"id\", \"kind\" or a JSON pointer"#),
            (#"{"where":{"path":"/n","lessThan":null}}"#, "a path needs a test"),
            (#"{"where":{"path":"/n","lessThan":true}}"#, "must be a number or a string (only these have"),
            (#"{"sort":["/n","due"]}"#, #"not \"due\""#),
            (#"{"expanded":["i1"]}"#, #"expanded needs \"expansion\":\"own\""#),
            (#"{"window":{"anchor":"i1"}}"#, "a window needs a limit, in rows"),
            (#"{"window":{"offset":-1,"limit":3}}"#, "offset"),
            ("7", "object"),
        ]) func `a view that means nothing is refused with what is wrong, and changes nothing`(
            view: String, sentence: String
        ) throws {
            let (daemon, client) = try list(3)
            defer { withExtendedLifetime(daemon) {} }
            for request in [
                #"{"id":2,"method":"snapshot","params":{"list":"rows","view":\#(view)}}"#,
                #"{"id":2,"method":"subscribe","params":{"list":"rows","view":\#(view)}}"#,
            ] {
                let reply = try client.reply(to: request)
                #expect(reply.contains(#""code":-32602"#) && reply.contains(sentence), "\(reply)")
            }
            try client.send("subscribe rows")
            _ = try client.lines(until: "reset")
            let reply = try client.reply(
                to: #"{"id":2,"method":"setView","params":{"subscription":1,"view":\#(view)}}"#)
            #expect(reply.contains(#""code":-32602"#) && reply.contains(sentence), "\(reply)")
            #expect(client.isSilent())
        }
    }
}
