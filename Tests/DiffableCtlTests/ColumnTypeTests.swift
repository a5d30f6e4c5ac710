import Diffable
import DiffableJSON
import TestSupport
import Testing

@testable import DiffableInput
@testable import diffablectl

struct ColumnTypeTests {
    private func typed(
        _ text: String, numbers: String? = nil, types: String? = nil, as format: InputFormat = .csv
    ) throws -> Snapshot {
        let reader = InputReader(format: format, types: try ColumnTypes(numbers: numbers, types: types))
        guard case .whole(let whole) = try reader.read(Array(text.utf8)) else { return Snapshot() }
        return try Snapshot(whole)
    }

    private func complaint(_ text: String, numbers: String? = nil, types: String? = nil) -> String {
        do { return try typed(text, numbers: numbers, types: types).visualDescription } catch { return "\(error)" }
    }

    @Test func `columns are text unless their type is said`() throws {
        let rows = "id,cpu,on,tags,note\n7,009.50,yes,\"[1,2]\",1\n8,,no,,\n"
        let list = try typed(rows, numbers: "cpu", types: "on=boolean,tags=json,note=text")
        #expect(list.content("7") == #"{"id":"7","cpu":9.50,"on":true,"tags":[1,2],"note":"1"}"#)
        #expect(list.content("8") == #"{"id":"8","cpu":null,"on":false,"tags":null,"note":""}"#)
        #expect(try typed("id\tcpu\n7\t-\n", numbers: ".cpu", as: .tsv).content("7") == #"{"id":"7","cpu":null}"#)
        #expect(try typed("id,No.\n7,1\n", numbers: "/No.").content("7") == #"{"id":"7","No.":1}"#)
        #expect(try typed("id,No.\n7,1\n", numbers: "No.").content("7") == #"{"id":"7","No.":1}"#)
        #expect(try typed("id,n\n7,1\n", numbers: "id").itemIdentifiers == ["7"])
        let ps = try typed(ProgramOutput.lsblk, numbers: "RM,RO", as: .columns)
        #expect(ps.content("vda")?.contains(#""RM":0,"SIZE":"256G","RO":0"#) == true)
    }

    @Test(arguments: [
        ("0", "0"), ("+5", "5"), ("-0012", "-12"), (".5", "0.5"), ("5.", "5"), ("-.25e-3", "-0.25e-3"), ("1E6", "1E6"),
        (" 42 ", "42"), ("9e+05", "9e+05"), ("-.5E2", "-0.5E2"), ("000", "0"), ("10.0", "10.0"), ("9.5", "9.5"),
    ])
    func `numbers are written as JSON has them`(text: String, expected: String) {
        #expect(ColumnType.number.content(of: Array(text.utf8), decimalComma: false)?.description == expected)
    }

    @Test(arguments: [
        ".", "+", "1,5", "1 2", "0x10", "NaN", "inf", "5%", "1e", "1e+", "--1", "+-1", "1.2.3", "1e5x", "１",
    ])
    func `what is no number is none`(text: String) {
        #expect(ColumnType.number.content(of: Array(text.utf8), decimalComma: false) == nil)
    }

    @Test func `whatever passes for a number is JSON`() throws {
        var random = SplitMix64()
        let seed = random.seed
        for _ in 0..<5_000 {
            let length = Int.random(in: 1...6, using: &random)
            let text = String((0..<length).map { _ in "0019+-..eE, ".randomElement(using: &random) ?? "0" })
            for comma in [false, true] {
                guard let content = ColumnType.number.content(of: Array(text.utf8), decimalComma: comma) else {
                    continue
                }
                let again = try? Content(json: content.description)
                #expect(again == content || content.description == "null", "seed \(seed): \(text.debugDescription)")
            }
        }
    }

    @Test func `a text that is not of its type is refused with its line`() {
        let rows = "id,cpu\na,1\nb,much\n"
        let remedy = "correct it, or change the column's type in --numbers or --types"
        #expect(
            complaint(rows, numbers: "cpu") == "line 3: cpu is \"much\", which is not of the type number; \(remedy)")
        #expect(
            complaint(rows, types: "cpu=boolean")
                == "line 3: cpu is \"much\", which is not of the type boolean; \(remedy)")
        #expect(
            complaint(rows, numbers: "cup")
                == "there is no column cup, which --numbers or --types names; did you mean cpu? The input has id, cpu")
        #expect(complaint(rows, types: "cpu=real").contains("the types are text, number, boolean, json"))
        #expect(complaint(rows, numbers: "cpu", types: "cpu=text").contains("is given twice"))
    }

    @Test func `semicolons are found, and then a comma is a decimal one`() throws {
        let reader = InputReader(format: .csv, types: try ColumnTypes(numbers: "preis,anteil"))
        guard case .whole(let whole) = try reader.read(Array(ProgramOutput.semicolons.utf8)) else { return }
        let list = try Snapshot(whole)
        #expect(list.content("Milch; frisch") == #"{"name":"Milch; frisch","preis":1.09,"anteil":0.5}"#)
        for (text, expected) in [
            ("1,5", "1.5"), ("1.5", "1.5"), ("1.234,5", nil), ("1,2,3", nil), ("1,", "1"), (",5", "0.5"),
        ] {
            #expect(
                ColumnType.number.content(of: Array(text.utf8), decimalComma: true)?.description == expected, "\(text)")
        }
        #expect(list.content("Brot") == #"{"name":"Brot","preis":3,"anteil":null}"#)
    }

    @Test(arguments: [
        ("a,b;c\n", ","), ("a;b;c,d\n", ";"), ("a\tb\n", "\t"), ("a\n", ","), ("\"x;y;z\",b\n", ","), ("", ","),
        ("\n\na;b\nc,d,e,f\n", ";"),
    ])
    func `the first line tells what separates`(text: String, expected: Character) {
        #expect(DelimitedText.separator(of: Array(text.utf8)[...], dialect: .csv) == expected.asciiValue)
    }

    @Test(arguments: [
        (
            "id|name\na|b\n",
            "use --separator '|' if bars separate the columns, or use --separator ',' if this is one column"
        ),
        ("\nid|name\n", "line 2: the line has vertical bars and no comma"),
        ("id | name\n----+-----\n", "have the program write CSV or JSON"),
    ])
    func `bars that separate columns are not read as one column`(text: String, message: String) throws {
        let error = #expect(throws: InputError.self) { try InputReader(format: .csv).read(Array(text.utf8)) }
        #expect("\(error.map { "\($0)" } ?? "")".contains(message), "\(String(describing: error))")
        let named = #expect(throws: InputError.self) {
            try InputReader(format: .csv, columns: ["id"]).read(Array("a|b\n".utf8))
        }
        #expect(named?.line == 1)
        // The message names both remedies.
        #expect(
            try InputReader(format: .csv, separator: UInt8(ascii: "|")).read(Array("id|name\na|b\n".utf8)).count == 1)
        guard
            case .whole(let one) = try InputReader(format: .csv, separator: UInt8(ascii: ","))
                .read(Array("a|b\nx\n".utf8))
        else { return }
        #expect(try Snapshot(one).content("x") == #"{"a|b":"x"}"#)
        // With commas as separators, a bar is content.
        #expect(try InputReader(format: .csv).read(Array("id,a|b\nx,y\n".utf8)).count == 1)
    }

    @Test func `a separator that is said is taken`() throws {
        let reader = InputReader(format: .csv, separator: UInt8(ascii: "|"))
        guard case .whole(let whole) = try reader.read(Array("id|n\n\"a|b\"|1;2\n".utf8)) else { return }
        #expect(try Snapshot(whole).content("a|b") == #"{"id":"a|b","n":"1;2"}"#)
        #expect(Separator(argument: ";")?.byte == UInt8(ascii: ";") && Separator(argument: "\\t")?.byte == 9)
        for wrong in ["", "ab", "\"", "\n", "é"] { #expect(Separator(argument: wrong) == nil) }
    }
}
