import Foundation
import Testing

extension Integration {
    /// `copy`, `rename`, `log -p`, `log --follow` and `diff --exit-code`.
    struct ListCommandTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            try daemon.succeed("create", "tasks", "--mode", "0640")
            try daemon.succeed("append", "tasks", "milk", "text=Milk", "-q")
            try daemon.succeed("append", "tasks", "oat", "--parent", "milk", "--kind", "k", "-q")
            try daemon.succeed("expand", "tasks", "milk", "-q")
        }

        @Test func `copy makes a list of the same`() throws {
            let state = try daemon.succeed("show", "tasks", "--json")
            try daemon.succeed("copy", "tasks", "copy")
            #expect(try daemon.succeed("show", "copy", "--json") == state)
            #expect(try daemon.succeed("ls", "-l").contains(#/rw-r-----.* copy\n/#))
            try daemon.succeed("create", "empty", "--volatile")
            try daemon.succeed("copy", "empty", "also-empty")
            #expect(try daemon.succeed("ls").contains(#/also-empty .* volatile\n/#))
            #expect(try daemon.companion("copy", "tasks", "copy").status == 5)
            #expect(try daemon.companion("copy", "none", "new").status == 6)
            #expect(try daemon.succeed("ls", "--names") == "also-empty\ncopy\nempty\ntasks\n")
        }

        @Test func `a new list can start from a preset, and a new list of columns is a table`() throws {
            try daemon.succeed("create", "todo", "--preset", "todo")
            #expect(try daemon.succeed("show", "todo", "--json").contains(#""toggle":"/checked""#))
            try daemon.succeed("create", "work", "--preset", "board")
            #expect(try daemon.succeed("show", "work", "--json").contains(#""id":"doing""#))
            try daemon.succeed("create", "tasks", "--preset", "log", "--if-absent")
            #expect(try !daemon.succeed("show", "tasks", "--json").contains("Nothing was logged"))
            #expect(try daemon.companion("create", "new", "--preset", "tdo").status == 2)
            try daemon.succeed("apply", "rows", "--create", "--from", "csv", "-q", input: "name,n\na,1\n")
            #expect(try daemon.succeed("show", "rows", "--json").contains(#""layout":"table""#))
            // The content of a list that exists is its own.
            try daemon.succeed("patch", "rows", "--list", "layout=list", "-q")
            try daemon.succeed("apply", "rows", "--create", "--from", "csv", "-q", input: "name,n\nb,2\n")
            #expect(try daemon.succeed("show", "rows", "--json").contains(#""layout":"list""#))
            try daemon.succeed("apply", "lines", "--create", "-q", input: "a\n")
            #expect(try !daemon.succeed("show", "lines", "--json").contains("layout"))
        }

        @Test func `ls names the lists that it is asked for, and misses what is not there`() throws {
            try daemon.succeed("create", "other")
            #expect(try daemon.succeed("ls", "tasks", "--names") == "tasks\n")
            let lines = try daemon.succeed("ls", "-l", "other").split(separator: "\n")
            #expect(lines.count == 2 && lines[1].hasSuffix(" other"), "\(lines)")
            let none = try daemon.companion("ls", "-l", "tasks", "taks")
            #expect(none.status == 6 && none.output == "")
            #expect(none.complaints == "diffablectl: there is no list \"taks\"; did you mean tasks?\n")
            #expect(try daemon.companion("ls", "tasks", "--json").status == 2)
            try daemon.succeed("delete", "other")
            #expect(try daemon.succeed("ls", "--deleted", "--names", "other") == "other\n")
            #expect(try daemon.companion("ls", "--deleted", "tasks").status == 6)
        }

        @Test func `rename tells who follows the old name and who waits for the new one`() throws {
            let state = try daemon.succeed("show", "tasks", "--json")
            let old = try daemon.startCompanion(["watch", "tasks"])
            let new = try daemon.startCompanion(["watch", "todo", "--wait"])
            _ = try eventually("subscriptions") {
                try daemon.succeed("status").contains("\nsubscriptions: 2\n") ? true : nil
            }
            try daemon.succeed("rename", "tasks", "todo")
            #expect(try old.wait() == 0)
            #expect(old.complaints.contains("tasks was deleted"))
            _ = try eventually("the new one") { new.output.contains("milk  Milk") ? true : nil }
            #expect(try daemon.succeed("show", "todo", "--json") == state)
            #expect(try daemon.succeed("ls", "--names") == "todo\n")
            try daemon.succeed("create", "other")
            #expect(try daemon.companion("rename", "todo", "other").status == 5)
            #expect(try daemon.succeed("ls", "--names") == "other\ntodo\n")
        }

        @Test func `rename loses no change that was acknowledged`() throws {
            let writer = try daemon.connect()
            defer { writer.close() }
            let rename = try daemon.startCompanion(["rename", "tasks", "todo"])
            var acknowledged = 0
            while rename.exitStatus() == nil {
                let reply = try writer.reply(
                    to:
                        #"{"id":1,"method":"transact","params":{"list":"tasks","operations":[{"op":"appendItems","items":[{"id":"n\#(acknowledged)"}]}]}}"#
                )
                if reply.contains("error") { break }
                acknowledged += 1
            }
            // A constant writer may keep the rename from finishing; then nothing has happened.
            let list = try rename.wait() == 0 ? "todo" : "tasks"
            #expect(try daemon.succeed("ls", "--names") == "\(list)\n")
            #expect(try daemon.succeed("show", list, "-o", "ids").split(separator: "\n").count == acknowledged + 2)
        }

        @Test func `rename keeps the past`() throws {
            let log = try daemon.succeed("log", "tasks")
            try daemon.succeed("rename", "tasks", "todo")
            #expect(try daemon.succeed("log", "todo") == log)
            #expect(try daemon.succeed("ls", "--deleted", "--names") == "")
            try daemon.succeed("create", "tasks")
            let itself = try daemon.companion("rename", "tasks", "tasks")
            #expect(itself.status == 2 && itself.complaints.contains("is already named"), "\(itself.complaints)")
            let taken = try daemon.companion("rename", "tasks", "todo")
            #expect(taken.status == 5 && !taken.complaints.contains("delete"), "\(taken.complaints)")
        }

        @Test func `who looks for a list that was deleted is told how it comes back`() throws {
            try daemon.succeed("delete", "tasks")
            for line in ["show tasks", "delete tasks", "append tasks x", "log tasks", "apply tasks </dev/null"] {
                let answer = try daemon.shell("\"$ctl\" \(line)")
                #expect(answer.status == 6)
                #expect(answer.complaints.contains("was deleted; diffablectl undelete tasks brings it back"))
            }
            let misspelt = try daemon.companion("undelete", "taks")
            #expect(misspelt.status == 6)
            #expect(misspelt.complaints.contains(#"no deleted list "taks"; did you mean tasks?"#))
            try daemon.succeed("undelete", "tasks")
            let again = try daemon.companion("undelete", "tasks")
            #expect(again.status == 5 && again.complaints.contains(#"already, and there is no deleted list "tasks""#))
        }

        @Test func `undelete brings back the list that was deleted last, also after a restart, with its past`() throws {
            let state = try daemon.succeed("show", "tasks", "--json")
            let log = try daemon.succeed("log", "tasks")
            try daemon.succeed("delete", "tasks")
            daemon.program.end(with: SIGKILL)
            try daemon.restart()
            #expect(try daemon.succeed("ls", "--deleted", "--names") == "tasks\n")
            #expect(try daemon.succeed("ls", "--deleted").contains(#/tasks +2 +3 .* diffablectl\n/#))
            #expect(try daemon.succeed("ls", "--names") == "")
            try daemon.succeed("undelete", "tasks")
            #expect(try daemon.succeed("show", "tasks", "--json") == state)
            #expect(try daemon.succeed("log", "tasks") == log)
            try daemon.succeed("delete", "tasks")
            try daemon.succeed("create", "tasks")
            let taken = try daemon.companion("undelete", "tasks")
            #expect(taken.status == 5)
            #expect(taken.complaints.contains("under another name with --as"), "\(taken.complaints)")
            try daemon.succeed("undelete", "tasks", "--as", "former")
            #expect(try daemon.succeed("ls", "--names") == "former\ntasks\n")
            let none = try daemon.companion("undelete", "other")
            #expect(none.status == 6)
            #expect(none.complaints.contains("diffablectl ls --deleted prints them"), "\(none.complaints)")
        }

        @Test func `log shows what each transaction changed`() throws {
            try daemon.succeed("rm", "tasks", "oat", "-q")
            let lines = try daemon.succeed("log", "tasks", "-p").split(separator: "\n")
            #expect(
                lines.filter { $0.hasPrefix("    ") } == [
                    "    - oat", "    ▾ milk",
                    "    + oat  (under milk, first)",
                    "    + section main  (first)", "    + milk  Milk",
                ])
            #expect(try daemon.succeed("log", "tasks", "-p", "-n", "1").hasSuffix("    - oat\n"))
        }

        @Test func `log goes on with what comes`() throws {
            let log = try daemon.startCompanion(["log", "tasks", "--follow", "-p", "-n", "2"])
            _ = try eventually("the past; it said: \(log.complaints)") { log.outputLines.count == 4 ? true : nil }
            #expect(log.outputLines.map { $0.prefix(3) } == ["2  ", "   ", "3  ", "   "])
            try daemon.succeed("set", "tasks", "milk", "text=Oat", "-q")
            _ = try eventually("the change") { log.output.hasSuffix("    ~ milk  Oat  (was Milk)\n") ? true : nil }
            daemon.program.end(with: SIGKILL)
            try daemon.restart()
            try daemon.succeed("rm", "tasks", "oat", "-q")
            _ = try eventually("one after the restart") { log.output.hasSuffix("    - oat\n") ? true : nil }
            #expect(log.outputLines.count == 8)
            try daemon.succeed("delete", "tasks")
            #expect(try log.wait() == 0)
        }

        @Test func `diff can say by its status whether there is a difference`() throws {
            #expect(try daemon.companion("diff", "tasks", "1", "--exit-code").status == 1)
            #expect(try daemon.companion("diff", "tasks", "1", "--exit-code", "--json").status == 1)
            #expect(try daemon.companion("diff", "tasks", "1").status == 0)
            #expect(try daemon.companion("diff", "tasks", "2", "2", "--exit-code").status == 0)
            let same = try daemon.succeed("show", "tasks", "--json")
            #expect(try daemon.companion("diff", "tasks", "-", "--exit-code", input: same).status == 0)
            #expect(try daemon.companion("diff", "tasks", "99", "--exit-code").status == 6)
        }
    }
}
