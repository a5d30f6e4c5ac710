import Diffable
import Testing

@testable import DiffableInput
@testable import diffablectl

struct PlainTextTests {
    @Test func `a line is its own id and text`() throws {
        let list = try read("Milk\n\nBread\r\n", as: .lines)
        #expect(list.itemIdentifiers == ["Milk", "Bread"])
        #expect(list.content("Milk") == #"{"text":"Milk"}"#)
    }

    @Test func `a line that stands twice is named by both places`() {
        #expect(
            complaint("a\nb\na\n", as: .lines)
                == "line 3: line 1 has the id \"a\" too; an id can be in a list only once; leave one of the two out; if the rows "
                + "are lines of text, use --from lines and --id hash")
    }

    private func lines(_ text: String, _ ids: LineIDs?) throws -> Snapshot {
        let reader = InputReader(format: .lines, lineIDs: ids)
        guard case .whole(let whole) = try reader.read(Array(text.utf8)) else { return Snapshot() }
        return try Snapshot(whole)
    }

    @Test func `lines that repeat have numbers or hashes as ids`() throws {
        let numbered = try lines("a\n\n\tb\na\n", .number)
        #expect(numbered.itemIdentifiers == ["1", "3", "4"])
        #expect(numbered.content("4") == #"{"text":"a"}"#)
        // The hash of "a" by FNV-1a.
        let hashed = try lines("a\n\tb\na\na\n", .hash)
        let ids = hashed.itemIdentifiers.map { "\($0)" }
        #expect(ids[0] == "AF63DC4C8601EC8C" && ids[2...] == ["AF63DC4C8601EC8C~2", "AF63DC4C8601EC8C~3"])
        #expect(hashed.content(hashed.itemIdentifiers[1]) == #"{"text":"\tb"}"#)
        // A new line at the end changes no other id.
        #expect(try lines("a\n\tb\na\na\nc\n", .hash).itemIdentifiers.dropLast() == hashed.itemIdentifiers[...])
    }

    @Test func `a long line is cut in its id, and not in its text`() throws {
        let long = String(repeating: "é", count: 200)
        for line in [long, "\(long)x"] {
            let list = try lines("\(line)\n", nil)
            let id = "\(list.itemIdentifiers[0])"
            #expect(id.utf8.count <= 255 && id.hasPrefix(String(repeating: "é", count: 100) + "…"))
            #expect(list.content(list.itemIdentifiers[0]) == #"{"text":"\#(line)"}"#)
        }
        #expect(try lines("\(long)\n\(long)x\n", nil).numberOfItems == 2)
        // A line that looks like a truncated line has another id.
        let cut = try lines(long, nil).itemIdentifiers[0]
        #expect(try lines("\(cut)\n\(long)\n", nil).numberOfItems == 2)
        #expect(try lines(String(repeating: "x", count: 255), nil).itemIdentifiers[0].description.count == 255)
    }

    @Test func `only after from lines does the id not name a field`() {
        var mapping = RowMapping()
        mapping.from = .lines
        mapping.set(.init(id: "hash"))
        #expect(mapping.lineIDs == .hash && mapping.fields == .none)
        #expect(throws: Never.self) { try mapping.check() }
        mapping.set(.init(id: "line"))
        #expect { try mapping.check() } throws: { "\($0)".hasSuffix("you can use --id number or --id hash") }
        var table = RowMapping()
        table.from = .csv
        table.set(.init(id: "hash"))
        #expect(table.lineIDs == nil && table.fields.id == FieldPath("hash"))
    }

    @Test func `indented lines are children, and ids are paths`() throws {
        let list = try read("Fruit\n  Apple\n    Boskoop\n  Pear\nNuts\n\tApple\n", as: .tree)
        #expect(
            list.visualDescription == """
                main
                  ▸ Fruit
                    ▸ Fruit/Apple
                        Fruit/Apple/Boskoop
                      Fruit/Pear
                  ▸ Nuts
                      Nuts/Apple

                """)
        #expect(list.content("Fruit/Apple/Boskoop") == #"{"text":"Boskoop"}"#)
    }

    @Test func `the drawing of tree counts as indentation`() throws {
        let list = try read(".\n├── a\n│\u{A0}\u{A0} └── b\n└── c\n", as: .tree)
        #expect(list.itemIdentifiers == [".", "./a", "./a/b", "./c"])
    }

    @Test func `the drawing of tree in ASCII counts too`() throws {
        let list = try read(".\n|-- a\n|   |-- b\n|   `-- c\n|       `-- d e\n`-- f\n", as: .tree)
        #expect(list.itemIdentifiers == [".", "./a", "./a/b", "./a/c", "./a/c/d e", "./f"])
        let points = try read(".\n|\u{A0}\u{A0} `-- b\n", as: .tree)
        #expect(points.itemIdentifiers == [".", "./b"])
        #expect(
            try read("|x\n`y`\n|-z\n", as: .tree).itemIdentifiers == ["|x", "`y`", "|-z"],
            "what is no drawing is a name")
    }

    @Test(arguments: [
        ".\n├── a\n└── b\n\n2 directories, 3 files\n", ".\n|-- a\n`-- b\n\n1 directory, 1 file\n",
        ".\n├── a\n└── b\n\n2 dossiers\n",
    ])
    func `the summary of tree is no item`(text: String) throws {
        #expect(try read(text, as: .tree).itemIdentifiers == [".", "./a", "./b"])
    }

    @Test func `an empty directory has a summary, and other lines after a blank one stay`() throws {
        #expect(try read(".\n\n0 directories, 0 files\n", as: .tree).itemIdentifiers == ["."])
        #expect(
            try read("Fruit\n  Apple\n\n7 Nuts\n", as: .tree).itemIdentifiers == ["Fruit", "Fruit/Apple", "7 Nuts"])
    }

    @Test func `fields are refused where there are none`() {
        for format in [InputFormat.lines, .tree] {
            #expect(
                complaint("a\n", as: format, .init(id: ".x")).contains("there are none in a snapshot, in --from lines"))
        }
    }
}
