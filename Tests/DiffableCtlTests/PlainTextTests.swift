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
            complaint("a\nb\na\n", as: .lines) == "line 3: the id \"a\" is taken by line 1; an id stands once in a list"
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

    @Test func `fields are refused where there are none`() {
        #expect(complaint("a\n", as: .lines, .init(id: ".x")).contains("snapshot and --from lines or tree have none"))
        #expect(complaint("a\n", as: .tree, .init(id: ".x")).contains("snapshot and --from lines or tree have none"))
    }

    @Test(arguments: [
        ("x.csv", "{}", InputFormat.csv), ("x.jsonl", "a", .ndjson), ("x.json", "a", .json), ("x.tab", "a", .tsv),
        ("-", "  [1]", .json), ("-", "{\"id\":1}\n{\"id\":2}", .ndjson), ("-", "{\"sections\":[]}", .json),
        ("-", "{\n\"sections\":[]}", .json), ("-", "milk\n", .lines), ("notes", "", .lines),
        ("-", "Fruit\n\tApple\n\t\tBoskoop\n", .tree), ("-", "a\n  b\n", .lines), ("-", "\ta\nb\n", .lines),
        ("-", "a\tb\n\tc\n", .lines), ("x.txt", "a\n\tb\n", .lines), ("-", "a\n\n\t\nb\n", .lines),
    ])
    func `the form is guessed by extension, then by how the input begins`(
        file: String, text: String, expected: InputFormat
    ) {
        #expect(InputFormat.guess(fileName: file, input: Array(text.utf8), isRow: JSONRows.isRow) == expected)
    }
}
