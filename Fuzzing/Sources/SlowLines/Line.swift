import FuzzTargets

/// A line that takes long to read.
struct Line {
    var name: String
    var target: FuzzTarget
    var bytes: [UInt8]

    /// Repeats `unit` between `head` and `tail` as often as the length permits; `#` in it is a number that differs each time.
    init(_ name: String, _ target: FuzzTarget, _ length: Int, _ head: String, _ unit: String, _ tail: String = "") {
        self.name = name
        self.target = target
        bytes = Array(head.utf8)
        let unit = Array(unit.utf8)
        let tail = Array(tail.utf8)
        var number = 0
        while true {
            let piece = unit.flatMap { $0 == UInt8(ascii: "#") ? Array(String(number, radix: 36).utf8) : [$0] }
            if bytes.count + piece.count + tail.count > length { break }
            bytes += piece
            number += 1
        }
        // The repetitions are separated by commas; none follows the last.
        if bytes.last == UInt8(ascii: ","), !tail.isEmpty { bytes.removeLast() }
        bytes += tail
    }

    /// The length of a line with a view just below its limit.
    private static let viewLength = 131_000
    /// The length of a schema just below its limit.
    private static let schemaLength = 130_000

    static func all(length: Int) -> [Line] {
        values(length) + envelopes(length) + operations(length) + views(length) + views(viewLength)
            + schemas(length) + messages(length) + others(length)
    }

    private static func values(_ length: Int) -> [Line] {
        let deep = String(repeating: "[", count: 63)
        let closed = String(repeating: "]", count: 63)
        return [
            Line("white space", .json, length, "[", " ", "]"),
            Line("white space everywhere", .json, length, "[", " 1 , ", " 1]"),
            Line("plain string", .json, length, "\"", "a", "\""),
            Line("escapes", .json, length, "\"", #"\n"#, "\""),
            Line("escaped surrogates", .json, length, "\"", #"\ud83d\ude00"#, "\""),
            Line("three-byte scalars", .json, length, "\"", "\u{20AC}", "\""),
            Line("combining marks", .json, length, "\"", "\u{0301}", "\""),
            Line("short strings", .json, length, "[", "\"\",", "]"),
            Line("long number", .json, length, "", "1", "e9"),
            Line("short numbers", .json, length, "[", "0,", "]"),
            Line("empty objects", .json, length, "[", "{},", "]"),
            Line("deep arrays", .json, length, "[", "\(deep)\(closed),", "]"),
            Line("one member again and again", .json, length, "{", #""a":0,"#, "}"),
        ]
    }

    private static func envelopes(_ length: Int) -> [Line] {
        [
            Line("the method comes last", .request, length, #"{"params":{"list":""#, "a", #""},"method":"ping"}"#),
            Line("a method nobody knows", .request, length, #"{"method":""#, "a", #""}"#),
            Line("a method in escapes", .request, length, #"{"method":""#, #"\u0061"#, #""}"#),
            Line("an unknown member last", .request, length, #"{"params":{"a":["#, "0,", #"]},"method":"ping"}"#),
            Line("an id that is too long", .request, length, #"{"id":""#, "a", #"","method":"ping"}"#),
            Line("words", .request, length, "ping ", "a "),
            Line("one word", .request, length, "", "a"),
            Line("a word of marks", .request, length, "a", "\u{0301}"),
            Line("a word of different marks", .request, length, "a", "\u{0301}\u{0323}"),
            Line(
                "a durability of marks", .request, length,
                #"{"method":"createList","params":{"list":"l","durability":""#, "\u{0301}\u{0323}", "\"}}"),
            Line(
                "an epoch of marks", .request, length,
                #"{"method":"subscribe","params":{"list":"l","since":{"revision":1,"epoch":""#, "\u{0301}\u{0323}",
                "\"}}}"),
            Line("words of families", .request, length, "ping ", "\u{1F468}\u{200D}"),
            Line("flags", .request, length, "ping ", "\u{1F1E6}"),
            Line("spaces in front", .request, length, "", " ", "ping"),
        ]
    }

    private static func transact(_ name: String, _ length: Int, _ head: String, _ unit: String, _ tail: String) -> Line
    {
        Line(
            name, .request, length,
            #"{"id":1,"method":"transact","params":{"list":"l","operations":["# + head, unit, tail + "]}}")
    }

    private static func operations(_ length: Int) -> [Line] {
        let append = #"{"op":"appendItems","items":["#
        let levels = String(repeating: #"{"id":"a","children":["#, count: 20)
        let closed = String(repeating: "]}", count: 20)
        return [
            transact("empty operations", length, "", #"{"op":"deleteAllItems"},"#, ""),
            transact("op comes last", length, "", #"{"items":[],"op":"deleteItems"},"#, ""),
            transact("ids to delete", length, #"{"op":"deleteItems","items":["#, ##""#","##, "]}"),
            transact("one id to delete", length, #"{"op":"deleteItems","items":["#, #""a","#, "]}"),
            transact("escaped ids", length, #"{"op":"deleteItems","items":["#, #""\u0061","#, "]}"),
            transact("items", length, append, ##"{"id":"#"},"##, "]}"),
            transact("items with escapes", length, append, #"{"\u0069d":"\u0061"},"#, "]}"),
            transact("items in white space", length, append, #"{"id":"a","content":[ ]},"#, "]}"),
            transact(
                "long contents", length, append, #"{"id":"a","content":"\#(String(repeating: "a", count: 32_000))"},"#,
                "]}"),
            transact(
                "long contents in white space", length, append,
                #"{"id":"a","content":[\#(String(repeating: "0, ", count: 9_000))0]},"#, "]}"),
            transact("deep children", length, append, "\(levels)\(closed),", "]}"),
            transact(
                "reconfigurations", length, #"{"op":"reconfigureItems","items":["#, #"{"id":"a","content":0},"#, "]}"),
            transact("patches", length, #"{"op":"patchItems","items":["#, #"{"id":"a","content":{}},"#, "]}"),
            transact(
                "a wide patch", length, #"{"op":"patchItems","items":[{"id":"a","content":{"#, ##""#":0,"##, "}}]}"),
            transact(
                "a patch of duplicates", length, #"{"op":"patchItems","items":[{"id":"a","content":{"#, ##""#":0,"##,
                #""0":0}}]}"#),
            transact(
                "a deep patch", length,
                #"{"op":"patchItems","items":[{"id":"a","content":"# + String(repeating: #"{"a":"#, count: 50) + "[",
                "0,", "]" + String(repeating: "}", count: 50) + "}]}"),
            transact(
                "a deep patch in escapes", length,
                #"{"op":"patchItems","items":[{"id":"a","content":"# + String(repeating: #"{"a":"#, count: 50) + "\"",
                #"\n"#, "\"" + String(repeating: "}", count: 50) + "}]}"),
            transact("an error at the end", length, append, #"{"id":"a"},"#, "0]}"),
            transact("an unknown operation", length, #"{"op":""#, "x", #""}"#),
            transact("an unknown member", length, #"{"op":"deleteAllItems",""#, "x", #"":0}"#),
        ]
    }

    private static func view(_ name: String, _ length: Int, _ head: String, _ unit: String, _ tail: String) -> Line {
        Line(
            name, .request, length,
            #"{"id":1,"method":"subscribe","params":{"list":"l","view":{"# + head, unit, tail + "}}}")
    }

    private static func views(_ length: Int) -> [Line] {
        let nots = String(repeating: #"{"not":"#, count: 50)
        let closed = String(repeating: "}", count: 50)
        return [
            view("sections", length, #""sections":["#, ##""#","##, "]"),
            view("expanded", length, #""expansion":"own","expanded":["#, ##""#","##, "]"),
            view("conditions", length, #""where":{"and":["#, #"{"path":"","exists":true},"#, "]}"),
            view("numbers to compare", length, #""where":{"or":["#, #"{"path":"","atMost":1e300},"#, "]}"),
            view("long number to compare", length, #""where":{"path":"","atMost":"#, "1", "}"),
            view(
                "deep conditions", length, #""where":{"and":["#, "\(nots){\"path\":\"\",\"exists\":true}\(closed),",
                "]}"),
            view("long path", length, #""where":{"exists":true,"path":""#, "/a", #""}"#),
            view("path of marks", length, #""where":{"exists":true,"path":"/"#, "\u{0301}\u{0323}", #""}"#),
            view("path of tildes", length, #""where":{"exists":true,"path":"/"#, "~0", #""}"#),
            view("no path", length, #""where":{"exists":true,"path":""#, "a", #""}"#),
            view("prefix", length, #""where":{"path":"","prefix":""#, "a", #""}"#),
            view("equal to an array", length, #""where":{"path":"","equals":["#, "0,", "]}"),
            view("sort", length, #""sort":["#, #""id","#, "]"),
            view("search for words", length, #""search":""#, "a ", "\""),
            view("search for a long word", length, #""search":""#, "a", "\""),
            view("search for letters with marks", length, #""search":""#, "\u{00E9}", "\""),
            view("search for marks", length, #""search":""#, "\u{0301}\u{0323}", "\""),
            view("search for words with marks", length, #""search":""#, "\u{00E9} ", "\""),
            view("search for Hangul", length, #""search":""#, "\u{D55C}", "\""),
        ]
    }

    /// Returns a wide schema with a short content, and the reverse.
    private static func schemas(_ length: Int) -> [Line] {
        let names = (0..<3_000).map { "\"\($0)\"" }
        let digits = String(repeating: "7", count: schemaLength)
        let numbers = (0..<4_000).map { "\($0)" }.joined(separator: ",")
        let nested = (0..<30).reduce("{}") { inner, _ in #"{"enum":[[1]],"items":\#(inner)}"# }
        return [
            Line("properties", .schema, schemaLength, #"{"properties":{"#, ##""#":{},"##, "}}\n{}"),
            Line("properties that check", .schema, schemaLength, #"{"properties":{"#, ##""#":{"type":"null"},"##, "}}"),
            Line("required", .schema, schemaLength, #"{"required":["#, ##""#","##, "]}\n{}"),
            Line("enum", .schema, schemaLength, #"{"enum":["#, ##""#","##, "]}\n7"),
            Line("enum of arrays", .schema, schemaLength, #"{"enum":["#, "[0],", "]}\n[7]"),
            Line("long exponent", .schema, schemaLength, #"{"minimum":1e"#, "1", "}\n1e9"),
            Line("schemas too deep", .schema, schemaLength, "", #"{"items":"#),
            Line("a schema that is too long", .schema, length, #"{"title":""#, "a", "\"}"),
            Line(
                "names in reverse", .schema, length, "{\"required\":[\(names.joined(separator: ","))]}\n[",
                "{\(names.reversed().map { "\($0):0" }.joined(separator: ","))},", "]"),
            Line("names that are unknown", .schema, length, #"{"properties":{"a":{}}}"# + "\n{", ##""#":0,"##, "}"),
            Line("names in escapes", .schema, length, #"{"properties":{"a":{}}}"# + "\n{", #""\u0061":0,"#, "}"),
            Line(
                "numbers beside a long bound", .schema, length, "{\"items\":{\"minimum\":-\(digits)}}\n[", "0.5,", "]"),
            Line("numbers in an enum", .schema, length, "{\"items\":{\"enum\":[\(numbers)]}}\n[", "7.0,", "]"),
            Line(
                "arrays in an enum", .schema, length, #"{"items":{"enum":[[1],{"a":1}]}}"# + "\n[", #"{"a":1.0},"#, "]"),
            Line(
                "enums inside each other", .schema, length, nested + "\n" + String(repeating: "[", count: 20), "1,",
                String(repeating: "]", count: 20)),
            Line("lengths to count", .schema, length, #"{"items":{"maxLength":1}}"# + "\n[", #""\ud83d\ude00","#, "]"),
        ]
    }

    private static func messages(_ length: Int) -> [Line] {
        let changes = #"{"method":"changes","params":{"subscription":1,"list":"l","from":0,"revision":1,"#
        return [
            Line(
                "a reset", .message, length,
                #"{"method":"reset","params":{"subscription":1,"list":"l","epoch":"e","revision":1,"reason":"initial","operations":[{"op":"appendItems","items":["#,
                ##"{"id":"#"},"##, "]}]}}"),
            Line("members that are unknown", .message, length, "{", #""a":0,"#, #""method":"x"}"#),
            Line("parameters that are unknown", .message, length, changes, #""a":0,"#, "}}"),
            Line(
                "item members that are unknown", .message, length,
                changes + #""operations":[{"op":"appendItems","items":[{"id":"a","#, #""a":0,"#, #""b":0}]}]}}"#),
            Line("result members that are unknown", .result, length, "{", #""a":0,"#, "}"),
            Line("counts that are unknown", .result, length, #"{"summary":{"#, #""a":0,"#, "}}"),
            Line(
                "lists", .result, length, #"{"lists":["#,
                #"{"list":"l","epoch":"e","revision":1,"sections":1,"items":1,"durability":"durable"},"#, "]}"),
            Line(
                "revisions", .result, length, #"{"list":"l","epoch":"e","revision":1,"oldest":1,"revisions":["#,
                #"{"revision":1,"time":1,"operations":1,"name":"a","pid":1,"uid":1},"#, "]}"),
            Line("limits", .result, length, #"{"version":"1","epoch":"e","limits":{"#, ##""#":1,"##, "}}"),
            Line(
                "a snapshot", .result, length,
                #"{"list":"l","epoch":"e","revision":1,"snapshot":{"sections":[{"id":"s","items":["#, ##"{"id":"#"},"##,
                "]}]}}"),
        ]
    }

    private static func others(_ length: Int) -> [Line] {
        [
            Line("short lines", .lines, length, "", "a\n"),
            Line("blank lines", .lines, length, "", "\n"),
            Line("carriage returns", .lines, length, "", "\r"),
        ]
    }
}
