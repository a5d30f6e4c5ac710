import Foundation
import Testing

extension Integration {
    /// `watch` with --format and --exec, and of several lists.
    struct WatchCommandTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            try daemon.succeed("create", "mail")
            try daemon.succeed("append", "mail", "old", "text=Old", "-q")
        }

        /// Starts watching, and returns when the daemon knows.
        private func start(_ arguments: String..., lists: Int = 1) throws -> Program {
            let program = try daemon.startCompanion(["watch"] + arguments)
            try daemon.waitForSubscriptions(lists, of: program)
            return program
        }

        private func expect(_ program: Program, says output: String) throws {
            do { _ = try eventually("output") { program.output == output ? true : nil } } catch {
                #expect(program.output == output, "\(program.complaints)")
            }
        }

        @Test func `each change of an item is a line`() throws {
            let watch = try start("mail", "--format", "{event} {id} {.text}{parent}")
            let some = try start("mail", "--format", "{revision} {.text}", "--on", "insert,move", "--initial")
            try expect(some, says: "1 Old\n")
            try daemon.succeed("append", "mail", "new", "text=a\nb", "-q")
            // Who is slow is shown two changes as one, under the revision of the second.
            try expect(some, says: "1 Old\n2 a␊b\n")
            try daemon.succeed("append", "mail", "under", "--parent", "new", "-q")
            try expect(some, says: "1 Old\n2 a␊b\n3 \n")
            try expect(watch, says: "insert new a␊b\ninsert under new\n")
            try daemon.succeed("set", "mail", "new", "text=c", "-q")
            try expect(watch, says: "insert new a␊b\ninsert under new\nchange new c\n")
            try daemon.succeed("move", "mail", "new", "--before", "old", "-q")
            try daemon.succeed("rm", "mail", "new", "-q")
            _ = try eventually("the end") { watch.output.hasSuffix("delete under new\n") ? true : nil }
            #expect(watch.output.contains("\ndelete new c\n"))
        }

        @Test func `a command is run for each, with content as whole arguments`() throws {
            let file = daemon.directory.file("said")
            let program = try daemon.directory.write(
                "#!/bin/sh\nprintf '%s|' \"$#\" \"$@\" >>\(file)\nprintf '\\n' >>\(file)\n", to: "say")
            chmod(program, 0o755)
            let watch = try start("mail", "--on", "insert", "--exec", "\(program) {id} 'x {.text}' -- {.text}")
            try daemon.succeed("append", "mail", "a", "text=$(reboot); 'b' \"c\"  d\n-e", "-q")
            try daemon.succeed("append", "mail", "--", "-f", "text=--all")
            try daemon.succeed("append", "mail", "g", "text=--all", "-q")
            let expected = "4|a|x $(reboot); 'b' \"c\"  d\n-e|--|$(reboot); 'b' \"c\"  d\n-e|\n4|g|x --all|--|--all|\n"
            _ = try eventually("the last") {
                (try? String(contentsOfFile: file, encoding: .utf8))?.hasSuffix("--all|\n") ?? false ? true : nil
            }
            #expect(try String(contentsOfFile: file, encoding: .utf8) == expected)
            #expect(watch.complaints.contains("not run for -f: \"-f\" begins with a dash"))
        }

        @Test func `a command that fails is told of, and one that is not there is refused at the start`() throws {
            let fails = try start("mail", "--exec", "false")
            let none = try daemon.companion("watch", "mail", "--exec", "/none/such {id}")
            #expect(none.status == 2)
            try daemon.succeed("append", "mail", "a", "-q")
            #expect(none.complaints.contains("/none/such cannot be run"))
            _ = try eventually("the failure") {
                fails.complaints.contains("false ended with status 1 for a") ? true : nil
            }
        }

        @Test func `several lists are watched at once`() throws {
            try daemon.succeed("create", "tasks")
            let watch = try start("mail", "tasks", lists: 2)
            _ = try eventually("first states") {
                watch.output.contains("mail:\nmain\n    old  Old\n") && watch.output.contains("tasks:\n") ? true : nil
            }
            try daemon.succeed("append", "tasks", "milk", "-q")
            try daemon.succeed("rm", "mail", "old", "-q")
            _ = try eventually("changes") {
                watch.output.contains("tasks 1 + milk") && watch.output.contains("mail 2 - old  Old") ? true : nil
            }
            try daemon.succeed("delete", "mail")
            _ = try eventually("one end") { watch.complaints.contains("mail was deleted") ? true : nil }
            #expect(watch.exitStatus() == nil)
            try daemon.succeed("delete", "tasks")
            #expect(try watch.wait() == 0)
        }

        @Test(arguments: [
            ["mail", "mail"], ["mail", "--on", "insert"], ["mail", "--format", "{"], ["mail", "--exec", "{id}"],
            ["mail", "--format", "x", "--json"], ["mail", "--format", "x", "--on", "inserted"], [],
        ])
        func `what cannot be watched is refused`(arguments: [String]) throws {
            #expect(try daemon.startCompanion(["watch"] + arguments).wait() == 2)
        }
    }
}
