import Foundation
import Testing

extension Integration {
    /// Invalid input gives an error that describes the problem; the connection and the list stay.
    struct BadInputTests {
        /// A line, and the required parts of the answer.
        private struct Case {
            var line: [UInt8]
            var name: String
            var code: Int

            init(_ line: String, _ name: String, _ code: Int) { self.init(Array(line.utf8), name, code) }

            init(_ line: [UInt8], _ name: String, _ code: Int) {
                (self.line, self.name, self.code) = (line, name, code)
            }

            /// One operation on the list that all cases use.
            static func operation(_ operation: String, _ name: String, _ code: Int) -> Case {
                Case(
                    #"{"id":1,"method":"transact","params":{"list":"list","operations":[\#(operation)]}}"#, name, code)
            }

            static func apply(_ members: String, _ name: String, _ code: Int) -> Case {
                Case(#"{"id":1,"method":"apply","params":{"list":"list",\#(members)}}"#, name, code)
            }
        }

        @Test func `each misuse of an operation is answered with its error`() throws {
            let (daemon, client) = try prepared()
            try check(
                [
                    .operation(#"{"op":"appendSections","sections":[{"id":"s1"}]}"#, "duplicateSection", 5),
                    .operation(#"{"op":"appendSections","sections":[{"id":"x"},{"id":"x"}]}"#, "duplicateSection", 5),
                    .operation(
                        #"{"op":"insertSections","sections":[{"id":"x"}],"after":"none"}"#, "noSuchSection", 3),
                    .operation(#"{"op":"insertSections","sections":[{"id":"x"}],"after":"x"}"#, "invalidAnchor", 7),
                    .operation(#"{"op":"deleteSections","sections":["none"]}"#, "noSuchSection", 3),
                    .operation(#"{"op":"moveSection","section":"none","after":null}"#, "noSuchSection", 3),
                    .operation(#"{"op":"moveSection","section":"s1","after":"none"}"#, "noSuchSection", 3),
                    .operation(#"{"op":"moveSection","section":"s1","after":"s1"}"#, "invalidAnchor", 7),
                    .operation(#"{"op":"reloadSections","sections":["none"]}"#, "noSuchSection", 3),
                    .operation(#"{"op":"appendItems","items":[{"id":"x"}],"section":"none"}"#, "noSuchSection", 3),
                    .operation(#"{"op":"appendItems","items":[{"id":"x"}],"parent":"none"}"#, "noSuchItem", 4),
                    .operation(#"{"op":"appendItems","items":[{"id":"a"}]}"#, "duplicateItem", 6),
                    .operation(#"{"op":"appendItems","items":[{"id":"x"},{"id":"x"}]}"#, "duplicateItem", 6),
                    .operation(#"{"op":"insertItems","items":[{"id":"x"}],"before":"none"}"#, "noSuchItem", 4),
                    .operation(#"{"op":"insertItems","items":[{"id":"x"}],"after":"x"}"#, "invalidAnchor", 7),
                    .operation(#"{"op":"deleteItems","items":["none"]}"#, "noSuchItem", 4),
                    .operation(#"{"op":"moveItem","item":"none","section":"s1"}"#, "noSuchItem", 4),
                    .operation(#"{"op":"moveItem","item":"a","after":"none"}"#, "noSuchItem", 4),
                    .operation(#"{"op":"moveItem","item":"a","after":"a"}"#, "invalidAnchor", 7),
                    .operation(#"{"op":"moveItem","item":"a","parent":"a1"}"#, "ownDescendant", 8),
                    .operation(#"{"op":"reloadItems","items":["none"]}"#, "noSuchItem", 4),
                    .operation(#"{"op":"reconfigureItems","items":["none"]}"#, "noSuchItem", 4),
                    .operation(#"{"op":"patchItems","items":[{"id":"none","content":{}}]}"#, "noSuchItem", 4),
                    .operation(#"{"op":"expandItems","items":["none"]}"#, "noSuchItem", 4),
                    .operation(#"{"op":"collapseItems","items":["none"]}"#, "noSuchItem", 4),
                    .operation(#"{"op":"replaceChildren","parent":"none","items":[]}"#, "noSuchItem", 4),
                    .operation(
                        #"{"op":"replaceChildren","parent":"a","items":[{"id":"x"},{"id":"x"}]}"#, "duplicateItem", 6),
                    .apply(
                        #""snapshot":{"sections":[{"id":"s","items":[{"id":"x"}]},{"id":"t","items":[{"id":"x"}]}]}"#,
                        "duplicateItem", 6),
                    .apply(#""snapshot":{"sections":[{"id":"s"},{"id":"s"}]}"#, "duplicateSection", 5),
                    .apply(#""section":"s1","snapshot":[{"id":"x"},{"id":"x"}]"#, "duplicateItem", 6),
                    .apply(#""snapshot":{"sections":[]},"ifRevision":77"#, "revisionMismatch", 9),
                    Case("snapshot none", "noSuchList", 1), Case("subscribe none", "noSuchList", 1),
                    Case("deleteList none", "noSuchList", 1), Case("createList list", "listExists", 2),
                    Case(#"{"id":1,"method":"unsubscribe","params":{"subscription":9}}"#, "noSuchSubscription", 15),
                ], daemon, client)
        }

        @Test func `a bad line is answered and the next one is read`() throws {
            let (daemon, client) = try prepared()
            let deep = String(repeating: "[", count: 80) + String(repeating: "]", count: 80)
            let ping = #"{"id":1,"method":"ping","params":{}"#
            try check(
                [
                    Case(#"{"id":1,"method":"ping""#, "parseError", -32700),
                    Case(#"{"id":1,"method":"ping",}"#, "parseError", -32700),
                    Case(
                        Array(#"{"id":1,"method":"ping","x":""#.utf8) + [0xFF] + Array("\"}".utf8), "parseError", -32700
                    ),
                    Case(#"{"id":1,"method":"ping","x":"\ud800"}"#, "parseError", -32700),
                    Case([0xEF, 0xBB, 0xBF] + Array("\(ping)}".utf8), "parseError", -32700),
                    Case("[\(ping)}]", "invalidRequest", -32600),
                    Case(#"{"id":1}"#, "invalidRequest", -32600),
                    Case(#"{"id":1.5,"method":"ping"}"#, "invalidRequest", -32600),
                    Case(#"{"id":1,"method":"ping","methd":"x"}"#, "invalidRequest", -32600),
                    Case(#"{"id":1,"method":"pong"}"#, "methodNotFound", -32601),
                    Case("pong", "methodNotFound", -32601),
                    Case(#"{"id":1,"method":"snapshot","params":{"lst":"list"}}"#, "invalidParams", -32602),
                    Case(#"{"id":1,"method":"snapshot","params":["list"]}"#, "invalidParams", -32602),
                    Case(#"{"id":1,"method":"snapshot"}"#, "invalidParams", -32602),
                    Case(#"{"id":1,"method":"createList","params":{"list":""}}"#, "invalidParams", -32602),
                    Case(#"{"id":1,"method":"createList","params":{"list":"a\u0000"}}"#, "invalidParams", -32602),
                    .operation(#"{"op":"appendItem","items":[]}"#, "invalidParams", -32602),
                    .operation(#"{"op":"appendItems"}"#, "invalidParams", -32602),
                    .operation(
                        #"{"op":"appendItems","items":[{"id":"\#(String(repeating: "x", count: 256))"}]}"#,
                        "tooLarge", 11),
                    .operation(#"{"op":"appendItems","items":[{"id":"x","content":\#(deep)}]}"#, "tooLarge", 11),
                    .operation(
                        #"{"op":"appendItems","items":[{"id":"x","content":"\#(String(repeating: "x", count: 40_000))"}]}"#,
                        "tooLarge", 11),
                    Case(String(repeating: "x", count: 3 << 20), "tooLarge", 11),
                    Case("{" + String(repeating: " ", count: 1 << 20) + "}", "tooLarge", 11),
                ], daemon, client)
        }

        @Test func `a refused transaction names its operation and changes nothing`() throws {
            let (daemon, client) = try prepared()
            let reply = try client.reply(
                to: #"{"id":1,"method":"transact","params":{"list":"list","operations":["#
                    + #"{"op":"deleteItems","items":["b"]},{"op":"deleteItems","items":["none"]}]}}"#)
            #expect(
                reply.contains(#""operation":1"#) && reply.contains(#""item":"none""#)
                    && reply.contains(#""list":"list""#))
            #expect(try client.reply(to: "snapshot list").contains(#"{"id":"b"}"#))
            #expect(daemon.program.exitStatus() == nil)
        }

        /// A line of these would block all clients for half a minute.
        @Test func `patches of one long content in one line are refused when they are too many`() throws {
            let (daemon, client) = try prepared()
            let members = (0..<3_000).map { #""\#($0)":0"# }.joined(separator: ",")
            let request = { (operations: String) in
                #"{"id":1,"method":"transact","params":{"list":"list","operations":[\#(operations)]}}"#
            }
            let content = #"{"op":"reconfigureItems","items":[{"id":"a","content":{\#(members)}}]}"#
            #expect(try client.reply(to: request(content)).contains(#""changed":true"#))
            let patch = #"{"id":"a","content":{"0":1}}"#
            let many = String(repeating: patch + ",", count: 30_000) + patch
            let refusal = try client.reply(to: request(#"{"op":"patchItems","items":[\#(many)]}"#))
            #expect(refusal.contains(#""name":"tooLarge""#) && refusal.contains(#""limit":"patchedLengthMax""#))
            #expect(refusal.contains("one patch"), "\(refusal)")
            let few = String(repeating: patch + ",", count: 9) + patch
            #expect(try client.reply(to: request(#"{"op":"patchItems","items":[\#(few)]}"#)).contains("true"))
            #expect(daemon.program.exitStatus() == nil)
        }

        @Test func `a line that is refused spoils no later request in parts, and a refused part its own`() throws {
            let (daemon, client) = try prepared()
            defer { #expect(daemon.program.exitStatus() == nil) }
            func line(_ id: Int?, _ members: String, method: String = "transact") -> String {
                #"{\#(id.map { "\"id\":\($0)," } ?? "")"method":"\#(method)","params":{"list":"list",\#(members)}}"#
            }
            var number = 0
            func append(_ content: String = "1") -> String {
                number += 1
                return #""operations":[{"op":"appendItems","items":[{"id":"new\#(number)","content":\#(content)}]}]"#
            }
            func parts() throws -> String {
                try client.send(line(nil, append() + #","more":true"#))
                return try client.reply(to: line(2, append() + #","more":false"#))
            }
            let deep = String(repeating: "[", count: 80) + String(repeating: "]", count: 80)
            let long = "\"" + String(repeating: "x", count: 1 << 20) + "\""
            for refused in [
                line(1, append(deep)), line(1, append(long)), line(1, append("[")), "{", "hepl", "[{}]",
                line(1, append(), method: "transct"), line(1, #""operations":[7]"#),
                line(1, append(#"{"more":true,}"#)),
                line(1, #""operations":[7],"more":false"#),
            ] {
                let shown = refused.count < 200 ? refused : "\(refused.prefix(100))…\(refused.suffix(20))"
                #expect(try client.reply(to: refused).contains(#""error""#), "\(shown)")
                #expect(try parts().contains(#""id":2,"result""#), "\(shown)")
            }
            for content in [deep, long, "["] {
                let before = try client.reply(to: "snapshot list")
                #expect(try client.reply(to: line(1, append(content) + #","more":true"#)).contains(#""error""#))
                #expect(try parts().contains(#""id":2,"error""#), "its first part was refused")
                #expect(try client.reply(to: "snapshot list") == before)
                #expect(try parts().contains(#""id":2,"result""#))
            }
            // The same applies to a restore.
            let restore = #"{"method":"restore","params":{"list":"other","operations":[],"more":true}}"#
            for refused in [line(1, #""operations":[7],"more":true"#), line(1, append(deep)), line(1, append(long))] {
                #expect(try client.reply(to: refused).contains(#""error""#))
                try client.send(restore)
                let restored = try client.reply(
                    to: #"{"id":3,"method":"restore","params":{"replace":true,"more":false}}"#)
                #expect(restored.contains(#""id":3,"result""#), "\(restored)")
                _ = try parts()
            }
        }

        private func prepared() throws -> (Daemon, RawClient) {
            let daemon = try Daemon()
            let client = try daemon.connect()
            _ = try client.reply(to: "createList list")
            let reply = try client.reply(
                to: #"{"id":1,"method":"transact","params":{"list":"list","operations":["#
                    + #"{"op":"appendSections","sections":[{"id":"s1","items":[{"id":"a","children":[{"id":"a1"}]},"#
                    + #"{"id":"b"}]},{"id":"s2"}]}]}}"#)
            #expect(reply.contains(#""revision":1,"changed":true"#))
            return (daemon, client)
        }

        private func check(_ cases: [Case], _ daemon: Daemon, _ client: RawClient) throws {
            let state = try client.reply(to: "snapshot list")
            for bad in cases {
                let shown = String(decoding: bad.line.prefix(160), as: UTF8.self)
                try client.send(bad.line + [UInt8(ascii: "\n")])
                let reply = try client.line() ?? "the connection was closed"
                #expect(
                    reply.contains(#""code":\#(bad.code),"#) && reply.contains(#""name":"\#(bad.name)""#),
                    "\(shown) → \(reply)")
                #expect(try client.reply(to: "snapshot list") == state, "after \(shown)")
            }
            #expect(daemon.program.exitStatus() == nil)
        }
    }
}
