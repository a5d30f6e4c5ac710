import Foundation
import Testing

extension Integration {
    /// A list's own content, with commands and in the protocol.
    struct ListContentTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon(configured: "contentLengthMax: 24\n")
            try daemon.succeed(
                "apply", "tasks", "--create", "-q",
                input: #"{"content":{"title":"Tasks"},"sections":[{"id":"main","items":[{"id":"milk"}]}]}"#)
        }

        private func shown(_ list: String = "tasks") throws -> String {
            try daemon.succeed("show", list, "--json").trimmingCharacters(in: .newlines)
        }

        private static let items = #""sections":[{"id":"main","items":[{"id":"milk"}]}]}"#

        @Test func `commands set, patch and take it away, and tell of it`() throws {
            #expect(try daemon.succeed("patch", "tasks", "--list", "title=All", "n:=1") == "tasks revision 2\n")
            #expect(try shown() == #"{"content":{"title":"All","n":1},"# + Self.items)
            #expect(
                try daemon.succeed("diff", "tasks", "1")
                    == "~ the list  title=All n:=1  (title=All n:=1)\n")
            try daemon.succeed("set", "tasks", "--list", "title=Mine", "-q")
            #expect(try shown() == #"{"content":{"title":"Mine"},"# + Self.items)
            try daemon.succeed("set", "tasks", "--list", "null", "-q")
            #expect(try shown() == "{" + Self.items)
            #expect(
                try daemon.succeed("undo", "tasks")
                    .hasPrefix("tasks revision 5: the list's own content changed; undid revision 4 by diffablectl ("))
            #expect(try shown() == #"{"content":{"title":"Mine"},"# + Self.items)
            for arguments in [
                ["set", "tasks", "--list"], ["patch", "tasks", "--list", "--where", "a", "b:=1"],
                ["set", "tasks", "--list", "--kind", "k", "b:=1"],
            ] {
                #expect(try daemon.startCompanion(arguments).wait() == 2, "\(arguments)")
            }
        }

        @Test func `an input that says nothing of it leaves it, and copies and backups have it`() throws {
            let milk = "{" + Self.items
            try daemon.succeed("apply", "tasks", input: milk)
            #expect(try shown() == #"{"content":{"title":"Tasks"},"# + Self.items)
            try daemon.succeed("apply", "tasks", "--into", "main", input: milk)
            try daemon.succeed("copy", "tasks", "others")
            #expect(try shown("others") == #"{"content":{"title":"Tasks"},"# + Self.items)
            let file = daemon.directory.file("backup")
            try daemon.succeed("backup", file)
            try daemon.succeed("apply", "tasks", input: #"{"content":null,"# + Self.items)
            #expect(try shown() == milk)
            try daemon.succeed("restore", file, "--replace")
            #expect(try shown() == #"{"content":{"title":"Tasks"},"# + Self.items)
        }

        @Test func `it is as long as any content may be`() throws {
            let client = try daemon.connect()
            defer { client.close() }
            func answer(_ operation: String) throws -> String {
                try client.send(
                    #"{"id":1,"method":"transact","params":{"list":"tasks","operations":[\#(operation)]}}"#)
                return try client.line() ?? ""
            }
            let text = String(repeating: "x", count: 22)
            #expect(try answer(#"{"op":"reconfigureList","content":"\#(text)"}"#).contains(#""changed":true"#))
            #expect(
                try answer(#"{"op":"reconfigureList","content":"\#(text)x"}"#)
                    .contains("operations[0].content: the content is longer than 24 bytes (contentLengthMax)"))
            let patch = #"{"op":"patchList","content":{"t":"\#(text.dropLast(6))"}}"#
            #expect(try answer(patch).contains(#""changed":true"#))
            let refused = try answer(#"{"op":"patchList","content":{"t":"\#(text.dropLast(5))"}}"#)
            #expect(refused.contains("would have 25 bytes of content of its own, more than 24 (contentLengthMax)"))
            #expect(refused.contains(#""limit":"contentLengthMax","max":24"#))
        }

        @Test func `it is edited with the list, and goes when its line is deleted`() throws {
            func edit(_ script: String) throws -> String {
                let editor = try daemon.directory.write("#!/bin/bash\n\(script)\n", to: "editor")
                chmod(editor, 0o755)
                let program = try Program(
                    Binaries.companion, ["edit", "tasks"],
                    environment: [
                        "DIFFABLED_SOCKET": daemon.socket, "VISUAL": editor, "TMPDIR": daemon.directory.path,
                    ], in: daemon.directory)
                #expect(try program.wait() == 0, "\(program.complaints)")
                return program.output
            }
            #expect(
                try edit("sed -i 's/Tasks/Mine/' \"$1\"") == "tasks revision 2: the list's own content changed\n")
            #expect(try shown() == #"{"content":{"title":"Mine"},"# + Self.items)
            _ = try edit("sed -i 's/\"content\":{[^}]*},//' \"$1\"")
            #expect(try shown() == "{" + Self.items)
        }
    }
}
