import Foundation
import Testing

extension Integration {
    /// Mistakes on the command line that could lose data silently, and do not.
    struct LossTests {
        @Test func `delete refuses what could not be brought back, and --force deletes it for good`() throws {
            let daemon = try Daemon(configured: "deletedLengthMax: 20000\n")
            let rows = (0..<500).map { "row \($0)" }.joined(separator: "\n")
            try daemon.succeed("apply", "fat", "--create", "-q", "--from", "lines", input: rows)
            for list in ["a", "b", "c"] { try daemon.succeed("append", try made(list, daemon), "x", "-q") }
            let refused = try daemon.companion("delete", "fat")
            #expect(refused.status == 1, "\(refused)")
            #expect(
                refused.complaints.contains("too long (deletedLengthMax)"), "\(refused.complaints)")
            #expect(refused.complaints.contains("use --force;"), "\(refused.complaints)")
            #expect(try daemon.succeed("show", "fat", "-o", "ids").split(separator: "\n").count == 500)
            let several = try daemon.companion("delete", "a", "fat", "b")
            #expect(several.complaints.contains(#"deleted: "a"; not deleted: "fat", "b""#), "\(several.complaints)")
            try daemon.succeed("delete", "fat", "--force")
            try daemon.succeed("delete", "b", "c")
            #expect(try daemon.succeed("ls", "--names") == "")
            let gone = try daemon.companion("undelete", "fat")
            #expect(gone.status == 6 && gone.complaints.contains("for good"), "\(gone.complaints)")
            for list in ["a", "b", "c"] { try daemon.succeed("undelete", list) }
            #expect(try daemon.companion("delete", "a", "--if-revision", "7").status == 5)
            #expect(try daemon.companion("delete", "a", "b", "--if-revision", "7").status == 2)
        }

        private func made(_ list: String, _ daemon: Daemon) throws -> String {
            try daemon.succeed("create", list)
            return list
        }

        @Test func `of two deleted lists with one name each comes back, by its time`() throws {
            let daemon = try Daemon()
            for item in ["precious", "cron"] {
                try daemon.succeed("append", try made("p1", daemon), item, "-q")
                try daemon.succeed("delete", "p1")
                // The times are shown in seconds.
                if item == "precious" { Thread.sleep(forTimeInterval: 1.1) }
            }
            let times = try daemon.succeed("ls", "--deleted").matches(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/)
                .map { String($0.0) }
            #expect(times.count == 2)
            let vague = try daemon.companion("undelete", "p1", "--deleted", String(times[0].prefix(2)))
            #expect(vague.status == 2 && vague.complaints.contains(times[1]), "\(vague.complaints)")
            #expect(try daemon.companion("undelete", "p1", "--deleted", "1999").status == 6)
            try daemon.succeed("undelete", "p1", "--deleted", times[1], "--as", "former")
            try daemon.succeed("undelete", "p1")
            #expect(try daemon.succeed("show", "former", "-o", "ids") == "precious\n")
            #expect(try daemon.succeed("show", "p1", "-o", "ids") == "cron\n")
        }

        @Test func `what restore --replace has replaced comes back, and undo does not empty what was restored`() throws
        {
            let daemon = try Daemon()
            let file = try ScratchDirectory().file("lists.backup")
            try daemon.succeed("apply", "rest", "--create", "-q", "--from", "lines", input: "old\nolder\n")
            try FileManager.default.createDirectory(
                atPath: URL(fileURLWithPath: file).deletingLastPathComponent().path, withIntermediateDirectories: true)
            try daemon.succeed("backup", file, "rest")
            try daemon.succeed("apply", "rest", "-q", "--from", "lines", input: "a\nb\nc\n")
            try daemon.succeed("restore", file, "--replace")
            let undo = try daemon.companion("undo", "rest")
            #expect(undo.status == 1 && undo.complaints.contains("--to 0"), "\(undo)")
            #expect(try daemon.succeed("show", "rest", "-o", "ids") == "old\nolder\n")
            try daemon.succeed("undelete", "rest", "--as", "replaced")
            #expect(try daemon.succeed("show", "replaced", "-o", "ids") == "a\nb\nc\n")
            try daemon.succeed("undo", "rest", "--to", "0", "-q")
            #expect(try daemon.succeed("show", "rest", "-o", "ids") == "")
        }

        @Test(arguments: [
            "null\n", "true", "\"text\"\n", "<html><body>502, Bad Gateway</body></html>\n", "<!DOCTYPE html>\n<p>x\n",
        ])
        func `what a program wrote in place of rows replaces no list, unless somebody says that it is lines`(
            input: String
        ) throws {
            let daemon = try Daemon()
            try daemon.succeed("apply", "jl", "--create", "-q", input: #"{"id":"a","v":1}"# + "\n")
            let refused = try daemon.companion("apply", "jl", input: input)
            #expect(refused.status != 0 && refused.complaints.contains("--from lines"), "\(refused)")
            #expect(try daemon.succeed("show", "jl", "-o", "ids") == "a\n")
            #expect(try daemon.companion("apply", "jl", "--from", "lines", input: input).status == 0)
            #expect(try daemon.companion("apply", "jl", input: "5\n").status == 0)
        }

        @Test(arguments: [
            "id,text\n1,a\n", "id,text\n", "id,text\n1,a\n2\n", "id\ttext\n", "Filesystem      Size  Used\n",
            "a\n\tb\n",
            "Loading\n[{\"id\":\"b\"}]\n", "[{\"id\":\"b\"},{\"id\":", "\u{FEFF}id,text\n",
        ])
        func `input that looks like something else replaces no list, by a pipe or by a command`(input: String) throws {
            let daemon = try Daemon()
            try daemon.succeed("apply", "jl", "--create", "-q", input: #"{"id":"a","v":1}"# + "\n")
            let file = try daemon.directory.write(input, to: "input")
            for refused in [
                try daemon.companion("apply", "jl", input: input), try daemon.companion("apply", "jl", file),
                try daemon.companion("apply", "jl", "--", "cat", file),
                try daemon.companion("diff", "jl", "-", input: input),
            ] {
                #expect(refused.status == 2 && refused.output == "", "\(refused)")
                #expect(refused.complaints.contains("nothing was changed"), "\(refused)")
                #expect(refused.complaints.contains("--from lines if each line is an item"), "\(refused)")
            }
            #expect(try daemon.succeed("ls").contains(#/jl +1 +/#))
            // An id has no control characters, so lines with tabs are refused for another reason.
            let lines = try daemon.companion("apply", "jl", "--from", "lines", input: input)
            #expect(lines.status == (input.contains("\t") ? 2 : 0), "\(lines)")
        }

        @Test func `a byte order mark changes nothing`() throws {
            let daemon = try Daemon()
            let mark = "\u{FEFF}"
            try daemon.succeed("apply", "l", "--create", "-q", input: #"[{"id":"a"},{"id":"b"}]"#)
            #expect(try daemon.succeed("apply", "l", input: mark + #"[{"id":"a"},{"id":"b"}]"#) == "")
            #expect(try daemon.succeed("apply", "l", input: mark + "{\"id\":\"a\"}\n{\"id\":\"b\"}\n") == "")
            try daemon.succeed("transact", "l", "-q", input: mark + #"{"op":"deleteItems","items":["a"]}"#)
            try daemon.succeed("schema", "l", "-", input: mark + #"{"":{"type":"object"}}"#)
            let backup = try daemon.succeed("backup")
            #expect(try daemon.companion("restore", "-", "--replace", input: mark + backup).status == 0)
            #expect(try daemon.succeed("show", "l", "-o", "ids") == "b\n")
        }

        @Test func `show -o jsonl and apply carry a list's own content`() throws {
            let daemon = try Daemon()
            try daemon.succeed("append", try made("tasks", daemon), "milk", "text=Milk", "-q")
            try daemon.succeed("patch", "tasks", "--list", "title=Today", "-q")
            let lines = try daemon.succeed("show", "tasks", "-o", "jsonl")
            try daemon.succeed("apply", "copy", "--create", "-q", input: lines)
            #expect(try daemon.succeed("show", "copy", "--json") == daemon.succeed("show", "tasks", "--json"))
        }

        @Test func `an apply that fails leaves no list behind that it made`() throws {
            let daemon = try Daemon(configured: "contentLengthMax: 1000\n")
            let long = #"{"id":"a","text":"\#(String(repeating: "x", count: 2_000))"}"# + "\n"
            #expect(try daemon.companion("apply", "new", "--create", input: long).status == 1)
            #expect(try daemon.companion("apply", "new", "--create", "--merge", input: long).status == 1)
            let row = #"{"id":"a"}"# + "\n"
            #expect(try daemon.companion("apply", "new", "--create", "--if-revision", "7", input: row).status == 5)
            #expect(try daemon.succeed("ls", "--names") == "")
            try daemon.succeed("create", "empty")
            #expect(try daemon.companion("apply", "empty", "--create", input: long).status == 1)
            #expect(try daemon.succeed("ls", "--names") == "empty\n")
        }

        @Test func `a row that is too long is named by its number and its id`() throws {
            let daemon = try Daemon(configured: "contentLengthMax: 1000\n")
            let long = String(repeating: "x", count: 1_000)
            let lines = "a,1\nb,2\nc,\(long)\nd,4\n"
            let length =
                "1,020 bytes as JSON, and the daemon takes 1,000 (contentLengthMax); nothing was changed. "
                + "Shorten its content, or raise the limit in the daemon's configuration\n"
            func complaints(_ options: [String], _ input: String) throws -> String {
                let apply = try daemon.startCompanion(
                    ["apply", "l", "--create", "--from", "csv"] + options, input: input)
                #expect(try apply.wait() == 1)
                return apply.complaints
            }
            for options in [[], ["--merge"], ["--into", "s"]] {
                let said = try complaints(["--columns", "id,text"] + options, lines)
                #expect(said == "diffablectl: row 3 (\"c\") is too long: \(length)", "\(options): \(said)")
            }
            #expect(try daemon.succeed("ls", "--names") == "")
            // Rows in sections are not in the order of the list.
            let said = try complaints(
                ["--columns", "id,text,s", "--section", ".s", "--text", ".text"], "a,1,t\nb,2,u\nc,\(long),t\n")
            #expect(said.hasPrefix("diffablectl: the row \"c\" is too long: "), "\(said)")
        }

        @Test func `mistakes are said before anything is done, or with what was done`() throws {
            let daemon = try Daemon()
            for list in ["tasks", "k"] { try daemon.succeed("append", try made(list, daemon), "x", "-q") }
            let mode = try daemon.companion("chmod", "644", "k", "nope", "tasks")
            #expect(mode.complaints.contains(#"changed: "k"; not changed: "nope", "tasks""#), "\(mode.complaints)")
            let show = try daemon.companion("show", "task")
            #expect(show.status == 6 && show.complaints.contains("did you mean tasks?"), "\(show.complaints)")
            let watch = try daemon.companion("watch", "tasks", "--exec", "nosuchcmd {id}")
            #expect(watch.status != 0 && watch.complaints.contains("nosuchcmd cannot be run"), "\(watch.complaints)")
            let limit = try daemon.companion("show", "tasks", "--limit", "-1")
            #expect(limit.complaints.contains("not -1"), "\(limit.complaints)")
            let both = try daemon.companion("rm", "tasks", "x", "--where", "a=b")
            #expect(both.complaints.contains("not both"), "\(both.complaints)")
            let none = try daemon.companion("show", "tasks", "--limit", "1", "--offset", "9")
            #expect(none.status == 0 && !none.complaints.contains("is empty"), "\(none.complaints)")
            let bytes = try daemon.shell(#""$ctl" append tasks "$(printf 'bad\377')""#)
            #expect(bytes.status != 0 && bytes.complaints.contains("is not valid UTF-8"), "\(bytes)")
            #expect(try daemon.succeed("show", "tasks", "-o", "ids") == "x\n")
        }
    }
}
