import Foundation
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
            #expect(
                answer.status != 0 && answer.complaints.contains("diffablectl log prints the revisions that are kept"))
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
            #expect(answer.complaints.contains("a file can be compared only with the newest revision"))
        }

        @Test func `undo goes back one more change each time, redo goes forward, and both say which change it is`()
            throws
        {
            let dry = try daemon.companion("undo", "tasks", "--dry-run")
            #expect(dry.output == "+ bread  (in main, after milk)\n")
            #expect(dry.complaints.contains("would undo revision 3 by diffablectl (pid "), "\(dry.complaints)")
            func said(_ arguments: String...) throws -> String {
                let program = try daemon.startCompanion(arguments)
                #expect(try program.wait() == 0, "\(program.complaints)")
                return program.output.replacing(#/ \(pid [0-9]+, uid [0-9]+\)/#, with: "")
            }
            #expect(
                try said("undo", "tasks") == "tasks revision 4: 1 item inserted; undid revision 3 by diffablectl\n")
            #expect(try said("undo", "tasks") == "tasks revision 5: 1 item changed; undid revision 2 by diffablectl\n")
            #expect(try daemon.succeed("diff", "tasks", "1") == "")
            #expect(try said("redo", "tasks") == "tasks revision 6: 1 item changed; redid revision 2 by diffablectl\n")
            daemon.program.end(with: SIGKILL)
            try daemon.restart()
            #expect(try said("redo", "tasks") == "tasks revision 7: 1 item deleted; redid revision 3 by diffablectl\n")
            #expect(
                try said("undo", "tasks", "-n", "2")
                    == "tasks revision 8: 1 item inserted, 1 changed; undid 2 changes, back to revision 1\n")
            #expect(
                try said("redo", "tasks", "-n2")
                    == "tasks revision 9: 1 item deleted, 1 changed; redid 2 changes, forward to revision 3\n")
            let log = try daemon.succeed("log", "tasks").split(separator: "\n").map { line in
                line.split(separator: "  ")[2]
            }
            #expect(
                log.prefix(6) == [
                    "2 operations, redo of 3 from 1", "2 operations, undo of 3 back to 1", "1 operation, redo of 3",
                    "1 operation, redo of 2", "1 operation, undo of 2", "1 operation, undo of 3",
                ])
            #expect(try daemon.succeed("undo", "tasks", "--to", "1", "-q") == "")
            #expect(try daemon.succeed("diff", "tasks", "1") == "")
        }

        @Test func `what cannot be undone or redone is refused, and says how much can`() throws {
            func refused(_ arguments: String..., with text: String) throws {
                let program = try daemon.startCompanion(arguments)
                #expect(try program.wait() != 0 && program.complaints.contains(text), "\(program.complaints)")
            }
            try refused("redo", "tasks", with: "no undone change that can be redone")
            try refused("undo", "tasks", "-n", "9", with: "only 3 changes of the list \"tasks\" can be undone")
            try refused("undo", "tasks", "-n", "3", with: "--to 0")
            try refused("undo", "tasks", "-n", "0", with: "-n must be 1 or more")
            try refused("undo", "tasks", "-n", "1", "--to", "1", with: "use one of them")
            try daemon.succeed("undo", "tasks", "-q")
            // After another change there is nothing to redo.
            try daemon.succeed("append", "tasks", "tea", "-q")
            try refused("redo", "tasks", with: "no undone change that can be redone")
            try daemon.succeed("undo", "tasks", "-n", "2", "-q")
            #expect(try daemon.succeed("diff", "tasks", "1") == "")
            try refused("undo", "tasks", with: "--to 0")
            #expect(try daemon.succeed("undo", "tasks", "--to", "0", "-q") == "")
            try refused("undo", "tasks", with: "no change that can be undone")
        }
    }
}
