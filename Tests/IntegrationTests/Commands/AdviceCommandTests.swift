import Testing

extension Integration {
    /// Warnings on stderr about misspelt fields and numbers that are strings.
    struct AdviceCommandTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            try daemon.succeed(
                "apply", "procs", "--create", "-q", "--from", "csv", "--id", ".PID",
                input: "PID,%CPU,RSS,use,name\n1,9.5,900,7%,init\n2,20,1000,9%,sh\n3,100.0,80,1%,cat\n")
            try daemon.succeed("patch", "procs", "1", "due=2027-01-01", "-q")
        }

        private func said(_ line: String) throws -> String {
            let answer = try daemon.shell("\"$ctl\" \(line)")
            #expect(answer.status == 0, "\(answer)")
            return answer.complaints
        }

        @Test(arguments: [
            ("show procs --columns id,nmae", "no item of procs has .nmae, which --columns names; did you mean .name?"),
            ("show procs --sort nmae", "no item of procs has .nmae, which --sort names; did you mean .name?"),
            ("show procs --where nmae=sh", "no item of procs has .nmae, which --where names; did you mean .name?"),
            ("show procs --json --where nmae=sh", "no item of procs has .nmae, which --where names"),
            ("show procs -o json --where '!nmae'", "no item of procs has .nmae, which --where names"),
            ("show procs --at 1 --columns due", "no item of procs has .due, which --columns names."),
            ("rm procs --where nmae=sh", "no item of procs has .nmae, which --where names; did you mean .name?"),
            ("show procs --where '%CPU>0.1'", ".%CPU is a string in every item, so no comparison with a number"),
            (
                "show procs --where 'use>5'",
                #".use is a string in every item, such as "7%", so no comparison with a number matches"#
            ),
            ("show procs --sort -RSS", "--sort '#.RSS' sorts by numbers"),
            (
                "show procs --section main --section mian",
                #"has no section mian, which --section names; did you mean main?"#
            ),
        ])
        func `what was probably not meant is pointed out`(line: String, words: String) throws {
            let complaints = try said(line)
            #expect(complaints.contains(words), "\(complaints)")
        }

        @Test(arguments: [
            "show procs --columns id,name,due --where '!due'", "show procs --where due=tomorrow",
            "show procs --where '!done'", "show procs --sort '#RSS'", "show procs --sort name --where name=x",
            "show procs --where 'name>s'", "show procs --section main", "show procs --where id=9",
        ])
        func `what may well be meant is not`(line: String) throws {
            let complaints = try said(line)
            #expect(complaints.isEmpty, "\(complaints)")
        }

        @Test func `a hash sorts by numbers`() throws {
            #expect(try daemon.succeed("show", "procs", "-o", "ids", "--sort", "#/%CPU") == "1\n2\n3\n")
            #expect(try daemon.succeed("show", "procs", "-o", "ids", "--sort", "-#.RSS") == "2\n1\n3\n")
            #expect(try daemon.succeed("show", "procs", "-o", "ids", "--sort", "#-RSS") == "2\n1\n3\n")
        }

        @Test func `a section that is not there is an error where it is the only one`() throws {
            let answer = try daemon.companion("show", "procs", "--section", "mian")
            #expect(answer.status == 6 && answer.complaints.contains("did you mean main?"))
        }

        @Test func `watch points out a field of its template`() throws {
            let watch = try daemon.startCompanion(["watch", "procs", "--format", "{.nmae}"])
            _ = try eventually("the advice") {
                watch.complaints.contains("no item of procs has .nmae, which --format names; did you mean .name?")
                    ? true : nil
            }
        }

        @Test func `at a terminal a filter that nothing meets says so, without a bare header`() throws {
            let answer = try daemon.terminal("\"$ctl\" show procs -o table --where name=x")
            #expect(answer.output.contains("no item of procs matches"))
            #expect(!answer.output.contains("id"))
            #expect(try said("show procs --where name=x").isEmpty)
        }

        @Test func `an undo that takes the room of others says what is kept`() throws {
            let small = try Daemon(configured: "historyLengthMax: 4096\n")
            let rows = (0..<200).map { "row\($0)" }.joined(separator: "\n")
            try small.succeed("create", "l")
            for text in ["a", "b", "c"] { try small.succeed("append", "l", text, "-q") }
            try small.succeed("apply", "l", "-q", "--from", "lines", input: rows)
            let undo = try small.companion("undo", "l")
            #expect(undo.status == 0)
            #expect(undo.complaints.contains("were dropped to make room for this change"), "\(undo)")
        }
    }
}
