import Testing

extension Integration {
    /// Typing errors: each gives an error with its remedy, and never a help page with status 0.
    struct ArgumentTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            try daemon.succeed("create", "tasks")
            try daemon.succeed("append", "tasks", "-q", "--", "-high", "text=High")
        }

        @Test(arguments: [
            ("get tasks -high", "-high is read as several options, and -h is help", "after --"),
            ("rm tasks -chat", "-chat is read as several options", "-- -chat"),
            ("append tasks -milk", "after --, after all options: -- -milk", "append"),
            ("help nope", #"there is no command "nope"; `diffablectl --help` lists"#, ""),
            ("help shwo", #"there is no command "shwo"; did you mean show?"#, ""),
            ("help section ad", #"there is no command "section ad"; did you mean section add?"#, "section --help"),
            ("section nope", #"there is no command "section nope"; `diffablectl section --help` lists"#, ""),
            ("version", #"there is no command "version"; did you mean --version? `diffablectl"#, ""),
            ("append tasks x '{bad'", "the content is not JSON", "Usage: diffablectl append"),
            ("insert tasks x foo --before y", "neither JSON nor key=value", "Usage: diffablectl insert"),
            ("set tasks milk foo", "neither JSON nor key=value", "Usage: diffablectl set"),
            ("patch tasks milk foo", "neither JSON nor key=value", "Usage: diffablectl patch"),
            ("section set tasks main foo", "neither JSON nor key=value", "Usage: diffablectl section set"),
            ("move tasks milk --fornt", "there is no option --fornt; did you mean --front?", ""),
            ("move tasks milk -front", "there is no option -front; did you mean --front?", ""),
            ("wait tasks --form=done=true", "there is no option --form; did you mean --for?", ""),
            ("section move tasks main --bef=x", "there is no option --bef", ""),
            ("move tasks milk --nonsense", "no option --nonsense; `diffablectl move --help` lists the options", ""),
            ("move tasks milk -q", "the place is missing: use --before, --after", "Usage: diffablectl move"),
            ("wait tasks -- --nonsense", "use --for to name the condition", "Usage: diffablectl wait"),
            ("show tasks --columns id,.a,a", "--columns names a twice", "Usage: diffablectl show"),
        ])
        func `what cannot be used is refused with what to type`(line: String, words: String, more: String) throws {
            let answer = try daemon.shell("\"$ctl\" \(line)")
            #expect(answer.status == 2 && answer.output.isEmpty, "\(answer)")
            #expect(answer.complaints.contains(words) && answer.complaints.contains(more), "\(answer.complaints)")
        }

        @Test(arguments: [
            "get tasks -h", "get tasks -high --help", "help show", "help section add", "-h", "section -h",
        ])
        func `who asks for help gets it`(line: String) throws {
            let answer = try daemon.shell("\"$ctl\" \(line)")
            #expect(answer.status == 0 && answer.output.contains("USAGE: diffablectl"))
        }

        @Test func `behind two dashes an id begins as it likes`() throws {
            #expect(try daemon.succeed("get", "tasks", "--", "-high", ".text") == "High\n")
        }

        @Test func `no command advises what another one has`() throws {
            let copy = try daemon.companion("copy", "tasks", "tasks")
            #expect(copy.status == 5 && !copy.complaints.contains("--if-absent"), "\(copy.complaints)")
            #expect(copy.complaints.contains("choose another name"))
            let create = try daemon.companion("create", "tasks")
            #expect(create.status == 5 && create.complaints.contains("use --if-absent if the list may exist"))
        }

        @Test func `an editor that cannot run leaves nothing behind`() throws {
            let answer = try daemon.shell(
                #"export TMPDIR="$(dirname "$DIFFABLED_SOCKET")/tmp"; mkdir "$TMPDIR"; VISUAL=/no/such/editor "$ctl" edit tasks; echo "$?" $(ls "$TMPDIR")"#
            )
            #expect(answer.output == "2\n", "\(answer)")
            #expect(answer.complaints.contains("/no/such/editor cannot be run"))
            #expect(!answer.complaints.contains("is kept in"))
        }

        @Test func `a file called as a list is said to be a file`() throws {
            let answer = try daemon.shell(
                #"cd "$(dirname "$DIFFABLED_SOCKET")" && "$ctl" backup tasks && "$ctl" backup - tasks | head -n 1"#)
            #expect(answer.status == 0 && answer.output.contains("tasks: 1 list, 1 item"))
            #expect(answer.complaints.contains("tasks is also the name of a list"))
        }
    }
}
