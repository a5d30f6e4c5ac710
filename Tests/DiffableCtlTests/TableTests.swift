import Diffable
import Testing

@testable import DiffableInput
@testable import diffablectl

struct TableTests {
    @Test func `a record of csv becomes an object by the header`() throws {
        let list = try read("id,name,note\n1,Milk,\n2,\"Bread, brown\",\"say \"\"when\"\"\"\n", as: .csv)
        #expect(list.visualDescription == "main\n    1\n    2\n")
        #expect(list.content("1") == #"{"id":"1","name":"Milk","note":""}"#)
        #expect(list.content("2") == #"{"id":"2","name":"Bread, brown","note":"say \"when\""}"#)
    }

    @Test func `quoted fields keep line ends, and lines are counted through them`() throws {
        let list = try read("id,note\r\na,\"one\r\ntwo\"\r\n\r\nb,three\r\n", as: .csv)
        #expect(list.content("a") == #"{"id":"a","note":"one\r\ntwo"}"#)
        #expect(
            complaint("id,note\na,\"one\ntwo\"\na,x\n", as: .csv)
                == "line 4: line 2 has the id \"a\" too; an id can be in a list only once: use --id .note, which differs "
                + "in every row (the ids are from .id)")
    }

    @Test func `a table without a usual id is identified by its first column`() throws {
        let list = try read("package\tversion\nbash\t5.2\nsed\t4.9\n", as: .tsv)
        #expect(list.itemIdentifiers == ["bash", "sed"])
    }

    @Test func `the names of columns are names`() throws {
        #expect(try read("No.,Item\n1,x\n2,y\n", as: .csv).itemIdentifiers == ["1", "2"])
        for column in ["No.", ".No.", "/No.", "a.b", ".a.b", "/a.b", ".net", "/.net", "/~1x", "IMAGE ID"] {
            let name = FieldPath(argument: column)?.name ?? column
            let list = try read("x,\(name)\n1,a\n2,b\n", as: .csv, .init(id: column))
            #expect(list.itemIdentifiers == ["a", "b"], "\(column)")
        }
        #expect(
            complaint("a,No.\n1,2\n", as: .csv, .init(id: "No"))
                == "there is no column No, which --id names. The input has a, /No.")
    }

    @Test func `tabs know no quoting`() throws {
        let list = try read("id\tsize\na\t5\"\n", as: .tsv)
        #expect(list.content("a") == #"{"id":"a","size":"5\""}"#)
    }

    @Test func `columns may be named when there is no header`() throws {
        let list = try read(
            "bash\tshells\nsed\tutils\n", as: .tsv, .init(section: ".section"), columns: ["package", "section"])
        #expect(list.visualDescription == "shells\n    bash\nutils\n    sed\n")
    }

    @Test(arguments: [
        (
            "id,name\n1\n",
            "line 2: the line has 1 field, but the first line has 2; correct it, or put a field with a separator in quotes"
        ),
        (
            "id,name\n1,2,3\n",
            "line 2: the line has 3 fields, but the first line has 2; correct it, or put a field with a separator in quotes"
        ),
        (
            "",
            "the input is empty and has no header line; put the names of the columns into the first line, or use --columns"
        ),
        (
            "id,id\n",
            "line 1: two columns are called \"id\" in the header; rename one there, or remove the header line and name all "
                + "columns with --columns"
        ),
        (
            "id,\n",
            "line 1: column 2 has no name in the header; name it there, or remove the header line and name all columns with "
                + "--columns"
        ),
        ("id\n\"a\n", "line 2: a quotation mark that begins a field is never closed; close it"),
        (
            "id\n\"a\"b\n",
            "line 2: text after a closing quotation mark; to put a quotation mark inside a field, double it"
        ),
        (
            "id\na\"b\n",
            "line 2: a quotation mark inside a field; put the field in quotation marks and double the mark inside"
        ),
        ("id\n\"\"\n", "line 2: the id in .id is empty; an identifier is 1 to 255 bytes of UTF-8"),
    ])
    func `what is wrong with csv is said with its line`(text: String, expected: String) {
        #expect(complaint(text, as: .csv) == expected)
    }

    @Test func `a mistake in --columns is not looked for in the header`() {
        #expect(
            complaint("a,1\n", as: .csv, columns: ["id", ""]) == "--columns has no name for column 2; add one")
        #expect(
            complaint("a,1\n", as: .csv, columns: ["id", "id"]) == #"--columns names two columns "id"; rename one"#)
    }

    @Test func `a field that is no column is named, and those that are`() {
        #expect(
            complaint("name,size\na,1\n", as: .csv, .init(id: ".nmae"))
                == "there is no column nmae, which --id names; did you mean name? The input has name, size")
        #expect(
            complaint("name,size\na,1\n", as: .csv, .init(text: ".other"))
                == "there is no column other, which --text names. The input has name, size")
    }

    @Test func `a byte order mark is passed over and bad UTF-8 is located`() throws {
        #expect(try read("\u{FEFF}id\na\n", as: .csv).itemIdentifiers == ["a"])
        let reader = InputReader(format: .csv)
        #expect(
            throws: InputError(
                line: 2, "byte 4 of the input is not valid UTF-8; convert it first, for example with iconv")
        ) {
            try reader.read(Array("id\na".utf8) + [0xFF, 0x0A])
        }
    }
}
