import Foundation
import Testing

extension Integration {
    struct CommandTests {
        @Test func `an outline is built, changed and taken apart by commands`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "tasks")
            #expect(
                try daemon.succeed("section", "add", "tasks", "today", "header=Today")
                    == "tasks revision 1\n")
            try daemon.succeed("section", "add", "tasks", "later", "--front", "-q")
            #expect(
                try daemon.succeed("append", "tasks", "milk", "text=Buy milk", "done:=false", "--section", "today")
                    == "tasks revision 3\n")
            try daemon.succeed("insert", "tasks", "bread", "--before", "milk", "--kind", "chore", "-q")
            try daemon.succeed("append", "tasks", "rye", "--parent", "bread", "-q")
            try daemon.succeed("expand", "tasks", "bread", "-q")
            #expect(
                try daemon.succeed("show", "tasks") == """
                    later
                    today  Today
                      ▾ bread
                          rye
                        milk  Buy milk

                    """)
            #expect(try daemon.succeed("set", "tasks", "bread", "text=Bread") == "tasks revision 7\n")
            #expect(try daemon.succeed("set", "tasks", "bread", "text=Bread") == "", "nothing changed")
            try daemon.succeed("patch", "tasks", "milk", "done:=true", "text:=null", "-q")
            try daemon.succeed("move", "tasks", "bread", "--section", "later", "-q")
            try daemon.succeed("collapse", "tasks", "bread", "-q")
            try daemon.succeed("section", "move", "tasks", "later", "--after", "today", "-q")
            try daemon.succeed("section", "set", "tasks", "today", "null", "-q")
            #expect(
                try daemon.succeed("show", "tasks", "--json")
                    == #"{"sections":[{"id":"today","items":[{"id":"milk","content":{"done":true}}]},"#
                    + #"{"id":"later","items":[{"id":"bread","kind":"chore","content":{"text":"Bread"},"#
                    + #""children":[{"id":"rye"}]}]}]}"# + "\n")
            try daemon.succeed("reload", "tasks", "milk", "-q")
            try daemon.succeed("rm", "tasks", "bread", "none", "--if-present", "-q")
            try daemon.succeed("section", "rm", "tasks", "later", "-q")
            let moves = try daemon.directory.write(
                """
                {"op":"appendItems","items":[{"id":"a"},{"id":"b"}]}
                {"op":"moveItem","item":"milk","section":"today"}
                """, to: "operations")
            #expect(try daemon.succeed("transact", "tasks", moves) == "tasks revision 16\n")
            #expect(try daemon.succeed("show", "tasks") == "today\n    a\n    b\n    milk  done:=true\n")
            try daemon.succeed("rm", "tasks", "--all", "-q")
            #expect(try daemon.companion("show", "tasks").complaints == "diffablectl: tasks is empty\n")
            try daemon.succeed("delete", "tasks")
            #expect(try daemon.companion("ls").complaints.contains("there are no lists that you may see"))
        }

        @Test func `a list needs no sections`() throws {
            let daemon = try Daemon()
            try daemon.succeed("create", "r")
            #expect(try daemon.succeed("append", "r", "x") == "r revision 1\n")
            try daemon.succeed("append", "r", "y", "--parent", "x", "-q")
            try daemon.succeed("append", "r", "z", "-q")
            #expect(try daemon.succeed("show", "r") == "main\n  ▸ x\n      y\n    z\n")
            #expect(try daemon.succeed("diff", "r", "0", "1") == "+ section main  (first)\n+ x\n")
        }

        @Test func `apply previews, makes lists, and fills one section`() throws {
            let daemon = try Daemon()
            let rows = try daemon.directory.write("id,group,text\n1,a,One\n2,b,Two\n3,a,Three\n", to: "rows.csv")
            #expect(
                try daemon.succeed("apply", "numbers", rows, "--create", "--dry-run", "--section", "group") == """
                    + section a  (first)
                    + 1  One
                    + 3  Three
                    + section b
                    + 2  Two

                    """)
            #expect(try daemon.companion("show", "numbers").status == 6, "a preview makes no list")
            #expect(
                try daemon.succeed("apply", "numbers", rows, "--create", "--section", "group")
                    == "numbers revision 1: 3 items inserted, 2 sections inserted, the list's own content changed\n")
            let fewer = try daemon.directory.write("id,group,text\n3,a,Three\n1,a,Uno\n", to: "fewer.csv")
            #expect(
                try daemon.succeed("apply", "numbers", fewer, "--dry-run", "--section", "group") == """
                    > 3  Three  (in a, first)
                    - section b  (with 1 item)
                    ~ 1  Uno  (was One)

                    """)
            #expect(try daemon.succeed("ls").contains("numbers         2      3         1  durable"))
            let lines = try daemon.directory.write("x\ny\n", to: "lines.txt")
            #expect(
                try daemon.succeed("apply", "numbers", lines, "--into", "c")
                    == "numbers revision 2: 2 items inserted, 1 section inserted\n")
            #expect(try daemon.succeed("show", "numbers").hasSuffix("c\n    x\n    y\n"))
        }

        @Test func `a large input is sent in parts, and is one transaction`() throws {
            let daemon = try Daemon()
            let text = String(repeating: "x", count: 1_000)
            let rows = (0..<5_000).map { #"{"id":\#($0),"text":"\#(text)"}"# }.joined(separator: "\n")
            let file = try daemon.directory.write(rows, to: "rows.ndjson")
            #expect(
                try daemon.succeed("apply", "large", file, "--create")
                    == "large revision 1: 5,000 items inserted, 1 section inserted\n")
            #expect(try daemon.succeed("apply", "large", file) == "")
        }

        @Test func `the exit status tells who was at fault`() throws {
            let daemon = try Daemon()
            #expect(try daemon.companion("ls").status == 0)
            let refused = try daemon.companion("show", "none")
            #expect(refused.status == 6 && refused.output == "" && refused.complaints.contains("none"))
            #expect(try daemon.companion("append", "tasks").status == 2)
            #expect(
                try daemon.companion("append", "tasks", "milk", "Buy milk").complaints.contains("text=\"Buy milk\""))
            #expect(try daemon.companion("apply", "tasks", "/nowhere.csv").status == 2)
            #expect(try daemon.companion("ls", "--socket", "/nowhere").status == 3)
            #expect(try daemon.companion("--help").status == 0)
        }
    }
}
