import Foundation
import Testing

extension Integration {
    /// A failed program before `apply` in a pipeline writes nothing, which must not count as an empty list.
    struct EmptyInputTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            try daemon.succeed("apply", "ps", "--create", "-q", input: "a\nb\nc\nd\n")
        }

        @Test(arguments: [
            ("lines", ""), ("lines", "\n  \n"), ("csv", "id,name\n"), ("tsv", "id\tname\n"), ("json", "[]"),
            ("json", #"{"sections":[]}"#), ("json", #"{"sections":[{"id":"main"}]}"#), ("ndjson", "\n"), ("tree", ""),
        ])
        func `nothing to read empties no list, in any format`(format: String, text: String) throws {
            let before = try daemon.succeed("ls")
            for more in [[], ["--into", "main"]] where text != #"{"sections":[]}"# || more.isEmpty {
                let program = try daemon.startCompanion(["apply", "ps", "--from", format] + more, input: text)
                #expect(try program.wait() == 1)
                #expect(program.output == "")
                #expect(program.complaints.contains("would delete all 4 items"), "\(program.complaints)")
                #expect(program.complaints.contains("--allow-empty"))
            }
            #expect(try daemon.succeed("ls") == before)
            try daemon.succeed("apply", "ps", "--from", format, "--allow-empty", "-q", input: text)
            #expect(try daemon.succeed("ls").contains(#/ps +[01] +0 +2/#))
        }

        @Test func `a program that fails in a pipe deletes nothing`() throws {
            let answer = try daemon.shell(#"false | "$ctl" apply ps"#)
            #expect(answer.status == 1 && answer.complaints.contains("--allow-empty"), "\(answer)")
            let preview = try daemon.shell(#""$ctl" apply ps --dry-run </dev/null"#)
            #expect(preview.status == 1 && preview.output.contains("- section main"), "\(preview)")
            #expect(try daemon.succeed("show", "ps") == "main\n    a\n    b\n    c\n    d\n")
        }

        @Test func `a program that fails in a pipe deletes no sections without items either`() throws {
            try daemon.succeed("create", "plan")
            try daemon.succeed("section", "add", "plan", "today")
            let answer = try daemon.shell(#"false | "$ctl" apply plan"#)
            #expect(answer.status == 1 && answer.complaints.contains("would delete the only section"), "\(answer)")
        }

        @Test func `a list without items may have none`() throws {
            #expect(try daemon.shell(#""$ctl" apply new --create </dev/null"#).status == 0)
            #expect(try daemon.shell(#""$ctl" apply new </dev/null"#).status == 0)
            try daemon.succeed("section", "add", "new", "s", "-q")
            #expect(try daemon.shell(#""$ctl" apply new </dev/null"#).status == 1)
            #expect(try daemon.shell(#""$ctl" apply new --allow-empty </dev/null"#).status == 0)
        }

        @Test func `a feed deletes no more than it may`() throws {
            for (limit, text, status) in [
                ("1", "a\nb\n", 1), ("2", "a\nb\n", 0), ("50%", "a\n", 0), ("49%", "x\n", 1), ("0", "a\ny\n", 0),
                ("100%", "", 1),
            ] {
                let answer = try daemon.companion("apply", "ps", "--max-delete", limit, "-q", input: text)
                #expect(answer.status == Int32(status), "\(limit) \(text.debugDescription): \(answer.complaints)")
            }
            #expect(try daemon.succeed("show", "ps") == "main\n    a\n    y\n")
            let answer = try daemon.companion("apply", "ps", "--into", "main", "--max-delete", "0", input: "a\n")
            #expect(
                answer.complaints.contains(#"delete 1 of the 2 items of the section "main" of "ps""#),
                "\(answer.complaints)")
            #expect(try daemon.companion("apply", "ps", "--max-delete", "half", input: "a\n").status == 2)
        }

        @Test func `a command behind two dashes counts only when it succeeded`() throws {
            try daemon.succeed("apply", "ps", "-q", "--", "printf", "%s\\n", "$HOME; a", "b")
            #expect(try daemon.succeed("show", "ps") == "main\n    $HOME; a\n    b\n", "there is no shell between")
            let failed = try daemon.companion("apply", "ps", "--", "sh", "-c", "echo half; echo why >&2; exit 3")
            #expect(failed.status == 2 && failed.complaints.contains("sh ended with status 3; nothing was changed"))
            #expect(failed.complaints.contains("why\n"))
            let killed = try daemon.companion("apply", "ps", "--", "sh", "-c", "echo half; kill -KILL $$")
            #expect(killed.status == 2 && killed.complaints.contains("signal 9 (Killed)"), "\(killed.complaints)")
            let missing = daemon.directory.file("missing")
            let none = try daemon.companion("apply", "ps", "--", missing)
            #expect(
                none.status == 2 && none.complaints.contains("\(missing) cannot be run: No such file"),
                "\(none.complaints)")
            let silent = try daemon.companion("apply", "ps", "--", "true")
            #expect(silent.status == 1 && silent.complaints.contains("--allow-empty"))
            #expect(try daemon.companion("apply", "ps", "file", "--", "true").status == 2)
            #expect(try daemon.succeed("show", "ps") == "main\n    $HOME; a\n    b\n")
            try daemon.succeed("apply", "ps", "--from", "csv", "-q", "--", "printf", "id,n\na,1\n")
            #expect(try daemon.succeed("show", "ps") == "main\n    a  n=1\n")
        }

        @Test func `a signal ends the command too`() throws {
            let file = daemon.directory.file("pid")
            let program = try daemon.startCompanion(
                ["apply", "ps", "--", "sh", "-c", "echo $$ >\(file).new; mv \(file).new \(file); exec sleep 600"])
            let text = try eventually("pid of the command") { try? String(contentsOfFile: file, encoding: .utf8) }
            let command = try #require(pid_t(text.filter(\.isNumber)))
            program.signal(SIGINT)
            #expect(try program.wait() == 128 + SIGINT)
            _ = try eventually("end of the command") { Program.isRunning(command) ? nil : true }
            #expect(try daemon.succeed("show", "ps") == "main\n    a\n    b\n    c\n    d\n")
        }

        /// The signal arrives from the command itself, as soon as it runs.
        @Test func `a signal that comes while the command starts ends it too`() throws {
            let file = daemon.directory.file("pid")
            for _ in 0..<20 {
                let program = try daemon.startCompanion(
                    ["apply", "ps", "--", "sh", "-c", "kill -INT $PPID; echo $$ >\(file); exec sleep 600"])
                #expect(try program.wait() == 128 + SIGINT)
                // The command may have ended before it wrote.
                guard let text = try? String(contentsOfFile: file, encoding: .utf8),
                    let command = pid_t(text.filter(\.isNumber))
                else { continue }
                _ = try eventually("end of the command") { Program.isRunning(command) ? nil : true }
            }
            #expect(try daemon.succeed("show", "ps") == "main\n    a\n    b\n    c\n    d\n")
        }

        @Test(.enabled(if: Binaries.isInstalled("script")))
        func `a terminal is told what is waited for, and Ctrl-D deletes nothing`() throws {
            let answer = try daemon.terminal(#""$ctl" apply ps"#)
            #expect(answer.status == 1, "\(answer)")
            #expect(answer.output.contains("type the new state of ps, and end it with Ctrl-D"), "\(answer)")
            #expect(answer.output.contains("--allow-empty"), "\(answer)")
            // The output is in the pipe before it is read, and the pipe stays open until the error is there.
            let (written, heard) = (daemon.directory.file("written"), daemon.directory.file("heard"))
            let waiting = try daemon.startTerminal(
                #"(echo z; : >\#(written); until [ -e \#(heard) ]; do sleep 0.05; done) | "#
                    + #"(until [ -e \#(written) ]; do sleep 0.05; done; "$ctl" apply other --create)"#)
            try waiting.waitForOutput("waiting for the end of standard input; 2 bytes read")
            _ = try daemon.directory.write("", to: "heard")
            #expect(try waiting.wait() == 0, "\(waiting.output)")
        }

        @Test func `input has the length that the daemon takes at most`() throws {
            let daemon = try Daemon(configured: "transactionLengthMax: 20000000\n")
            try daemon.succeed("create", "tasks")
            for line in [#""$ctl" apply tasks </dev/full"#, #""$ctl" apply tasks -- cat /dev/zero"#] {
                let answer = try daemon.shell(line)
                #expect(answer.status == 1, "\(answer)")
                #expect(answer.complaints.contains("longer than 20,000,000 bytes (transactionLengthMax)"), "\(answer)")
            }
            #expect(try daemon.shell(#""$ctl" transact tasks /dev/zero"#).status == 1)
        }

        @Test(.withSeveralUsers) func `one who may not see a list says that it is to be empty`() throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("apply", "box", "--create", "-q", input: "a\n")
            try daemon.succeed("chmod", "602", "box")
            let refused = try daemon.companion(as: .alice, "apply", "box")
            #expect(refused.status == 1 && refused.complaints.contains("--allow-empty"), "\(refused)")
            #expect(try daemon.companion(as: .alice, "apply", "box", "--allow-empty").status == 0)
            #expect(try daemon.succeed("ls").contains(#/box +0 +0/#))
        }
    }
}
