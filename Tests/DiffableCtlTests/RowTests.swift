import Diffable
import Testing

@testable import diffablectl

struct RowTests {
    @Test func `each line of ndjson is an item with its own content`() throws {
        let list = try read(#"{"id": "a", "n": 1.0}"# + "\n\n" + #"{"id": 2, "n": [1, 2]}"#, as: .ndjson)
        #expect(list.itemIdentifiers == ["a", "2"])
        #expect(list.content("a") == #"{"id":"a","n":1.0}"#)
        #expect(list.content("2") == #"{"id":2,"n":[1,2]}"#)
    }

    @Test func `an array of objects is rows, and a bare string is its own id`() throws {
        #expect(try read(#"[{"key":"x"}, {"key":"y"}]"#, as: .json).itemIdentifiers == ["x", "y"])
        let list = try read(#"["a b", 7]"#, as: .json)
        #expect(list.itemIdentifiers == ["a b", "7"])
        #expect(list.content("a b") == #"{"text":"a b"}"#)
        #expect(list.content("7") == #"{"text":7}"#)
    }

    @Test func `a snapshot is taken as it is`() throws {
        let list = try read(
            #"{"sections":[{"id":"s","items":[{"id":"a","expanded":true,"children":[{"id":"b"}]}]}]}"#, as: .json)
        #expect(list.visualDescription == "s\n  ▾ a\n      b\n")
    }

    @Test func `fields may lie deeper, and a whole name comes first`() throws {
        let rows = #"{"a.b":"x","a":{"b":"y","c":{"d":"z"}}}"#
        #expect(try read(rows, as: .ndjson, .init(id: ".a.b")).itemIdentifiers == ["x"])
        #expect(try read(rows, as: .ndjson, .init(id: "a.c.d")).itemIdentifiers == ["z"])
    }

    @Test func `sections stand in the order in which they appear`() throws {
        let list = try read(
            """
            {"id":1,"s":"b"}
            {"id":2,"s":"a"}
            {"id":3,"s":"b"}
            {"id":4}
            {"id":5,"s":null}
            """, as: .ndjson, .init(section: ".s"))
        #expect(list.visualDescription == "b\n    1\n    3\na\n    2\nmain\n    4\n    5\n")
    }

    @Test func `children may come before their parent and share its section`() throws {
        let list = try read(
            """
            {"id":"leaf","p":"branch","s":"elsewhere"}
            {"id":"root","p":null,"s":"here"}
            {"id":"branch","p":"root"}
            """, as: .ndjson, .init(section: ".s", parent: ".p"))
        #expect(list.visualDescription == "here\n  ▸ root\n    ▸ branch\n        leaf\n")
    }

    @Test func `text leaves only what is to be shown`() throws {
        let list = try read(#"{"id":1,"t":"é\n","x":2}"#, as: .ndjson, .init(text: ".t"))
        #expect(list.content("1") == #"{"text":"é\n"}"#)
    }

    @Test(arguments: [
        (
            "{\"id\":1}\n{\"id\":\"1\"}\n",
            "line 2: the id \"1\" is taken by line 1; an id stands once in a list: "
                + "name a field that is unique with --id (now it is .id)"
        ),
        (
            "{\"x\":1}",
            "line 1: no member \"id\", \"key\" or \"name\" to identify it; say which one does, such as --id .x"
        ),
        ("{\"id\":1}\n{\"x\":1}", "line 2: no .id to identify it; name another field with --id"),
        ("{\"id\":1}\n{\"id\":null}", "line 2: no .id to identify it; name another field with --id"),
        ("{\"id\":1}\n{\"id\":[2]}", "line 2: .id is an array; a string or a number is needed there"),
        ("[1]", "line 1: not an object with members, so it has no id; use --from lines for plain text"),
    ])
    func `a row that cannot be identified is named with its line`(text: String, expected: String) {
        #expect(complaint(text, as: .ndjson) == expected)
    }

    @Test func `a parent must be a row, and nobody is his own`() {
        let fields = Arrangement.Fields(parent: ".p")
        #expect(
            complaint("{\"id\":1,\"p\":2}", as: .ndjson, fields)
                == "line 1: its parent \"2\" is no row of this input; leave the field empty at the top level")
        #expect(
            complaint("{\"id\":0}\n{\"id\":1,\"p\":2}\n{\"id\":2,\"p\":1}", as: .ndjson, fields)
                == "line 2: \"1\" is its own parent, through others or not")
    }

    @Test func `an array's rows are counted by the lines they begin on`() {
        #expect(
            complaint("[\n  {\"id\":1},\n\n  {\"id\":1}\n]", as: .json).hasPrefix(
                "line 4: the id \"1\" is taken by line 2"))
    }

    @Test func `syntax errors are located`() {
        #expect(complaint("{\"id\":1}\n{\"id\":}", as: .ndjson).hasPrefix("line 2: "))
        #expect(complaint("[\n{\"id\":1},\n]", as: .json).hasPrefix("line 3: "))
        #expect(complaint("{\"sections\":[\n{\"id\":\"s\",\"itms\":[]}]}", as: .json).hasPrefix("line 2: "))
    }
}
