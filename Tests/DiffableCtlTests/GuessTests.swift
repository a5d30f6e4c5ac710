import Testing

@testable import DiffableInput
@testable import diffablectl

/// What is read when nothing is said of the format and no file's name says it.
struct GuessTests {
    private func guess(_ text: String, isTable: Bool = false) -> InputFormat {
        .guess(fileName: nil, input: Array(text.utf8), isTable: isTable, isRow: JSONRows.isRow)
    }

    @Test(arguments: [
        "name,size\na,1\n", "name;size\r\na;1\r\n", "name,note\n\"a, b\",\"two\nlines\"\n", "%CPU,PID\n0.1,7\n",
        "name,size\na,\n",
    ])
    func `names between commas or semicolons above records are csv`(text: String) { #expect(guess(text) == .csv) }

    @Test(arguments: [
        "milk\nbread\n", "Buy milk, eggs\nBread, butter\n", "Dear Sir,\nthanks,\n", "a,b\n", "1,2\n3,4\n",
        "milk,dairy\nbread\n", "a,a\nb,c\n", "say \"a,b\"\nsay \"c,d\"\n", "bash\tshells\nsed\tutils\n", "",
    ])
    func `anything else stays lines`(text: String) { #expect(guess(text) == .lines) }

    @Test func `options of tables make it a table`() {
        #expect(guess("milk,2\nbread,3\n", isTable: true) == .csv)
        #expect(guess("milk;2\n", isTable: true) == .csv)
        #expect(guess("milk\t2,5\n", isTable: true) == .tsv)
        #expect(guess("PID CMD\n1   init\n", isTable: true) == .columns)
        #expect(guess("[{\"id\":1}]", isTable: true) == .json)
    }

    @Test func `jsonl is another name of ndjson`() {
        #expect(InputFormat(argument: "jsonl") == .ndjson && InputFormat(argument: "ndjson") == .ndjson)
        #expect(InputFormat(argument: "xml") == nil)
    }

    @Test func `a column whose name has a blank is quoted in messages`() {
        #expect(
            complaint("IMAGE ID,SIZE\na,1\n", as: .csv, .init(id: "ID"))
                == "there is no column ID, which --id names. There are \"IMAGE ID\", SIZE")
    }
}
