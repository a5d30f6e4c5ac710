import Foundation
import TestSupport
import Testing

extension Integration {
    /// `rm`, `set` and `patch` with --where.
    struct ConditionCommandTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            let rows = """
                {"id":"a","done":true,"cpu":5}
                {"id":"b","done":false,"cpu":15,"under":"a"}
                {"id":"c","done":true,"cpu":25,"under":"b"}
                {"id":"d","cpu":"30"}
                """
            try daemon.succeed(
                "apply", "procs", "--create", "-q", "--parent", ".under", "--from", "ndjson", input: rows)
        }

        private func ids(_ arguments: String...) throws -> String {
            let shown = try daemon.succeed("show", "procs")
            return shown.split(separator: "\n").dropFirst().compactMap {
                $0.split(whereSeparator: { " ▾▸".contains($0) }).first.map(String.init)
            }.joined(separator: " ")
        }

        @Test func `a negated condition with a misspelt field is named, before and after it changes everything`() throws
        {
            let preview = try daemon.companion("rm", "procs", "--where", "!doen", "--dry-run")
            #expect(preview.complaints.contains("did you mean .done?"), "\(preview.complaints)")
            let answer = try daemon.companion("rm", "procs", "--where", "!doen")
            #expect(answer.complaints.contains("did you mean .done?"), "\(answer.complaints)")
        }

        @Test func `rm deletes what meets the condition, and not what it stands under`() throws {
            // A view also shows b, because c is below it.
            #expect(try daemon.succeed("rm", "procs", "--where", "cpu>20") == "procs revision 2: 1 item deleted\n")
            #expect(try ids() == "a b d")
            let answer = try daemon.companion("rm", "procs", "--where", "cpu>20")
            #expect(answer.status == 0 && answer.output == "")
            #expect(answer.complaints.contains("no item of procs meets the condition"))
        }

        @Test func `rm deletes a parent together with its child`() throws {
            #expect(
                try daemon.succeed("rm", "procs", "--where", "done=true")
                    == "procs revision 2: 2 items deleted, with 1 item below\n")
            #expect(try ids() == "d")
        }

        @Test func `patch and set change all that meet the conditions`() throws {
            #expect(
                try daemon.succeed("patch", "procs", "--where", "done", "--where", "cpu<20", ".flags.seen:=true")
                    == "procs revision 2: 1 item patched\n")
            #expect(
                try daemon.succeed("show", "procs", "--json", "--where", "flags").contains(
                    #"{"id":"a","content":{"id":"a","done":true,"cpu":5,"flags":{"seen":true}}"#))
            #expect(
                try daemon.succeed("set", "procs", "--where", "cpu=30", "text=x")
                    == "procs revision 3: 1 item set; replaced 2 members; id and cpu are gone (patch would have kept them)\n"
            )
            #expect(try daemon.succeed("patch", "procs", "a", ".cpu:=13") == "procs revision 4\n")
            #expect(try daemon.succeed("show", "procs", "--where", "cpu=13").contains("a  "))
        }

        @Test func `a field alone does not select what is false`() throws {
            // Without parents, which a view shows as well.
            let rows = #"[{"id":"a","done":true},{"id":"b","done":false},{"id":"c","done":0},{"id":"d"}]"#
            try daemon.succeed("apply", "flat", "--create", "-q", input: rows)
            #expect(try daemon.succeed("show", "flat", "-o", "ids", "--where", "done") == "a\n")
            #expect(try daemon.succeed("show", "flat", "-o", "ids", "--where", "!done") == "b\nc\nd\n")
            #expect(try daemon.succeed("show", "flat", "-o", "ids", "--where", "done?") == "a\nb\nc\n")
            #expect(try daemon.companion("wait", "procs", "b", "--for", "done", "--timeout", "50ms").status == 4)
            try daemon.succeed("rm", "procs", "--where", "!done", "-q")
            #expect(try ids() == "a")
        }

        @Test func `a table's text for false is not taken for true by a command that changes items`() throws {
            try daemon.succeed("set", "procs", "d", "done=false", "-q")
            for command in [["rm", "procs"], ["patch", "procs", "x:=1"], ["move", "procs", "--section", "main"]] {
                let program = try daemon.startCompanion(command + ["--where", "done"])
                #expect(
                    try program.wait() == 1 && program.complaints.contains("Use --where '.done=true'"),
                    "\(program.complaints)")
            }
            #expect(try ids() == "a b c d")
            let shown = try daemon.companion("show", "procs", "--where", "done")
            #expect(shown.complaints.contains("use --where '.done=true'"))
        }

        @Test func `a dry run shows what would change, and changes nothing`() throws {
            for (command, line, sentence) in [
                (["rm", "procs", "--where", "done"], "- a  ", "3 items deleted"),
                (["rm", "procs", "b"], "- b  ", "2 items deleted"),
                (["patch", "procs", "--where", "cpu>10", "cpu:=1"], "~ b  ", "2 items changed"),
                (["set", "procs", "a", "x=1"], "~ a  x=1", "replaced 3 members; id, done and cpu are gone"),
                (["move", "procs", "d", "--front"], "> d  ", "1 item moved"),
                (["move", "procs", "--where", "done", "--parent", "d"], "> a  ", "1 item moved"),
                (["section", "rm", "procs", "main"], "- section main  (with 4 items)", "4 items deleted"),
            ] {
                let program = try daemon.startCompanion(command + ["--dry-run"])
                #expect(try program.wait() == 0)
                #expect(program.output.hasPrefix(line), "\(command): \(program.output)")
                #expect(program.complaints.contains("nothing was changed; without --dry-run: "))
                #expect(program.complaints.contains(sentence), "\(command): \(program.complaints)")
            }
            #expect(try ids() == "a b c d")
            #expect(try daemon.companion("rm", "procs", "none", "--dry-run").status == 6)
        }

        @Test func `all that meet a condition are moved to one place, in their order`() throws {
            try daemon.succeed("append", "procs", "e", "done:=true", "-q")
            try daemon.succeed("section", "add", "procs", "old", "-q")
            try daemon.succeed("append", "procs", "o", "--section", "old", "-q")
            #expect(
                try daemon.succeed("move", "procs", "--where", "done", "--section", "old", "--front")
                    == "procs revision 5: 2 items moved\n")
            // c is below a, and moves with it.
            #expect(try daemon.succeed("show", "procs", "-o", "ids") == "d\na\nb\nc\ne\no\n")
            #expect(try daemon.companion("move", "procs", "--where", "done", "--up").status == 2)
            #expect(try daemon.companion("move", "procs", "a", "--where", "done", "--section", "old").status == 2)
        }

        @Test func `rm and section rm say how many items went with what was named`() throws {
            #expect(try daemon.succeed("rm", "procs", "b") == "procs revision 2: 1 item deleted, with 1 item below\n")
            #expect(try daemon.succeed("rm", "procs", "a") == "procs revision 3\n")
            try daemon.succeed("append", "procs", "f", "--parent", "d", "-q")
            #expect(
                try daemon.succeed("section", "rm", "procs", "main") == "procs revision 5: 2 items deleted with it\n")
        }

        @Test func `a string that looks like another value is warned of, and refused in the place of one`() throws {
            let warned = try daemon.companion("append", "procs", "e", "done=true", "cpu=7", "text=1984")
            #expect(warned.status == 0)
            #expect(
                warned.complaints.contains(
                    #"done=true stores the text "true"; to store the value true, use done:=true"#))
            #expect(warned.complaints.contains("use cpu:=7, as other items do"))
            #expect(!warned.complaints.contains("1984"))
            #expect(try daemon.companion("append", "procs", "f", "done=true", "-q").complaints == "")
            #expect(
                try daemon.companion("patch", "procs", "e", "done=false").complaints == "", "it is a string already")
            #expect(try daemon.companion("section", "add", "procs", "s", "open=null").complaints.contains("open:=null"))
            for command in [
                ["set", "procs", "a", "done=true"], ["patch", "procs", "a", "cpu=5", "-q"],
                ["patch", "procs", "--where", "id=a", "done=false"],
                ["set", "procs", "--where", "cpu?", "cpu=5", "--dry-run"],
            ] {
                let program = try daemon.startCompanion(command)
                #expect(try program.wait() == 1, "\(command): \(program.complaints)")
                #expect(program.complaints.contains("nothing was changed. Use "), "\(program.complaints)")
            }
            #expect(try daemon.succeed("get", "procs", "a", ".done") == "true\n")
            try daemon.succeed("patch", "procs", "--list", "open:=true", "-q")
            #expect(
                try daemon.companion("patch", "procs", "--list", "open=false").complaints.contains("Use open:=false"))
            try daemon.succeed("section", "set", "procs", "s", "open:=true", "-q")
            #expect(try daemon.companion("section", "set", "procs", "s", "open=false").status == 1)
        }

        @Test func `content in the place of an id makes nothing`() throws {
            for command in ["append procs", "section add procs", "insert procs"] {
                let place = command.hasPrefix("insert") ? ["--after", "a"] : []
                let words = command.split(separator: " ").map(String.init) + ["text=Tea"]
                let program = try daemon.startCompanion(words + place)
                #expect(try program.wait() == 2)
                #expect(program.complaints.contains("diffablectl \(command) ID text=Tea"), "\(program.complaints)")
            }
            #expect(try ids() == "a b c d")
            #expect(try daemon.succeed("append", "procs", "text=Tea", "--literal-id") == "procs revision 2\n")
        }

        @Test func `set names the members that it drops`() throws {
            try daemon.succeed("set", "procs", "d", "id=d", "cpu=9", "text=x", "due=1", "-q")
            #expect(
                try daemon.succeed("set", "procs", "d", "text=y")
                    == "procs revision 3: replaced 4 members; id, cpu and due are gone (patch would have kept them)\n")
            #expect(try daemon.succeed("set", "procs", "d", "text=z", "more=1") == "procs revision 4\n")
            #expect(try daemon.succeed("set", "procs", "d", "null", "-q") == "")
        }

        @Test func `a duplicate member has one value for all who read it`() throws {
            try daemon.succeed("append", "procs", "e", #"{"text":"old","done":true,"text":"new","done":false}"#, "-q")
            #expect(
                try daemon.succeed("show", "procs", "-o", "table", "--columns", "id,text,done", "--where", "text=new")
                    .contains("e   new   false"))
            #expect(try daemon.succeed("get", "procs", "e", ".text") == "new\n")
            #expect(try daemon.succeed("show", "procs", "-o", "ids", "--where", "text=old") == "")
            #expect(try daemon.succeed("show", "procs", "-o", "ids", "--search", "old") == "")
            #expect(try daemon.succeed("show", "procs", "-o", "ids", "--search", "new") == "e\n")
            #expect(try daemon.succeed("show", "procs").contains("e  new\n"))
        }

        @Test func `a condition and a revision hold together`() throws {
            let refused = try daemon.companion("rm", "procs", "--where", "done=true", "--if-revision", "9")
            #expect(refused.status != 0 && refused.complaints.contains("9"))
            #expect(try ids() == "a b c d")
            try daemon.succeed("rm", "procs", "--where", "done=true", "--if-revision", "1", "-q")
            #expect(try ids() == "d")
        }

        @Test(arguments: [
            ["rm", "procs"], ["rm", "procs", "a", "--where", "done"], ["patch", "procs", "--where", "done"],
            ["patch", "procs", "a"], ["set", "procs"], ["patch", "procs", "--where", "cpu>", "a:=1"],
        ]) func `without knowing what is meant nothing is changed`(arguments: [String]) throws {
            let program = try daemon.startCompanion(arguments)
            #expect(try program.wait() == 2, "\(program.complaints)")
            #expect(try ids() == "a b c d")
        }

        @Test func `while others change the list, nothing is deleted that does not meet the condition then`() throws {
            try daemon.succeed("create", "busy", "--volatile")
            let writer = try daemon.connect()
            defer { writer.close() }
            var random = SplitMix64()
            for number in 0..<20 {
                try daemon.expectChange(
                    of: "busy", #"{"op":"appendItems","items":[{"id":"i\#(number)","content":{}}]}"#, writer)
            }
            let cleaners = try (0..<3).map { _ in try daemon.startCompanion(["rm", "busy", "--where", "done=true"]) }
            // Each tries a hundred times. The first attempts lose the race; with slower pauses, later ones win.
            var pauseMicroseconds = 20.0
            while cleaners.contains(where: { $0.exitStatus() == nil }) {
                usleep(UInt32(pauseMicroseconds))
                pauseMicroseconds = min(pauseMicroseconds * 1.05, 500_000)
                let done = Bool.random(using: &random)
                let item = #"{"id":"i\#(Int.random(in: 0..<20, using: &random))","content":{"done":\#(done)}}"#
                _ = try writer.reply(
                    to:
                        #"{"id":1,"method":"transact","params":{"list":"busy","operations":[{"op":"patchItems","items":[\#(item)]}]}}"#
                )
            }
            for cleaner in cleaners { #expect(cleaner.exitStatus() == 0, "\(cleaner.complaints)") }
            #expect(try undoneDeletions(writer) == [], "seed \(random.seed)")
        }

        /// Returns the deleted items that were not done in the state before.
        private func undoneDeletions(_ client: RawClient) throws -> [String] {
            func ask(_ method: String, _ parameters: String) throws -> [String: Any] {
                let line = try client.reply(
                    to: #"{"id":2,"method":"\#(method)","params":{"list":"busy"\#(parameters)}}"#)
                let reply = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return try #require(reply?["result"] as? [String: Any], "\(line)")
            }
            let history = try ask("history", "")
            let oldest = try #require(history["oldest"] as? Int)
            let newest = try #require(history["revision"] as? Int)
            var done: [String: Bool] = [:]
            var undone: [String] = []
            for revision in oldest..<newest {
                let difference = try ask("difference", #","from":\#(revision),"to":\#(revision + 1)"#)
                for operation in difference["operations"] as? [[String: Any]] ?? [] {
                    for item in operation["items"] as? [Any] ?? [] {
                        if let id = item as? String, operation["op"] as? String == "deleteItems" {
                            if done[id] == false { undone.append(id) }
                        } else if let item = item as? [String: Any], let id = item["id"] as? String {
                            done[id] = (item["content"] as? [String: Any])?["done"] as? Bool ?? false
                        }
                    }
                }
            }
            return undone
        }
    }
}

extension Daemon {
    fileprivate func expectChange(of list: String, _ operation: String, _ client: RawClient) throws {
        let reply = try client.reply(
            to: #"{"id":1,"method":"transact","params":{"list":"\#(list)","operations":[\#(operation)]}}"#)
        #expect(reply.contains(#""changed":true"#), "\(reply)")
    }
}
