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
                == "line 3: line 1 has the id \"a\" too; an id can be in a list only once; leave one of the two out"
        )
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
