import Testing

extension Integration {
    /// `get`, `ls --names`, and the forms of `show`.
    struct OutputCommandTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            let rows = """
                {"id":"a","cpu":9.5,"name":"init, \\"one\\"","owner":{"uid":0}}
                {"id":"b","cpu":100,"name":"two\\twords","under":"a","gone":null}
                """
            try daemon.succeed(
                "apply", "procs", "--create", "-q", "--parent", ".under", "--from", "ndjson", input: rows)
        }

        private func show(_ options: String...) throws -> String {
            let program = try daemon.startCompanion(["show", "procs"] + options)
            #expect(try program.wait() == 0, "\(program.complaints)")
            return program.output
        }

        @Test func `get prints a field as it is`() throws {
            #expect(try daemon.succeed("get", "procs", "b", ".name") == "two\twords\n")
            #expect(
                try daemon.succeed("get", "procs", "a", "cpu", "/owner/uid", ".owner", "id")
                    == "9.5\n0\n{\"uid\":0}\na\n")
            #expect(try daemon.succeed("get", "procs", "b", ".name", "--json") == "\"two\\twords\"\n")
            #expect(
                try daemon.succeed("get", "procs", "a")
                    == #"{"id":"a","cpu":9.5,"name":"init, \"one\"","owner":{"uid":0}}"# + "\n")
            let whole = try daemon.succeed("get", "procs", "b", "--json")
            #expect(whole.hasPrefix(#"{"list":"procs","epoch":""#))
            #expect(whole.contains(#""revision":1,"section":"main","parent":"a","id":"b","content":{"id":"b","#))
        }

        @Test func `what is not there has a status of its own`() throws {
            for arguments in [["procs", "none"], ["procs", "a", ".none"], ["none", "a"]] {
                let program = try daemon.startCompanion(["get"] + arguments)
                #expect(try program.wait() == 6, "\(arguments)")
                #expect(program.complaints.contains("none"))
            }
        }

        @Test func `show prints tables`() throws {
            #expect(
                try show("-o", "table") == """
                    id  parent  cpu  name         owner      under  gone
                    a           9.5  init, "one"  {"uid":0}
                    b   a       100  two␉words               a

                    """)
            #expect(
                try show("--columns", "id,.owner.uid,section")
                    == "id  .owner.uid  section\na   0           main\nb               main\n")
            #expect(try show("-o", "tsv", "--columns", "id,name") == "id\tname\na\tinit, \"one\"\nb\ttwo\\twords\n")
            #expect(
                try show("-o", "csv", "--columns", "id,name,.cpu", "--where", "cpu<50")
                    == "id,name,cpu\na,\"init, \"\"one\"\"\",9.5\n")
            #expect(try show("-o", "ids", "--sort", "-cpu") == "a\nb\n")
            #expect(
                try show("-o", "jsonl", "--columns", "id,parent,cpu")
                    == #"{"id":"a","cpu":9.5}"# + "\n" + #"{"id":"b","parent":"a","cpu":100}"# + "\n")
            #expect(try show("-o", "json").contains(#""revision":1,"snapshot":{"sections":["#))
        }

        @Test func `a table is aligned on the screen`() throws {
            try daemon.succeed("append", "procs", "写真", "name=e\u{301}", "cpu:=5", "-q")
            #expect(
                try show("-o", "table", "--columns", "id,name,cpu") == """
                    id    name         cpu
                    a     init, "one"  9.5
                    b     two␉words    100
                    写真  e\u{301}              5

                    """)
        }

        @Test func `the names of members are the names of columns`() throws {
            try daemon.succeed(
                "apply", "names", "--create", "-q", input: #"{"id":"1","x.y":"dot",".net":1,"No.":2}"# + "\n")
            #expect(try daemon.succeed("show", "names", "-o", "csv") == "id,x.y,.net,No.\n1,dot,1,2\n")
            #expect(
                try daemon.succeed("show", "names", "-o", "jsonl", "--columns", "/x.y,/.net")
                    == #"{"x.y":"dot",".net":1}"# + "\n")
            let advice = try daemon.companion("show", "names", "--where", "x.y=dot")
            #expect(advice.complaints.contains("did you mean /x.y?"), "\(advice)")
            #expect(try daemon.succeed("show", "names", "-o", "ids", "--where", "/x.y=dot") == "1\n")
        }

        @Test func `what show prints can be applied again`() throws {
            let table = try show("-o", "csv", "--columns", "id,cpu")
            try daemon.succeed("create", "copy")
            try daemon.succeed("apply", "copy", "-q", "--from", "csv", input: table)
            #expect(try daemon.succeed("show", "copy", "-o", "csv", "--columns", "id,cpu") == table)
            let tabs = try show("-o", "tsv", "--columns", "id,name")
            try daemon.succeed("apply", "copy", "-q", "--from", "tsv", input: tabs)
            #expect(try daemon.succeed("get", "copy", "b", ".name") == "two\twords\n")
            try daemon.succeed("section", "add", "procs", "empty", "n:=1", "-q")
            try daemon.succeed("insert", "procs", "-q", "c", "id=own", "section:=7", "--kind", "k", "--before", "a")
            let lines = try show("-o", "jsonl")
            try daemon.succeed("apply", "copy", "-q", input: lines)
            #expect(try daemon.succeed("show", "copy", "--json") == show("--json"))
            try daemon.succeed("apply", "new", "--create", "-q", "--from", "jsonl", input: lines)
            #expect(try daemon.succeed("show", "new", "--json") == show("--json"))
        }

        @Test func `show prints a revision that is kept`() throws {
            try daemon.succeed("rm", "procs", "b", "-q")
            #expect(try show("-o", "ids") == "a\n")
            #expect(try show("-o", "ids", "--at", "1") == "a\nb\n")
            #expect(try show("--at", "1", "--where", "cpu=100", "-o", "json").contains(#""revision":1,"#))
            #expect(try show("--at", "1", "--json").contains(#""id":"b""#))
            #expect(try daemon.companion("show", "procs", "--at", "9").status == 6)
        }

        @Test func `ls prints names alone`() throws {
            try daemon.succeed("create", "apples")
            #expect(try daemon.succeed("ls", "--names") == "apples\nprocs\n")
        }

        @Test(arguments: [
            ["show", "procs", "--columns", "a..b"], ["show", "procs", "-o", "ids", "--columns", "id"],
            ["show", "procs", "--json", "-o", "csv"], ["show", "procs", "-o", "xml"], ["ls", "--names", "-l"],
            ["get", "procs", "a", ".a..b"],
        ])
        func `forms that exclude each other are refused`(arguments: [String]) throws {
            #expect(try daemon.startCompanion(arguments).wait() == 2)
        }
    }
}
