import Diffable
import Testing

@testable import DiffableInput
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
            "line 2: line 1 has the id \"1\" too; an id can be in a list only once; the ids are from .id, and "
                + "no other field differs in every row, so make .id unique"
        ),
        (
            "{\"x\":1}",
            "line 1: the row has no \"id\", \"key\" or \"name\" to identify it; name another member, such as --id .x"
        ),
        (
            "{\"x y\":1}",
            "line 1: the row has no \"id\", \"key\" or \"name\" to identify it; name another member, such as --id \".x y\""
        ),
        (
            "{\"x.y\":1}",
            "line 1: the row has no \"id\", \"key\" or \"name\" to identify it; name another member, such as --id /x.y"
        ),
        ("{\"id\":1}\n{\"x\":1}", "line 2: the row has no .id to identify it; add it, or name another field with --id"),
        (
            "{\"id\":1}\n{\"id\":null}",
            "line 2: the row has no .id to identify it; add it, or name another field with --id"
        ),
        ("{\"id\":1}\n{\"id\":[2]}", "line 2: .id is an array; a string or a number is needed there"),
        ("[1]", "line 1: the row is not an object with members, so it has no id; use --from lines for plain text"),
    ])
    func `a row that cannot be identified is named with its line`(text: String, expected: String) {
        #expect(complaint(text, as: .ndjson) == expected)
    }

    @Test(arguments: [
        (
            ItemBuilder.Fields(text: ".nmae"),
            "no row has the field .nmae, which --text names; did you mean .name? The input has .name, .owner, .owner.id, .size"
        ),
        (
            ItemBuilder.Fields(section: ".group"),
            "no row has the field .group, which --section names. The input has .name, .owner, .owner.id, .size"
        ),
        (
            ItemBuilder.Fields(parent: ".owner.di"),
            "no row has the field .owner.di, which --parent names; did you mean .owner.id? The input has "
                + ".name, .owner, .owner.id, .size"
        ),
        (
            ItemBuilder.Fields(id: ".x", text: ".name"),
            "no row has the field .x, which --id names. The input has .name, .owner, .owner.id, .size"
        ),
    ])
    func `a field that no row has is refused, and those that there are are named`(
        fields: ItemBuilder.Fields, expected: String
    ) {
        let rows = #"{"name":"a","owner":{"id":1}}"# + "\n" + #"{"name":"b","size":2}"#
        #expect(complaint(rows, as: .ndjson, fields) == expected)
        #expect(complaint("[\(rows.split(separator: "\n").joined(separator: ","))]", as: .json, fields) == expected)
    }

    @Test func `a field that one row has, or that is null, is there`() throws {
        let rows = #"{"id":1}"# + "\n" + #"{"id":2,"note":null,"group":"a"}"#
        let list = try read(rows, as: .ndjson, .init(section: ".group", text: ".note"))
        #expect(list.itemIdentifiers == ["1", "2"])
        #expect(list.content("2") == #"{"text":""}"#)
        #expect(try read("", as: .ndjson, .init(text: ".note")).itemIdentifiers == [], "there is no row to look at")
        #expect(
            complaint(#"["a","b"]"#, as: .json, .init(text: ".text"))
                == "no row has the field .text, which --text names: the input has none")
    }

    @Test func `a parent must be a row, and nobody is his own`() {
        let fields = ItemBuilder.Fields(parent: ".p")
        #expect(
            complaint("{\"id\":1,\"p\":2}", as: .ndjson, fields)
                == "line 1: the row's parent \"2\" is not a row of this input; leave it empty at the top level, or use "
                + "--orphans top")
        #expect(
            complaint("{\"id\":0}\n{\"id\":1,\"p\":2}\n{\"id\":2,\"p\":1}", as: .ndjson, fields)
                == "line 2: \"1\" is its own ancestor; correct its parent")
    }

    @Test func `where ids are not unique, a field that is unique is named as it can be typed`() {
        func advice(_ text: String, _ fields: ItemBuilder.Fields = .none) -> String {
            complaint(text, as: .csv, fields).firstMatch(of: #/use --id (.*), which/#).map { String($0.1) } ?? ""
        }
        #expect(advice("USER,TTY,PID,TIME\nroot,?,1,0\nroot,?,2,0\n") == ".PID")
        #expect(advice("Filesystem,Size,Mounted on\ntmpfs,5,/run\ntmpfs,7,/tmp\n") == "\".Mounted on\"", "not a size")
        #expect(advice("name,No.\na,1\na,2\n") == "/No.")
        #expect(advice("name,IMAGE ID\na,1\na,2\n") == "\".IMAGE ID\"")
        #expect(advice("name,$n\na,1\na,2\n") == "'.$n'")
        #expect(advice("name,n\na,\na,2\n") == "", "an empty field is no id")
        #expect(advice("n,name\n1,a\n2,a\n", .init(id: "name")) == ".n")
    }

    @Test func `an object with one array names it, and --rows takes it`() throws {
        let object = "{\"count\":2,\n\"items\":[{\"id\":1},\n{\"id\":1}]}"
        #expect(
            complaint(object, as: .json)
                == #"the input is an object without "sections", so it is not a whole list; "#
                + "if its rows are in .items, use --rows .items"
        )
        #expect(
            complaint(#"{"count":2,"items":[]}"#, as: .ndjson)
                == #"line 1: the row has no "id", "key" or "name" to identify it; if the rows are in .items, use --rows .items"#
        )
        func rows(_ text: String, _ field: String) -> String {
            let reader = InputReader(format: .json, rows: FieldPath(argument: field))
            do {
                guard case .whole(let whole) = try reader.read(Array(text.utf8)) else { return "" }
                return try Snapshot(whole).visualDescription
            } catch {
                return "\(error)"
            }
        }
        let line = #"[{"id":"a"},{"id":"b"},{"id":"a"}]"#
        #expect(complaint(line, as: .json).hasPrefix("row 3: row 1 has the id \"a\" too"))
        #expect(rows(object, ".items").hasPrefix("line 3: line 2 has the id \"1\" too"))
        #expect(rows(#"{"a":{"b":[{"id":"x"}]}}"#, ".a.b") == "main\n    x\n")
        #expect(
            rows(object, ".itmes")
                == "there is no array .itmes, which --rows names; did you mean .items? The input has .items")
    }

    @Test func `an array's rows are counted by the lines they begin on`() {
        #expect(
            complaint("[\n  {\"id\":1},\n\n  {\"id\":1}\n]", as: .json).hasPrefix(
                "line 4: line 2 has the id \"1\" too"))
    }

    @Test func `syntax errors are located`() {
        #expect(complaint("{\"id\":1}\n{\"id\":}", as: .ndjson).hasPrefix("line 2: "))
        #expect(complaint("[\n{\"id\":1},\n]", as: .json).hasPrefix("line 3: "))
        #expect(complaint("{\"sections\":[\n{\"id\":\"s\",\"itms\":[]}]}", as: .json).hasPrefix("line 2: "))
    }
}
