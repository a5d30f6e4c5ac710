import DiffableProtocol
import Foundation
import TestSupport
import Testing

extension Integration {
    /// Connections that gave up methods and lists.
    struct RestrictionTests {
        private static let kept = ["kept.a", "kept.b", "one"]
        /// Nearly the same names.
        private static let hidden = ["kept", "one.b", "Kept.a", "hidden"]
        private static let scope = #"{"id":0,"method":"restrict","params":{"lists":["kept.*","one"]}}"#

        // MARK: Requests

        /// Random parameters of a method about a list; nil for requests whose replies depend on time.
        private func parameters(
            of method: Method, about list: String, _ random: inout SplitMix64
        ) -> String? {
            let named = #""list":"\#(list)""#
            let item = "\(Int.random(in: 0...3, using: &random))"
            let other = (Self.kept + Self.hidden + ["kept.new", "new"]).randomElement(using: &random) ?? ""
            let operations =
                [
                    #""operations":[{"op":"appendItems","section":"s","items":[{"id":"\#(item)"}]}]"#,
                    #""operations":[{"op":"deleteItems","items":["\#(item)"]}]"#,
                ].randomElement(using: &random) ?? ""
            let options: [String] =
                switch method {
                case .hello: ["", #""name":"guest""#]
                case .restrict: [#""lists":["*"]"#, #""lists":["kept*","one*","hidden"]"#]
                case .ping, .help, .status: [""]
                case .clients: ["", #""actions":true"#]
                case .lists: ["", #""actions":true"#, #""deleted":true"#]
                case .followLists: ["", #""content":true"#]
                case .createList: [named, #"\#(named),"ifAbsent":true"#, #"\#(named),"mode":"0666""#]
                case .deleteList: [named, #"\#(named),"ifRevision":1"#, #"\#(named),"keep":"required""#]
                case .undeleteList: [named, #"\#(named),"as":"\#(other)""#, #"\#(named),"epoch":"e""#]
                case .renameList: [#"\#(named),"to":"\#(other)""#]
                case .mirror: [#"\#(named),"of":"h:x""#, #"\#(named),"live":true"#, #"\#(named),"end":true"#]
                case .snapshot:
                    [named, #"\#(named),"at":1"#, #"\#(named),"view":{"search":"x"}"#, #"\#(named),"mostRecent":true"#]
                case .transact:
                    ["", #","dryRun":true"#, #","requestKey":"k\#(item)""#, #","more":true"#, #","more":false"#].map {
                        "\(named),\(operations)\($0)"
                    }
                case .apply:
                    [#"\#(named),"snapshot":{"sections":[{"id":"s"}]}"#, #"\#(named),"section":"s","snapshot":[]"#]
                case .perform: [#"\#(named),"action":"a""#, #"\#(named),"action":"a","items":["\#(item)"]"#]
                case .propose: ["\(named),\(operations)", #"\#(named),\#(operations),"dryRun":true"#]
                case .expand: [#"\#(named),"item":"\#(item)""#]
                // Requests to a handler depend on time.
                case .handle: Self.kept.contains(list) ? [] : [#"\#(named),"requests":["perform","propose"]"#]
                case .unhandle: [#""handler":1"#]
                case .answer: [#""request":1"#]
                case .subscribe:
                    [
                        "", #","ifAbsent":"wait""#, #","once":true"#, #","view":{"search":"x"}"#,
                        #","deliver":"patches""#,
                    ].map {
                        named + $0
                    }
                case .setView: [#""subscription":\#(item),"view":{"search":"1"}"#]
                case .unsubscribe: [#""subscription":\#(item)"#]
                case .history: [named]
                case .difference: [#"\#(named),"from":0,"to":1"#]
                case .undo: [named, #"\#(named),"dryRun":true"#]
                case .redo: [named]
                case .setAccess: [#"\#(named),"mode":"0640""#, #"\#(named),"owner":7"#]
                case .setSchemas: [#"\#(named),"schemas":{}"#]
                case .schemas: [named]
                case .reload, .backup: [""]
                case .restore: [#"\#(named),"operations":[],"more":true"#, #""more":false"#]
                case .attach: [#""host":"h""#]
                case .hosts: [#""hosts":["h"]"#]
                case .replicate: [#"\#(named),"epoch":"e""#]
                case .settle: [#""call":1,"outcome":"done""#]
                case .checkpoint: [named]
                }
            return options.randomElement(using: &random)
        }

        /// Without the values that differ between two daemons.
        private func compared(_ line: String) -> String {
            line.replacing(#/"(epoch|version)":"[^"]*"/#, with: "")
                .replacing(
                    #/"(time|pid|client|uptimeSeconds|connectedSeconds|bytesReceived|bytesSent|pendingBytes)":[0-9]+/#,
                    with: "")
        }

        /// All replies up to the reply to a ping that follows the request. Notifications come when there is time, several
        /// changes in one, and never name a hidden list.
        private func lines(of client: RawClient, after request: String) throws -> [String] {
            try client.send(request)
            // Some replies do not keep the order of requests.
            var lines: [String] = []
            if let id = request.firstMatch(of: #/"id":(\d+)/#)?.1 { lines = try client.lines(until: #","id":\#(id),"#) }
            try client.send(#"{"id":"end","method":"ping"}"#)
            lines += try client.lines(until: #""id":"end""#).dropLast()
            return lines.map(compared).filter { line in
                guard line.contains(#","method":""#) else { return true }
                #expect(!line.contains(#""listed":[],"unlisted":[]"#), "nothing has changed: \(line)")
                #expect(!Self.hidden.contains { line.contains(#""list":"\#($0)""#) }, "\(line)")
                return false
            }
        }

        private func fill(_ client: RawClient, _ list: String) throws {
            for request in [
                #"{"id":1,"method":"createList","params":{"list":"\#(list)","durability":"volatile"}}"#,
                #"{"id":1,"method":"apply","params":{"list":"\#(list)","snapshot":{"sections":[{"id":"s","items":[{"id":"1"}]}]}}}"#,
            ] { #expect(try client.reply(to: request).contains("result")) }
        }

        // MARK: Lists

        /// On one server the other lists exist, and another client changes and deletes them. On the other server they never
        /// existed. The restricted clients of both get the same lines.
        @Test(.early, arguments: 0..<4)
        func `a restricted connection cannot tell whether other lists exist`(run: Int) throws {
            var random = SplitMix64()
            let (full, bare) = (try TestServer(), try TestServer())
            let (owner, bareOwner) = (try full.connect(), try bare.connect())
            for list in Self.kept {
                try fill(owner, list)
                try fill(bareOwner, list)
            }
            for list in Self.hidden {
                try fill(owner, list)
                let handle =
                    #"{"id":1,"method":"handle","params":{"list":"\#(list)","requests":["perform","propose","expand"]}}"#
                #expect(try owner.reply(to: handle).contains("result"))
            }
            let (client, bareClient) = (try full.connect(), try bare.connect())
            for client in [client, bareClient] { #expect(try client.reply(to: Self.scope).contains(#""result":{}"#)) }
            var allowed: Set<Method>?
            var called: Set<Method> = []
            for step in 0..<400 {
                let method = Method.allCases.randomElement(using: &random) ?? .ping
                let list = (Self.kept + Self.hidden + Self.hidden).randomElement(using: &random) ?? ""
                guard let parameters = parameters(of: method, about: list, &random) else { continue }
                let request = #"{"id":\#(step),"method":"\#(method.rawValue)","params":{\#(parameters)}}"#
                let before = try owner.reply(to: "snapshot hidden")
                let (lines, bareLines) = (
                    try lines(of: client, after: request), try self.lines(of: bareClient, after: request)
                )
                #expect(lines == bareLines, "\(request), seed \(random.seed)")
                #expect(try owner.reply(to: "snapshot hidden") == before, "\(request), seed \(random.seed)")
                if allowed?.contains(method) ?? true {
                    called.insert(method)
                } else {
                    #expect(
                        lines.count == 1 && lines[0].contains("gave up the method \(method.rawValue)"), "\(request)")
                }
                // Changes of other lists are not reported either.
                let change =
                    [
                        #"{"id":1,"method":"transact","params":{"list":"one.b","operations":[{"op":"appendItems","items":[{"id":"x\#(step)"}]}]}}"#,
                        #"{"id":1,"method":"deleteList","params":{"list":"kept"}}"#,
                        #"{"id":1,"method":"undeleteList","params":{"list":"kept"}}"#,
                        #"{"id":1,"method":"createList","params":{"list":"kept","durability":"volatile"}}"#,
                    ].randomElement(using: &random) ?? ""
                try owner.send(change)
                _ = try owner.lines(until: #""id":1,"#)
                if step == 300 {
                    let methods = Set(Method.allCases.filter { _ in Bool.random(using: &random) }).union([.ping])
                    let names = methods.map { #""\#($0.rawValue)""# }.joined(separator: ",")
                    let request = #"{"id":0,"method":"restrict","params":{"methods":[\#(names)]}}"#
                    for client in [client, bareClient] {
                        #expect(try self.lines(of: client, after: request).count == 1)
                    }
                    allowed = methods
                }
            }
            #expect(called.count > Method.allCases.count * 3 / 4)
        }

        @Test func `lists given up later end what the connection has of them`() throws {
            let server = try TestServer()
            let (client, owner) = (try server.connect(), try server.connect())
            for list in ["mine", "theirs"] {
                try fill(client, list)
                _ = try lines(of: client, after: "subscribe \(list)")
                _ = try client.reply(
                    to: #"{"id":1,"method":"handle","params":{"list":"\#(list)","requests":["perform"]}}"#)
            }
            let mirror = #"{"id":1,"method":"mirror","params":{"list":"theirs","of":"h:theirs"}}"#
            #expect(try lines(of: client, after: mirror).last?.contains("result") == true)
            try client.send(#"{"id":2,"method":"restrict","params":{"lists":["mine"]}}"#)
            let ended = try client.lines(until: #""method":"subscriptionEnded""#)
            #expect(ended.last?.contains(#""params":{"subscription":2,"list":"theirs""#) == true)
            #expect(ended.contains { $0.contains(#""method":"handlerEnded","params":{"handler":2,"list":"theirs""#) })
            #expect(!ended.contains { $0.contains(#""list":"mine""#) })
            #expect(try owner.reply(to: "lists").contains(#""handles":["perform"]"#))
            #expect(try owner.reply(to: mirror).contains("result"), "nobody mirrors it any more")
            // A second request only narrows.
            #expect(
                try client.reply(to: #"{"id":2,"method":"restrict","params":{"lists":["*"]}}"#).contains(
                    #""result":{}"#))
            #expect(try client.reply(to: "snapshot theirs").contains("noSuchList"))
            #expect(try client.reply(to: "snapshot mine").contains("result"))
        }

        // MARK: Methods

        @Test func `hello reports the methods that a connection can call, and no other is carried out`() throws {
            let server = try TestServer()
            let client = try server.connect()
            func methods() throws -> [String] {
                let reply = try client.reply(to: #"{"id":1,"method":"hello"}"#)
                let names = reply.firstMatch(of: #/"methods":\[([^\]]*)\]/#)?.1 ?? ""
                return names.split(separator: ",").map { String($0.dropFirst().dropLast()) }
            }
            #expect(try methods() == Method.allCases.map(\.rawValue))
            _ = try client.reply(to: #"{"id":1,"method":"restrict","params":{"lists":["*"]}}"#)
            let administration = [
                "reload", "backup", "restore", "attach", "hosts", "replicate", "settle", "checkpoint",
            ]
            #expect(try methods() == Method.allCases.map(\.rawValue).filter { !administration.contains($0) })
            #expect(try client.reply(to: "backup").contains("is about all lists"))
            // Everything in one write.
            try client.send(
                #"{"id":1,"method":"restrict","params":{"methods":["ping","hello","createList"]}}"# + "\n"
                    + #"{"id":2,"method":"createList","params":{"list":"a"}}"# + "\nsnapshot a\nlists\n"
                    + #"{"id":3,"method":"restrict","params":{"methods":["lists"]}}"# + "\nping")
            let lines = try client.lines(until: #""id":null,"result":{}}"#)
            #expect(lines.count == 6 && lines[0].contains(#""result":{}"#) && lines[1].contains(#""list":"a""#))
            for line in lines[2...4] { #expect(line.contains("permissionDenied"), "\(line)") }
            #expect(try methods() == ["hello", "ping", "createList"])
        }

        @Test func `a request in parts ends with the methods and lists that are left`() throws {
            let server = try TestServer()
            let client = try server.connect()
            try fill(client, "a")
            func part(_ more: Bool) -> String {
                #"{"id":1,"method":"transact","params":{"list":"a","operations":[{"op":"deleteAllItems"}],"more":\#(more)}}"#
            }
            #expect(try client.reply(to: part(true)).contains("staged"))
            _ = try client.reply(to: #"{"id":1,"method":"restrict","params":{"lists":["b"]}}"#)
            #expect(try client.reply(to: part(false)).contains("noSuchList"))
            let (methods, other) = (try server.connect(), try server.connect())
            #expect(try methods.reply(to: part(true)).contains("staged"))
            _ = try methods.reply(to: #"{"id":1,"method":"restrict","params":{"methods":["ping"]}}"#)
            #expect(try methods.reply(to: part(false)).contains("permissionDenied"))
            #expect(try other.reply(to: "snapshot a").contains(#""revision":1,"#))
        }

        @Test func `mistakes restrict nothing, and are told`() throws {
            let server = try TestServer()
            let client = try server.connect()
            for (parameters, part) in [
                ("", "restrict needs at least one of the parameters methods and lists"),
                (#""methods":["pong"]"#, #"there is no method \"pong\"; did you mean \"ping\"?"#),
                (#""lists":[""]"#, "is empty"), (#""methods":"ping""#, "must be an array"),
                (
                    #""lists":[\#((0...1_000).map { #""\#($0)""# }.joined(separator: ","))]"#,
                    "more than 1000 names and prefixes"
                ),
            ] {
                let reply = try client.reply(to: #"{"id":1,"method":"restrict","params":{\#(parameters)}}"#)
                #expect(reply.contains("invalidParams") && reply.contains(part), "\(reply)")
            }
            #expect(try client.reply(to: #"{"id":1,"method":"createList","params":{"list":"x"}}"#).contains("result"))
        }
    }
}
