import Testing

extension Integration {
    /// `log`, `diff` and `undo`.
    struct PastCommandTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            try daemon.succeed("apply", "tasks", "--create", "-q", input: "milk\nbread\neggs\n")
            try daemon.succeed("set", "tasks", "milk", "text=Oat milk", "-q")
            try daemon.succeed("rm", "tasks", "bread", "-q")
        }

        @Test func `log says who did what and when, newest first`() throws {
            let lines = try daemon.succeed("log", "tasks").split(separator: "\n")
            #expect(lines.count == 3)
            let line = #/3  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d  1 operation  by diffablectl \(pid \d+, uid \d+\)/#
            #expect(try line.wholeMatch(in: lines[0]) != nil, "\(lines[0])")
            #expect(try daemon.succeed("log", "tasks", "-n", "1").split(separator: "\n").count == 1)
            #expect(try daemon.succeed("log", "tasks", "--json").contains(#""revisions":[{"revision":3,"time":"#))
        }

        @Test func `diff shows the last transaction, what happened since a revision, and the way back`() throws {
            #expect(try daemon.succeed("diff", "tasks") == "- bread\n")
            #expect(try daemon.succeed("diff", "tasks", "1") == "- bread\n~ milk  Oat milk  (was milk)\n")
            #expect(try daemon.succeed("diff", "tasks", "2", "1") == "~ milk  (was Oat milk)\n")
            #expect(
                try daemon.succeed("diff", "tasks", "3", "2", "--json")
                    == #"[{"op":"insertItems","section":"main","after":"milk","items":"#
                    + #"[{"id":"bread","content":{"text":"bread"}}]}]"# + "\n")
            #expect(try daemon.succeed("diff", "tasks", "2", "2") == "")
            let answer = try daemon.companion("diff", "tasks", "9")
            #expect(answer.status != 0 && answer.complaints.contains("it keeps revisions 0 to 3"))
        }

        @Test func `diff shows what a file would change, and changes nothing`() throws {
            let file = try daemon.directory.write("milk\nham\n", to: "new.txt")
            let shown = try daemon.succeed("diff", "tasks", file)
            #expect(shown == "+ ham  (in main, after milk)\n- eggs\n~ milk  (was Oat milk)\n")
            #expect(try daemon.succeed("diff", "tasks", "-", input: "milk\nham\n") == shown)
            #expect(try daemon.succeed("diff", "tasks", "--from", "lines", file) == shown)
            #expect(try daemon.succeed("log", "tasks").split(separator: "\n").count == 3)
            #expect(try daemon.succeed("apply", "tasks", file, "--dry-run") == shown)
            let answer = try daemon.companion("diff", "tasks", file, "2")
            #expect(answer.complaints.contains("a file is compared with the newest revision"))
        }

        @Test func `undo makes a list what it was, and undoing that what it became`() throws {
            #expect(try daemon.succeed("undo", "tasks", "--dry-run") == "+ bread  (in main, after milk)\n")
            #expect(try daemon.succeed("undo", "tasks") == "tasks revision 4: 1 item inserted\n")
            #expect(try daemon.succeed("undo", "tasks") == "tasks revision 5: 1 item deleted\n")
            #expect(try daemon.succeed("undo", "tasks", "--to", "1", "-q") == "")
            #expect(try daemon.succeed("diff", "tasks", "1") == "")
        }
    }
}
