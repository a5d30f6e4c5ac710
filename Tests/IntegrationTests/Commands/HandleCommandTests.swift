import Foundation
import Testing

extension Integration {
    /// `handle`, `perform`, `transact --propose` and `expand --ask`.
    struct HandleCommandTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            try daemon.succeed("apply", "tasks", "--create", "-q", input: "milk\nbread\n")
        }

        // MARK: Support

        private func script(_ text: String, named name: String = "command") throws -> String {
            let file = try daemon.directory.write(
                "#!/bin/bash\nPATH=\(Binaries.directory):$PATH\ncd '\(daemon.directory.path)'\n\(text)\n", to: name)
            chmod(file, 0o755)
            return file
        }

        /// Starts a handler, which is registered when this returns.
        private func handle(_ text: String, _ options: String...) throws -> Program {
            try start(["handle", "tasks"] + options + ["--", script(text)])
        }

        private func start(_ arguments: [String]) throws -> Program {
            let program = try daemon.startCompanion(arguments)
            _ = try eventually("handler; it said: \(program.complaints)") {
                program.complaints.contains("ready to handle") ? true : nil
            }
            return program
        }

        private func file(_ name: String) -> String? {
            try? String(contentsOfFile: daemon.directory.file(name), encoding: .utf8)
        }

        /// Returns the number that a script wrote into a file.
        private func number(in name: String) throws -> pid_t {
            try eventually("number in \(name)") {
                guard let text = file(name), text.hasSuffix("\n") else { return nil }
                return pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }

        private func awaitEnd(of process: pid_t) throws {
            _ = try eventually("end of \(process)") { Program.isRunning(process) ? nil : true }
        }

        /// Asks until a command has begun within the timeout, and returns the numbers in these files. A shell may take longer
        /// than any fixed timeout to start.
        private func askInVain(at first: Int, until names: String...) throws -> [pid_t] {
            var milliseconds = first
            while true {
                #expect(try daemon.companion("perform", "tasks", "hang", "--timeout", "\(milliseconds)ms").status == 4)
                // All files are complete, or the command ended before.
                let areWritten = names.allSatisfy { file($0)?.hasSuffix("\n") ?? false }
                if areWritten { return try names.map { try number(in: $0) } }
                guard milliseconds < 60_000 else { throw Failure("no command begins within \(milliseconds) ms") }
                milliseconds *= 2
            }
        }

        // MARK: Requests and answers

        @Test func `the command has the request on its standard input and in its environment`() throws {
            let handler = try handle("cat; env | grep ^DIFFABLE_ >env")
            let line = try daemon.succeed("perform", "tasks", "buy", "milk", "bread", "n:=2", "of.kind=oat")
            #expect(
                line.hasPrefix(
                    #"{"handler":1,"request":1,"list":"tasks","kind":"perform","action":"buy","items":["milk","bread"],"#
                        + #""arguments":{"n":2,"of":{"kind":"oat"}},"revision":1,"from":{"name":"diffablectl","pid":"#),
                "\(line)")
            let variables = Set((file("env") ?? "").split(separator: "\n").map(String.init))
            #expect(
                variables.isSuperset(of: [
                    "DIFFABLE_LIST=tasks", "DIFFABLE_KIND=perform", "DIFFABLE_ACTION=buy", "DIFFABLE_ITEMS=milk",
                    "DIFFABLE_REVISION=1", "DIFFABLE_UID=\(geteuid())", "DIFFABLE_SOCKET=\(daemon.socket)",
                    #"DIFFABLE_ARGUMENTS={"n":2,"of":{"kind":"oat"}}"#,
                ]), "\(variables)")
            // A variable that this request lacks is not left over from another one.
            #expect(try daemon.succeed("perform", "tasks", "sort", "--section", "main").contains(#""section":"main""#))
            #expect(file("env")?.contains("DIFFABLE_ITEMS") == false)
            #expect(file("env")?.contains("DIFFABLE_SECTION=main\n") == true)
            #expect(handler.exitStatus() == nil)
        }

        @Test func `the command does not have the connection to the daemon`() throws {
            let handler = try handle("ls -l /proc/self/fd >descriptors")
            try daemon.succeed("perform", "tasks", "look")
            let descriptors = try #require(file("descriptors"))
            #expect(descriptors.contains(" -> pipe:") && !descriptors.contains(" -> socket:"), "\(descriptors)")
            #expect(handler.exitStatus() == nil)
        }

        @Test func `nothing of a request is ever executed`() throws {
            let items = ["$(touch here)", "`touch here`", "'; touch here; '", "\"; touch here #", "-rf", "a b"]
            for item in items { try daemon.succeed("append", "tasks", "-q", "--", item) }
            let handler = try handle(#"printf '%s|%s' "$DIFFABLE_ACTION" "$DIFFABLE_ITEMS" >seen; cat >line"#)
            let options = items.flatMap { ["--item=\($0)"] }
            let text = "\n$(touch here)\n'\"\\"
            let asker = try daemon.startCompanion(
                ["perform", "tasks", "$(touch here)", "text=\(text)"] + options)
            #expect(try asker.wait() == 0, "\(asker.complaints)")
            #expect(file("seen") == "$(touch here)|" + items.joined(separator: "\n"))
            #expect(file("line")?.contains(#""text":"\n$(touch here)\n'\"\\""#) == true, "\(file("line") ?? "")")
            #expect(!FileManager.default.fileExists(atPath: daemon.directory.file("here")))
            #expect(handler.exitStatus() == nil)
        }

        @Test func `output that is JSON is the result`() throws {
            let handler = try handle(#"cat "$DIFFABLE_ACTION""#)
            let outputs = [
                (#""two words\n""#, "two words\n\n"), ("{\n  \"a\" : [1, null]\n}\n", "{\"a\":[1,null]}\n"),
                ("12", "12\n"),
                ("null", ""), ("", ""), (" \n", ""), ("done", ""), (#"{"a":"#, ""), ("1 2", ""), ("\u{7f}\0", ""),
            ]
            for (index, (output, expected)) in outputs.enumerated() {
                _ = try daemon.directory.write(output, to: "output\(index)")
                #expect(try daemon.succeed("perform", "tasks", "output\(index)") == expected, "\(output)")
            }
            #expect(
                try daemon.succeed("perform", "tasks", "output2", "--json")
                    == #"{"list":"tasks","revision":1,"result":12}"# + "\n")
            // A warning informs the handler's user that output was ignored.
            #expect(handler.complaints.split(separator: "\n").count { $0.contains("ignored the output of") } == 4)
            #expect(handler.complaints.contains("a result must be JSON, such as a string in double quotes\n"))
        }

        @Test func `a status refuses with the last line of standard error`() throws {
            let handler = try handle(
                """
                case $DIFFABLE_ACTION in
                lines) echo first >&2; echo 'not today' >&2; echo '"a result"'; exit 3 ;;
                silent) exit 3 ;;
                ours) diffablectl set tasks none done:=true ;;
                killed) echo almost >&2; kill -KILL $$ ;;
                esac
                """)
            let lines = try daemon.companion("perform", "tasks", "lines")
            #expect(lines.status == 8)
            #expect(lines.output == "")
            #expect(lines.complaints == "diffablectl: not today\n")
            #expect(handler.complaints.contains("first\nnot today\n"))
            let silent = try daemon.companion("perform", "tasks", "silent")
            #expect(silent.status == 8)
            #expect(
                silent.complaints.hasSuffix("command gave no reason, and ended with status 3\n"), "\(silent.complaints)"
            )
            let ours = try daemon.companion("perform", "tasks", "ours")
            #expect(ours.complaints.hasPrefix("diffablectl: the list \"tasks\" has no item"), "\(ours.complaints)")
            let killed = try daemon.companion("perform", "tasks", "killed")
            #expect(killed.status == 10)
            #expect(
                killed.complaints.hasSuffix(
                    "command was ended by signal 9 (Killed). The request may have been carried out. Check before you retry\n"
                ),
                "\(killed.complaints)")
            #expect(
                handler.complaints.contains(
                    #/command was ended by signal 9 \(Killed\) during request \d+; the caller is told that .*\n/#),
                "\(handler.complaints)")
        }

        @Test func `a command that is not there is told at the start, and to who asks when it goes`() throws {
            let missing = daemon.directory.file("missing")
            let none = try daemon.companion("handle", "tasks", "--", missing)
            #expect(none.status == 2)
            #expect(none.complaints == "diffablectl: \(missing) cannot be run: No such file or directory\n")
            let handler = try handle("true")
            try FileManager.default.removeItem(atPath: daemon.directory.file("command"))
            let gone = try daemon.companion("perform", "tasks", "any")
            #expect(gone.status == 8)
            #expect(gone.complaints.hasSuffix("command cannot be run: No such file or directory\n"))
            #expect(handler.exitStatus() == nil)
        }

        @Test func `what a command prints is read within bounds`() throws {
            let handler = try handle(
                #"""
                case $DIFFABLE_ACTION in
                endless) exec yes ;;
                long) printf '"%s"' "$(head -c 300000 /dev/zero | tr '\0' x)" ;;
                complaints) yes complaint | head -c 3000000 >&2; echo last >&2; exit 1 ;;
                breathless) head -c 3000000 /dev/zero | tr '\0' x >&2; exit 1 ;;
                deep) printf '%.0s[' {1..100}; printf '%.0s]' {1..100} ;;
                deaf) exec <&-; echo 1 ;;
                esac
                """#)
            let endless = try daemon.companion("perform", "tasks", "endless", "--timeout", "10m")
            #expect(endless.status == 10)
            #expect(endless.complaints.contains("wrote more than 16,777,216 bytes"), "\(endless.complaints)")
            let long = try daemon.companion("perform", "tasks", "long", "--timeout", "10m")
            #expect(long.status == 10)
            #expect(long.complaints.contains("resultLengthMax"), "\(long.complaints)")
            // The handler's user gets a message too.
            let told = try eventually("complaint") {
                handler.complaints.contains("resultLengthMax") ? handler.complaints : nil
            }
            #expect(told.contains(#/did not accept the answer of \S+ to request 2: /#), "\(told)")
            let deep = try daemon.companion("perform", "tasks", "deep", "--timeout", "10m")
            #expect(deep.status == 10 || deep.status == 0 && handler.complaints.contains("is no answer"), "\(deep)")
            let complaints = try daemon.companion("perform", "tasks", "complaints", "--timeout", "10m")
            #expect(complaints.complaints == "diffablectl: last\n")
            let breathless = try daemon.companion("perform", "tasks", "breathless", "--timeout", "10m")
            #expect(breathless.complaints.hasSuffix("xxx… (cut: 3,000,000 bytes in all)\n"))
            // It reads nothing of a request that is longer than a pipe holds.
            let text = String(repeating: "x", count: 60_000)
            let patches = (1...4).map { #"text\#($0)=\#(text.prefix(15_000))"# }
            let deaf = try daemon.startCompanion(["perform", "tasks", "deaf", "--timeout", "10m"] + patches)
            #expect(try deaf.wait() == 0, "\(deaf.complaints)")
            #expect(deaf.output == "1\n")
            #expect(handler.exitStatus() == nil)
        }

        @Test func `what it changed has come to who asks before the answer`() throws {
            let handler = try handle("diffablectl set tasks milk done:=true -q")
            for _ in 1...5 {
                try daemon.succeed("patch", "tasks", "milk", "done:=false", "-q")
                try daemon.succeed("perform", "tasks", "check")
                #expect(try daemon.succeed("get", "tasks", "milk", "done") == "true\n")
            }
            #expect(handler.exitStatus() == nil)
        }

        // MARK: Callers

        @Test func `a command for which nobody waits is ended with all that it has started`() throws {
            let handler = try handle("sleep 1000 & echo $! >sleeper; echo $$ >shell; wait")
            for process in try askInVain(at: 500, until: "shell", "sleeper") { try awaitEnd(of: process) }
            for name in ["shell", "sleeper"] { try FileManager.default.removeItem(atPath: daemon.directory.file(name)) }
            let asker = try daemon.startCompanion(["perform", "tasks", "hang", "--timeout", "5m"])
            let (shell, sleeper) = try (number(in: "shell"), number(in: "sleeper"))
            asker.end(with: SIGKILL)
            try awaitEnd(of: shell)
            try awaitEnd(of: sleeper)
            #expect(handler.exitStatus() == nil)
        }

        @Test func `one that does not hear of it is killed`() throws {
            let handler = try handle("trap '' TERM; echo $$ >shell; while :; do sleep 1; done")
            for shell in try askInVain(at: 200, until: "shell") {
                try awaitEnd(of: shell)
                let name = "\(daemon.directory.file("command")) (process \(shell))"
                _ = try eventually("both complaints: \(handler.complaints)") {
                    handler.complaints.hasSuffix(
                        "diffablectl: stopping \(name), because its caller no longer waits\n"
                            + "diffablectl: \(name) did not end and was killed\n") ? true : nil
                }
            }
            #expect(handler.exitStatus() == nil)
        }

        @Test func `what a command leaves in the background holds up no answer`() throws {
            let handler = try handle("sleep 1000 & echo $! >sleeper; echo '\"done\"'")
            #expect(try daemon.succeed("perform", "tasks", "start", "--timeout", "5m") == "done\n")
            let sleeper = try number(in: "sleeper")
            #expect(kill(sleeper, SIGKILL) == 0)
            #expect(handler.exitStatus() == nil)
        }

        @Test func `as many as it says run at a time`() throws {
            let handler = try handle("echo $$ >>running; until [ -e go ]; do sleep 0.05; done; echo 1", "--jobs", "2")
            let askers = try (1...5).map { _ in
                try daemon.startCompanion(["perform", "tasks", "wait", "--timeout", "5m"])
            }
            _ = try eventually("requests") {
                try daemon.succeed("clients", "--json").contains(#""pendingRequests":5"#) ? true : nil
            }
            _ = try eventually("two") { file("running")?.split(separator: "\n").count == 2 ? true : nil }
            let clients = try daemon.succeed("clients")
            #expect(clients.split(separator: "\n")[0].hasSuffix("ASKED  HANDLES  LISTS"))
            #expect(clients.contains(#/ 5 +tasks\n/#), "\(clients)")
            #expect(file("running")?.split(separator: "\n").count == 2)
            _ = try daemon.directory.write("", to: "go")
            for asker in askers { #expect(try asker.wait() == 0, "\(asker.complaints)") }
            #expect(file("running")?.split(separator: "\n").count == 5)
            #expect(handler.exitStatus() == nil)
        }

        @Test func `one job at a time does them in the order in which they were asked`() throws {
            let handler = try handle(
                "echo $DIFFABLE_ACTION >>done; until [ -e go ]; do sleep 0.05; done", "--jobs", "1")
            let askers = try (1...8).map { number in
                let asker = try daemon.startCompanion(["perform", "tasks", "\(number)", "--timeout", "5m"])
                _ = try eventually(within: 60, "request \(number)") {
                    try daemon.succeed("clients", "--json").contains(#""pendingRequests":\#(number)"#) ? true : nil
                }
                return asker
            }
            _ = try daemon.directory.write("", to: "go")
            for asker in askers { #expect(try asker.wait() == 0, "\(asker.complaints)") }
            #expect(file("done") == "1\n2\n3\n4\n5\n6\n7\n8\n")
            #expect(handler.exitStatus() == nil)
        }

        @Test func `statuses say what became of it`() throws {
            #expect(try daemon.companion("perform", "tasks", "any").status == 9)
            #expect(try daemon.companion("perform", "none", "any").status == 6)
            let handler = try handle("echo $$ >shell; sleep 1000", "--action", "on", "--action", "off")
            #expect(handler.complaints == "diffablectl: ready to handle tasks: the actions on, off\n")
            #expect(try daemon.companion("perform", "tasks", "any").status == 9)
            #expect(try daemon.companion("perform", "tasks", "on", "none").status == 6)
            #expect(try daemon.companion("perform", "tasks", "on", "--if-revision", "9").status == 5)
            #expect(try daemon.companion("handle", "tasks", "--action", "on", "--", "true").status == 5)
            #expect(try daemon.companion("handle", "none", "--", "true").status == 6)
            let lost = try daemon.startCompanion(["perform", "tasks", "on"])
            _ = try number(in: "shell")
            handler.end(with: SIGKILL)
            #expect(try lost.wait() == 10, "\(lost.complaints)")
            // Nothing is left to end its children.
            kill(-(try number(in: "shell")), SIGKILL)
        }

        @Test func `items are found by what is in them`() throws {
            let handler = try handle("printf '\"%s\"' \"$DIFFABLE_ITEMS\"")
            #expect(try daemon.succeed("perform", "tasks", "any", "--where", "text=milk") == "milk\n")
            #expect(try daemon.companion("perform", "tasks", "any", "--where", "text=tea").status == 6)
            #expect(handler.exitStatus() == nil)
        }

        // MARK: Proposals and children

        @Test func `a proposal is consented to, refused, or changed`() throws {
            let handler = try handle(
                """
                line=$(cat)
                case $DIFFABLE_KIND$line in
                propose*wine*) echo 'no wine' >&2; exit 1 ;;
                propose*beer*) echo '[{"op":"appendItems","items":[{"id":"juice"}]}]' ;;
                propose*twice*) echo '[{"op":"appendItems","items":[{"id":"milk"}]}]' ;;
                propose*broken*) echo '[{"op":"appendItems"' ;;
                propose*single*) echo '{"op":"deleteAllItems"}' ;;
                propose*plain*) echo deny ;;
                propose*) echo '{"ok":true}' ;;
                *) exit 9 ;;
                esac
                """, "--propose")
            func propose(_ item: String) throws -> CompanionAnswer {
                try daemon.companion(
                    "transact", "tasks", "--propose", input: #"{"op":"appendItems","items":[{"id":"\#(item)"}]}"#)
            }
            #expect(try propose("tea").output == "tasks revision 2\n")
            let refused = try propose("wine")
            #expect(refused.status == 8)
            #expect(refused.complaints == "diffablectl: no wine\n")
            #expect(try propose("beer").status == 0)
            for item in ["broken", "single"] {
                let refused = try propose(item)
                #expect(refused.status == 8)
                #expect(refused.complaints.contains("cannot apply the operations that"), "\(refused.complaints)")
            }
            #expect(try propose("twice").status != 0)
            let told = try eventually("complaint") {
                handler.complaints.contains("did not accept") ? handler.complaints : nil
            }
            #expect(told.contains(#/did not accept the answer .*duplicate item "milk"/#), "\(told)")
            #expect(try daemon.succeed("show", "tasks", "-o", "ids") == "milk\nbread\ntea\njuice\n")
            #expect(
                try daemon.succeed("log", "tasks", "-n1").contains(
                    #/by diffablectl \(pid \d+, uid \d+\), consented to by diffablectl \(pid \d+, uid \d+\)\n/#))
            // Status 0 approves, regardless of the output.
            #expect(try propose("plain").status == 0)
            #expect(handler.complaints.contains("exit status 0 accepts a proposal, any other refuses it"))
            // Without --propose the handler is not asked, and without a handler the proposal is a change.
            try daemon.succeed("append", "tasks", "wine", "-q")
            handler.signal(SIGTERM)
            #expect(try handler.wait() == 128 + SIGTERM)
            #expect(try propose("beer").output == "tasks revision 6\n")
        }

        @Test func `children are brought when somebody asks for them`() throws {
            let handler = try handle(
                """
                [ $DIFFABLE_KIND = expand ] || exit 9
                [ "$DIFFABLE_ITEMS" = milk ] || { echo "$DIFFABLE_ITEMS is empty" >&2; exit 1; }
                diffablectl append tasks oat --parent milk
                """, "--expand")
            #expect(try daemon.succeed("expand", "tasks", "milk", "--ask") == "")
            #expect(try daemon.succeed("show", "tasks", "-o", "ids") == "milk\noat\nbread\n")
            #expect(!(try daemon.succeed("show", "tasks", "--json")).contains(#""expanded":true"#))
            // A handler is not asked for an item that has children.
            try daemon.succeed("expand", "tasks", "milk", "--ask")
            let none = try daemon.companion("expand", "tasks", "bread", "--ask")
            #expect(none.status == 8)
            #expect(none.complaints == "diffablectl: bread is empty\n")
            #expect(handler.exitStatus() == nil)
        }

        @Test func `ls says what is answered for`() throws {
            #expect(!(try daemon.succeed("ls", "-l")).contains("ANSWERS"))
            let some = try start([
                "handle", "tasks", "--action", "on", "--action", "off", "--expand", "--", "true",
            ])
            try daemon.succeed("create", "other")
            let lines = try daemon.succeed("ls", "-l").split(separator: "\n")
            #expect(lines[0].hasSuffix("  ANSWERS        LIST"), "\(lines)")
            #expect(lines[1].hasSuffix("  -              other"), "\(lines)")
            #expect(lines[2].hasSuffix("  off,on expand  tasks"), "\(lines)")
            #expect(
                try daemon.succeed("ls", "--json").contains(
                    #""handles":["perform","expand"],"may":["see","ask","change"],"actions":["off","on"]"#))
            #expect(some.exitStatus() == nil)
        }

        // MARK: The end

        @Test func `it ends with its list, and when another replaces it`() throws {
            let first = try handle("true")
            let second = try start(["handle", "tasks", "--replace", "--", "true"])
            #expect(try first.wait() == 5)
            #expect(first.complaints.contains("another handler of tasks has replaced this one, which has ended;"))
            try daemon.succeed("delete", "tasks")
            #expect(try second.wait() == 0)
            #expect(second.complaints.contains("tasks was deleted or renamed, so this handler has ended; use --wait"))
        }

        @Test func `with --wait it waits for its list, and for the next one`() throws {
            let handler = try daemon.startCompanion(["handle", "later", "--wait", "--", script("echo 1")])
            func awaitHandler(_ count: Int) throws {
                _ = try eventually(within: 60, "handler; it said: \(handler.complaints)") {
                    handler.complaints.split(separator: "\n").count { $0.contains("ready to handle") } == count
                        ? true : nil
                }
                #expect(try daemon.succeed("perform", "later", "any") == "1\n")
            }
            _ = try eventually(within: 60, "waiting") {
                handler.complaints.contains("waiting until there is a list later") ? true : nil
            }
            try daemon.succeed("create", "later")
            try awaitHandler(1)
            try daemon.succeed("delete", "later")
            #expect(try daemon.companion("perform", "later", "any").status == 6)
            try daemon.succeed("undelete", "later")
            try awaitHandler(2)
            try daemon.succeed("rename", "later", "now")
            try daemon.succeed("create", "later")
            try awaitHandler(3)
            #expect(handler.exitStatus() == nil)
        }

        @Test(arguments: [SIGINT, SIGTERM])
        func `a signal ends it with what it runs`(signal: Int32) throws {
            let handler = try handle(
                "trap 'sleep 0.2; echo ended >ended; exit' TERM; echo $$ >shell; sleep 1000 & wait")
            let asker = try daemon.startCompanion(["perform", "tasks", "hang", "--timeout", "5m"])
            let shell = try number(in: "shell")
            let start = ContinuousClock.now
            handler.signal(signal)
            #expect(try handler.wait() == 128 + signal)
            #expect(!Program.isRunning(shell), "it has waited for the command")
            // A command is only killed if it takes longer than five seconds to end; an immediate kill would show.
            #expect(file("ended") == "ended\n" || start.duration(to: .now) > .seconds(5))
            #expect(try asker.wait() == 10, "\(asker.complaints)")
        }

        @Test func `it goes on when the daemon was restarted`() throws {
            let handler = try handle("echo 1")
            daemon.program.end(with: SIGKILL)
            try daemon.restart()
            _ = try eventually("registration") {
                handler.complaints.split(separator: "\n").count { $0.contains("ready to handle") } == 2 ? true : nil
            }
            #expect(try daemon.succeed("perform", "tasks", "any") == "1\n")
        }
    }
}
