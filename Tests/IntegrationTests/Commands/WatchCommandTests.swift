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

        /// Starts watching, and returns when the daemon has the subscriptions.
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
            // A slow follower gets two changes as one, with the revision of the second.
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

        /// Makes a program that writes its variables and its standard input to a file, and ends each run with a dash.
        private func reporter(_ name: String) throws -> (program: String, file: String) {
            let file = daemon.directory.file("\(name)-report")
            let program = try daemon.directory.write(
                "#!/bin/sh\n{ env | grep '^DIFFABLE_' | grep -v SOCKET | sort; cat; echo -; } >>\(file)\n", to: name)
            chmod(program, 0o755)
            return (program, file)
        }

        private func expect(_ file: String, has report: String) throws {
            _ = try eventually("the report") {
                (try? String(contentsOfFile: file, encoding: .utf8))?.hasSuffix(report.suffix(40)) ?? false ? true : nil
            }
            #expect(try String(contentsOfFile: file, encoding: .utf8) == report)
        }

        @Test func `a command has the change in its variables and on its standard input`() throws {
            let (program, file) = try reporter("each")
            let watch = try start("mail", "--exec", program)
            try daemon.succeed("append", "mail", "a", "--parent", "old", "--kind", "k", "text=$(reboot)", "-q")
            try expect(
                file,
                has: """
                    DIFFABLE_CONTENT={"text":"$(reboot)"}
                    DIFFABLE_EVENT=insert
                    DIFFABLE_ITEMS=a
                    DIFFABLE_LIST=mail
                    DIFFABLE_PARENT=old
                    DIFFABLE_REVISION=2
                    DIFFABLE_SECTION=main
                    {"list":"mail","revision":2,"event":"insert","section":"main","parent":"old","id":"a","kind":"k",\
                    "content":{"text":"$(reboot)"}}
                    -

                    """)
            #expect(watch.complaints == "")
        }

        @Test func `ids that are too long for a variable are only on standard input`() throws {
            let file = daemon.directory.file("long")
            let program = try daemon.directory.write(
                "#!/bin/sh\n{ echo \"${DIFFABLE_ITEMS-unset}\" | wc -c; wc -c; echo done; } >>\(file)\n", to: "count")
            chmod(program, 0o755)
            let watch = try start("mail", "--batch", "--exec", program)
            let lines = (0..<3_000).map { "\($0)-\(String(repeating: "x", count: 60))" }.joined(separator: "\n")
            try daemon.succeed("apply", "mail", "--from", "lines", "--max-delete", "100%", "-q", input: lines + "\n")
            _ = try eventually("the end") {
                (try? String(contentsOfFile: file, encoding: .utf8))?.hasSuffix("done\n") ?? false ? true : nil
            }
            let counts = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").prefix(2).compactMap {
                Int($0.filter(\.isNumber))
            }
            #expect(counts.count == 2 && counts[0] == 6 && counts[1] > 300_000, "\(counts) \(watch.complaints)")
        }

        @Test func `with --batch a command runs once for each change of the list`() throws {
            let (program, file) = try reporter("batch")
            let watch = try start("mail", "--batch", "--exec", program)
            try daemon.succeed(
                "transact", "mail", "-q",
                input: #"[{"op":"appendItems","items":[{"id":"a"},{"id":"b"}]},{"op":"deleteItems","items":["old"]}]"#)
            _ = try eventually("the report") {
                (try? String(contentsOfFile: file, encoding: .utf8))?.hasSuffix("-\n") ?? false ? true : nil
            }
            let report = try String(contentsOfFile: file, encoding: .utf8)
            #expect(report.hasPrefix("DIFFABLE_ITEMS="), "\(report)")
            #expect(!report.contains("DIFFABLE_EVENT") && report.contains("DIFFABLE_REVISION=2\n"))
            #expect(
                report.split(separator: "\n").count(where: { $0.hasPrefix(#"{"list":"mail","revision":2,"event":"#) })
                    == 3)
            #expect(report.split(separator: "\n").count(where: { $0 == "-" }) == 1)
            #expect(watch.complaints == "")
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
            ["mail", "--format", "x", "--json"], ["mail", "--batch"], ["mail", "--batch", "--exec", "x {id}"],
            ["mail", "--exec", "sh -c 'echo {.text}'"], ["mail", "--format", "x", "--on", "inserted"], [],
        ])
        func `what cannot be watched is refused`(arguments: [String]) throws {
            #expect(try daemon.startCompanion(["watch"] + arguments).wait() == 2)
        }
    }
}
