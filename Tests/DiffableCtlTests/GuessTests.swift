import Testing

@testable import DiffableInput
@testable import diffablectl

/// The guessed format of input without an option or a file name.
struct GuessTests {
    private func guess(_ text: String) -> String {
        do throws(InputError) { return try FormatGuess.format(of: Array(text.utf8)[...]).rawValue } catch {
            #expect(error.problem.text(.options).contains("nothing was changed"), "\(error)")
            #expect(error.problem.text(.options).contains("--from lines if each line is an item"), "\(error)")
            return error.problem.text(.options).firstMatch(of: #/--from [a-z]+(?: --separator '.')?/#).map {
                String($0.output)
            } ?? ""
        }
    }

    @Test(arguments: [
        "id,text\n1,a\n", "id,text\n", "id,text\n1,a\n2\n", "id,text\n1,a,b\n", "id;text\n1;a\n", "id,text\r\n1,a\r\n",
        "%CPU,PID\n0.1,7\n", "First Name,Last Name\n", "\"id\",\"text\"\n", "\"a, b\",\"two\nlines\"\n",
        "No.,Item\n1,x\n",
        "Price (EUR),Size\n", "id,text,done\n1,\"a, b\",\n", "milk,bread\n", "1,milk\n2,bread\n", "\n\nid,text\n",
        "#,Name\n1,a\n", "Error Code,Count\n", "2026,total\n", ",a,b\n0,1,2\n", "id,text,\n1,a,\n", "1;2\n",
        "äpfel,birnen\n", "[Date],[Level]\n",
    ])
    func `names between commas or semicolons are csv, whatever follows`(text: String) {
        #expect(guess(text) == "--from csv")
    }

    @Test func `names between bars are csv with that separator`() {
        #expect(guess("1|milk\n2|bread\n") == "--from csv --separator '|'")
    }

    @Test(arguments: [
        "id\ttext\n1\ta\n", "id\ttext\n", "4.0K\t./a\n8.0K\t.\n", "     1\tmilk\n", "INFO\tstarted\n",
        "sed, a\tb\n",
    ])
    func `a tab after the first word is tsv`(text: String) { #expect(guess(text) == "--from tsv") }

    @Test(arguments: [
        ProgramOutput.df, ProgramOutput.ps, ProgramOutput.psFull, ProgramOutput.systemctl, ProgramOutput.ls,
        ProgramOutput.lsISO, ProgramOutput.lsblk, ProgramOutput.free, ProgramOutput.docker,
        "CONTAINER ID   IMAGE     COMMAND   CREATED   STATUS    PORTS     NAMES\n", "    PID COMMAND\n      1 init\n",
        "    PID COMMAND\n", "Package Version\n------- -------\npip     23\n",
        "Active Internet connections\nProto Recv-Q Send-Q Local Address           State\n",
        " 18:10:49 up 1 day,  2:03,  1 user\nUSER     TTY      FROM\n", "root     pts/0        2026-11-28 18:10\n",
    ])
    func `columns are not lines`(text: String) { #expect(guess(text) == "--from columns") }

    @Test(arguments: [
        " id | name\n----+------\n  1 | milk\n(1 row)\n", "+----+\n| id |\n+----+\n| 1  |\n+----+\n",
        "┌────┬──────┐\n│ id │ name │\n└────┴──────┘\n", "| id | name |\n|----|------|\n| 1  | milk |\n",
    ])
    func `a table with lines is to be written otherwise`(text: String) { #expect(guess(text) == "--from csv") }

    @Test(arguments: [
        "Fruit\n\tApple\n\t\tBoskoop\n", "Fruit\n  Apple\n", ".\n├── a\n└── b\n", ".\n|-- a\n`-- b\n",
        "Error:\n  at f\n",
    ])
    func `an outline is not lines`(text: String) { #expect(guess(text) == "--from tree") }

    @Test(arguments: [
        "Loading\n[{\"id\":\"a\"}]\n", "Warning: x\n{\"id\":\"a\"}\n{\"id\":\"b\"}\n",
        "Loading\n[\n  {\"id\":\"a\"}\n]\n", "// a\n[{\"id\":1}]\n", "data: {\"id\":1}\n\ndata: {\"id\":2}\n",
        "rows = [{\"id\":1}];\n", "call([{\"id\":1}])\n",
    ])
    func `text before JSON is refused`(text: String) { #expect(guess(text) == "--from json") }

    @Test(arguments: ["\"a\"\n\"b\"\n", "null\n", "true\nfalse\n"])
    func `JSON values that are no rows are refused`(text: String) { #expect(guess(text) == "--from ndjson") }

    @Test(arguments: [
        "", "\n \n", "milk\nbread\n", "milk, bread\n", "Buy milk, eggs\nBread, butter\n", "Dear Sir,\nthanks,\n",
        "1,2\n3,4\n",
        "1,234 files\n", "1,5 kg flour\n", "Smith, John; Doe, Jane\n", "say \"a,b\"\nsay \"c,d\"\n",
        "\"Well\", she said\n", "\"Stop\" he said,twice\n",
        "a\nb\n  \n", "5\n", "1\n2\n", "      2 bread\n      1 milk\n", "  dev\n* main\n", " M a.txt\n?? b.txt\n",
        "[INFO] started\n[WARN] a,b\n", "[INFO ] started\n[ERROR] failed\n", "[1] done\n", "[1/5] step\n",
        "[ ] milk\n[x] bread\n",
        "[    0.000000] Linux version 6\n", "[2026-11-28 18:10] x\n", "[main]\nkey=1\n", "[a, b]\n", "[[section]]\n",
        "{name} text\n", "{{ template }}\n", "{}x\n", "[] none\n", "2026-11-28 18:10:49,123 INFO a,b\n",
        "2026-11-28 18:10:49  INFO main - started\n", "Nov  8 18:10:49 host sshd[1]: accepted\n", "INFO  a\nERROR b\n",
        "Sat Nov  8 18:10:49 2026 x\n", "I1128 18:10:49.1    1 main.go:10] x\n", "18:10:49.123 [main] INFO  app - x\n",
        "127.0.0.1 - - [28/Nov/2026:18:10:49 +0000] \"GET / HTTP/1.1\" 200 5\n", "Hello.  World\n",
        "level=info msg=\"a,b\"\n", "INFO request {\"path\": \"/\"}\n",
        "2026-11-28T18:10:49Z\u{20}INFO\u{20}x {\"a\":[{\"b\":1}]}\n",
        "PATH=/bin:/usr/bin\nLS_COLORS=a,b\n", "root:x:0:0:root:/root:/bin/bash\nme:x:1:1:Me,,,:/home/me:/bin/sh\n",
        "Listing...\nadduser/stable,now 3.134 all [installed]\n", "proc /proc proc rw,nosuid,nodev 0 0\n",
        "uid=0(root) groups=0(root),27(sudo)\n",
        "1: lo: <LOOPBACK,UP> mtu 65536\n", "https://example.com/?a=1,b=2\n", "f(a,b)\n", "./a,b.txt\n", "int x;\n",
        "USB HUB\n", "---\na\n", "a - b\n", "2026/11/28 18:10:49 started\n",
        "1234:M 28 Nov 2026 18:10:49.123 * Ready\n",
    ])
    func `anything else is lines`(text: String) { #expect(guess(text) == "lines") }

    @Test(arguments: [
        ("[1]", "json"), ("  [{\"id\":1}]", "json"), ("[{\"id\":1},{\"id\":", "json"), ("[\n{\"id\":1}", "json"),
        ("[", "json"),
        ("[]", "json"), ("[1, 2", "json"), ("[\"a\",\"b\"", "json"), ("[null, 1]", "json"), ("[[1, 2], [3]]", "json"),
        ("[{'id': 1}]", "json"), ("{id: 1}", "json"), ("{", "json"), ("{\n\"sections\":[]}", "json"),
        ("{\"sections\":[]}", "json"),
        ("[{\"id\":1}] done", "json"), ("{\"id\":1}\n{\"id\":2}", "ndjson"), ("{}", "ndjson"),
        ("{\"id\":1}\ntext", "ndjson"),
    ])
    func `a bracket before a value of JSON is JSON, whole or broken`(text: String, format: String) {
        #expect(guess(text) == format)
    }

    @Test(arguments: [
        "[{\"id\":1},{\"id\":", "[1, 2", "{\"id\":1}\ntext\n", "{id: 1}", "[{\"id\":1}]\nDone\n", "[{\"id\":1},]",
    ])
    func `broken JSON names both ways out`(text: String) {
        let error = #expect(throws: InputError.self) {
            try RowMapping().input(Array(text.utf8), file: nil, named: "standard input")
        }
        let words =
            "nothing was changed: have the program write valid JSON, or use --from lines if each line is an item"
        #expect(error?.problem.text(.options).hasSuffix(words) == true, "\(error?.problem ?? "")")
    }

    @Test func `options of tables need a format`() throws {
        var mapping = RowMapping()
        mapping.numbers = "size"
        for text in ["name,size\na,1\n", "name\tsize\n", "name size\na 1\n", "[]", ""] {
            let error = #expect(throws: InputError.self) { try mapping.input(Array(text.utf8), file: nil, named: "it") }
            #expect(error?.problem.text(.options).contains("use --from csv, --from tsv or --from columns") == true)
        }
        let table = try mapping.input(Array("name,size\na,1\n".utf8), file: "x.csv", named: "x.csv")
        #expect(table.count == 1)
        mapping.separator = UInt8(ascii: ";")
        #expect(try mapping.input(Array("name;size\na;1\n".utf8), file: nil, named: "it").count == 1)
    }

    @Test func `empty input has no rows if options name fields`() throws {
        var mapping = RowMapping()
        mapping.fields.id = FieldPath("id")
        #expect(try mapping.input([], file: nil, named: "it").count == 0)
    }

    @Test func `the ending of a file's name says more than the text`() throws {
        let names = ["x.csv", "x.jsonl", "x.json", "x.tab", "x.txt", "x.TREE", "notes", "x.log", "a.csv/b"]
        #expect(
            names.map { InputFormat.known(by: $0)?.rawValue ?? "" }
                == ["csv", "ndjson", "json", "tsv", "lines", "tree", "", "", ""])
        #expect(try RowMapping().input(Array("id,text\n".utf8), file: "x.txt", named: "x.txt").count == 1)
    }

    @Test func `a byte order mark is no part of the text`() throws {
        for (text, count) in [
            ("[{\"id\":1},{\"id\":2}]", 2), ("{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n", 3), ("milk\n", 1),
        ] {
            #expect(try RowMapping().input(Array("\u{FEFF}\(text)".utf8), file: nil, named: "it").count == count)
        }
        #expect(throws: InputError.self) {
            try RowMapping().input(Array("\u{FEFF}id,a\n".utf8), file: nil, named: "it")
        }
    }

    @Test func `jsonl is another name of ndjson`() {
        #expect(InputFormat(argument: "jsonl") == .ndjson && InputFormat(argument: "ndjson") == .ndjson)
        #expect(InputFormat(argument: "xml") == nil)
    }

    @Test func `a column whose name has a blank is quoted in messages`() {
        #expect(
            complaint("IMAGE ID,SIZE\na,1\n", as: .csv, .init(id: "ID"))
                == "there is no column ID, which --id names. The input has \"IMAGE ID\", SIZE")
    }
}
