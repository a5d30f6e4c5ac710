import Foundation
import Testing

extension Integration {
    /// `edit`, `apply --merge`, `reorder`, and `move` by steps.
    struct EditCommandTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            let rows = """
                {"id":"milk","text":"Milk","n":1}
                {"id":"bread","text":"Bread"}
                {"id":"rye","text":"Rye","under":"bread"}
                {"id":"tea","text":"Tea"}
                """
            try daemon.succeed(
                "apply", "tasks", "--create", "-q", "--parent", ".under", "--from", "ndjson", input: rows)
        }

        private func ids() throws -> String {
            try daemon.succeed("show", "tasks", "-o", "ids").split(separator: "\n").joined(separator: " ")
        }

        // MARK: edit

        /// Edits with a script as the editor, which gets the file. Returns the first line that the script writes next to the
        /// file.
        private func edit(_ script: String, _ arguments: String...) throws -> CompanionAnswer {
            let editor = try daemon.directory.write(
                "#!/bin/bash\nset -e\nPATH=\(Binaries.directory):$PATH\n\(script)\n", to: "editor")
            chmod(editor, 0o755)
            let program = try Program(
                Binaries.companion, ["edit", "tasks"] + arguments,
                environment: [
                    "DIFFABLED_SOCKET": daemon.socket, "VISUAL": "\(editor) --wait", "TMPDIR": daemon.directory.path,
                ], in: daemon.directory)
            let status = try program.wait()
            return .init(status: status, output: program.output, complaints: program.complaints)
        }

        /// The kept files.
        private func kept() -> [String] {
            filePaths(below: daemon.directory.path).filter { $0.hasPrefix("diffablectl-") }
        }

        @Test func `an item's content is edited`() throws {
            let answer = try edit(#"[ "$1" = --wait ]; sed -i 's/"Milk"/"Oat milk"/' "$2""#, "milk")
            #expect(answer.status == 0, "\(answer.complaints)")
            #expect(answer.output == "tasks revision 2: 1 item changed\n")
            #expect(
                try daemon.succeed("get", "tasks", "milk") == #"{"id":"milk","text":"Oat milk","n":1}"# + "\n")
            #expect(try edit("true", "milk").complaints == "diffablectl: nothing was edited\n")
            #expect(kept() == [])
            #expect(try edit("true", "none").status == 6)
        }

        @Test func `a list is edited, a line for each item`() throws {
            let answer = try edit(#"sed -i -e '/"id":"milk"/d' -e 's/"Rye"/"Pumpernickel"/' "$2""#)
            #expect(answer.output == "tasks revision 2: 1 item deleted, 1 changed\n", "\(answer.complaints)")
            #expect(try ids() == "bread rye tea")
            #expect(try daemon.succeed("get", "tasks", "rye", ".text") == "Pumpernickel\n")
        }

        @Test func `what somebody else changes meanwhile is kept`() throws {
            let answer = try edit(
                #"diffablectl patch tasks milk n:=2 -q; diffablectl rm tasks tea -q; sed -i 's/"Milk"/"Oat milk"/' "$2""#,
                "milk")
            #expect(answer.status == 0, "\(answer.complaints)")
            #expect(try daemon.succeed("get", "tasks", "milk") == #"{"id":"milk","text":"Oat milk","n":2}"# + "\n")
            let list = try edit(#"diffablectl append tasks ham -q; sed -i '/"id":"milk"/d' "$2""#)
            #expect(list.status == 0, "\(list.complaints)")
            #expect(try ids() == "bread rye ham")
        }

        @Test func `when both change the same, nothing is changed and no text is lost`() throws {
            for (round, arguments) in [["milk"], []].enumerated() {
                let answer = try edit(
                    #"diffablectl set tasks milk text=Theirs\#(round) -q; sed -i 's/"text": *"[^"]*"/"text":"Mine"/' "$2""#,
                    arguments.first ?? "-q")
                #expect(answer.status == 5)
                #expect(answer.complaints.contains("another client has changed the same part of tasks"))
                let file = try #require(kept().first)
                #expect(answer.complaints.contains("the text is kept in \(daemon.directory.path)/\(file)"))
                let text = try String(contentsOfFile: daemon.directory.file(file), encoding: .utf8)
                #expect(text.contains("Mine"))
                try FileManager.default.removeItem(atPath: daemon.directory.file(file))
                #expect(try daemon.succeed("get", "tasks", "milk", ".text").hasPrefix("Theirs"))
            }
        }

        @Test(arguments: [
            #"echo "{" >"$2""#, #"echo "{" >"$2"; exit 3"#, #"echo '{"sections":[{"id":"s"},{"id":"s"}]}' >"$2""#,
        ])
        func `a text that cannot be used is kept`(script: String) throws {
            let answer = try edit(script)
            #expect(answer.status == 2)
            #expect(answer.complaints.contains("the text is kept in"))
            #expect(kept().count == 1)
            #expect(try ids() == "milk bread rye tea")
        }

        // MARK: apply --merge

        @Test func `apply --merge adds and changes, and leaves all else where it is`() throws {
            let rows = #"{"id":"ham","text":"Ham"}"# + "\n" + #"{"id":"milk","text":"Oat milk"}"#
            #expect(
                try daemon.succeed("apply", "tasks", "--merge", "--dry-run", input: rows)
                    == "+ ham  Ham  (in main, after tea)\n~ milk  Oat milk  (was Milk)\n")
            #expect(
                try daemon.succeed("apply", "tasks", "--merge", input: rows)
                    == "tasks revision 2: 1 item inserted, 1 changed\n")
            #expect(try ids() == "milk bread rye tea ham")
            #expect(try daemon.succeed("apply", "tasks", "--merge", input: rows) == "")
            let moved = "id,group\ntea,drinks\nrye,drinks\n"
            try daemon.succeed("apply", "tasks", "--merge", "--section", "group", "-q", "--from", "csv", input: moved)
            #expect(try daemon.succeed("show", "tasks", "--section", "drinks", "-o", "ids") == "tea\nrye\n")
            try daemon.succeed("apply", "other", "--merge", "--create", "-q", input: "a\nb\n")
            #expect(try daemon.succeed("show", "other") == "main\n    a\n    b\n")
        }

        @Test func `those who merge at the same time lose nothing of each other`() throws {
            let writers = try (0..<6).map { writer in
                let lines = (0..<50).map { "w\(writer)-\($0)" }.joined(separator: "\n")
                return try daemon.startCompanion(["apply", "tasks", "--merge", "-q"], input: lines)
            }
            for writer in writers { #expect(try writer.wait() == 0, "\(writer.complaints)") }
            #expect(try ids().split(separator: " ").count == 304)
        }

        // MARK: reorder and move

        @Test func `reorder takes ids alone`() throws {
            #expect(
                try daemon.succeed("reorder", "tasks", "-", input: "tea\nrye\nmilk\n")
                    == "tasks revision 2: 1 item moved\n")
            #expect(try ids() == "tea milk bread rye")
            #expect(try daemon.succeed("reorder", "tasks", input: "tea\n") == "")
            let unknown = try daemon.companion("reorder", "tasks", input: "bread\nnone\n")
            #expect(unknown.status == 6 && unknown.complaints.contains("no item \"none\""))
            #expect(try daemon.companion("reorder", "tasks", input: "tea\ntea\n").status == 2)
            #expect(try daemon.companion("reorder", "tasks", input: "\n").status == 2)
            #expect(try ids() == "tea milk bread rye")
        }

        @Test func `move takes steps among siblings`() throws {
            for (arguments, expected) in [
                (["tea", "--up"], "milk tea bread rye"), (["milk", "--back"], "tea bread rye milk"),
                (["bread", "--front"], "bread rye tea milk"), (["bread", "--down"], "tea bread rye milk"),
                (["tea", "--up"], "tea bread rye milk"), (["rye", "--up"], "tea bread rye milk"),
                (["milk", "--parent", "bread", "--front"], "tea bread milk rye"),
            ] {
                let program = try daemon.startCompanion(["move", "tasks", "-q"] + arguments)
                #expect(try program.wait() == 0, "\(program.complaints)")
                #expect(try ids() == expected, "\(arguments)")
            }
            #expect(try daemon.companion("move", "tasks", "none", "--up").status == 6)
            #expect(try daemon.companion("move", "tasks", "tea").status == 2)
            #expect(try daemon.companion("move", "tasks", "tea", "--up", "--down").status == 2)
            #expect(try daemon.companion("move", "tasks", "tea", "--up", "--section", "main").status == 2)
        }
    }
}
