import DiffableJSON
import Testing

/// RFC 8259, case by case. The names follow the grammar's; the cases are those on which parsers are known to differ.
struct JSONConformanceTests {
    private static let accepted: [String] = [
        "null", "true", "false", "0", "-0", "\"\"", "[]", "{}", " [] ", "\t1\r\n",
        "1", "-1", "10", "0.0", "-0.5", "1.5e3", "1E3", "1e+3", "1e-3", "0e0", "1e400", "-1e-400",
        "123456789012345678901234567890", "0.1234567890123456789012345678901234567890",
        #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\u00e9\u00E9""#, #""\uD834\uDD1E""#, #""\uFFFF""#, #""\u2028""#,
        "\"\u{7F}\"", "\"\u{2028}\"", "\"é\"", "\"e\u{301}\"", "\"𝄞\"", "\"\u{FFFF}\"", "\"\u{10FFFF}\"",
        "\"\u{FEFF}\"",
        "\"/\"", "\"'\"",
        "[1]", "[1,2]", "[ 1 , 2 ]", "[[],[[]]]", "[null,true,\"\",{}]", "[\n]", "{ }", #"{"a":1}"#, #"{ "a" : 1 }"#,
        #"{"":0}"#, #"{"a":1,"a":2}"#, #"{"a":{"b":[{}]}}"#, #"{"\u0061":1}"#,
    ]

    private static let refused: [String] = [
        // Nothing, or more than one value.
        "", " ", "\n", "1 2", "[] []", "{}{}", "null,", "1 true", "[]x",
        "nul", "nulll", "NULL", "True", "tru", "fals", "undefined", "NaN", "Infinity", "-Infinity", "-NaN",
        "+1", "-", "--1", "01", "-01", "00", "1.", ".5", "-.5", "1.e3", "1e", "1e+", "1e1.5", "1.2.3", "0x1F", "1_000",
        "1,000", "1a", "１", "2.e+3", "0e", "1e5e5", "- 1",
        "\"", "\"a", "'a'", "a", "\"\\\"", "\"\\x41\"", "\"\\a\"", "\"\\'\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\u\"",
        "\"\\U0041\"", "\"\\", "\"a\nb\"", "\"a\tb\"", "\"\u{0}\"", "\"\u{1F}\"", "\"\\\n\"", "\"\" \"\"",
        #""\uD834""#, #""\uDD1E""#, #""\uD834x""#, #""\uD834\n""#, #""\uD834\uD834""#, #""\uDD1E\uD834""#,
        #""\uD834\u0041""#, #""\uD834\uDD1""#,
        "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1,,2]", "[1 2]", "[1;2]", "[1}", "[\"a\"", "[1]]", "[1:2]", "[[]",
        "{", "}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}", "{1:1}",
        "{\"a\" 1}", "{\"a\"::1}", "{\"a\":1 \"b\":2}", "{\"a\":1;\"b\":2}", "{\"a\"}", "{null:1}", "{\"a\":1]",
        "{\"a\",\"b\"}", "{[]:1}", "{\"a\":}",
        // Comments, and white space that JSON does not have.
        "// a\n1", "/**/1", "#1", "1 /* a */", "\u{B}1", "\u{C}1", "\u{A0}1", "\u{2028}1", "\u{85}1",
        "\u{FEFF}1", "\u{FEFF}{}",
    ]

    /// Invalid UTF-8 inside quotes: table 3-7 of the Unicode standard, one step beyond each of its limits.
    private static let invalidUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x7F], [0xC2, 0xC0], [0xE0, 0x9F, 0xBF],
        [0xE0, 0xA0], [0xE0, 0xA0, 0x7F], [0xE1, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xEF, 0xBF],
        [0xEF, 0xBF, 0xC0], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x90, 0x80], [0xF0, 0x90, 0x80, 0x7F],
        [0xF1, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
        [0xFE], [0xFF], [0xC3, 0x28], [0x61, 0xE2, 0x28, 0xA1], [0xE9],
    ]

    private static let validUTF8: [[UInt8]] = [
        [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xEC, 0xBF, 0xBF], [0xED, 0x80, 0x80], [0xED, 0x9F, 0xBF],
        [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF], [0xF0, 0x90, 0x80, 0x80], [0xF3, 0xBF, 0xBF, 0xBF],
        [0xF4, 0x80, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], [0x7F],
    ]

    @Test(arguments: accepted) func `accepts what RFC 8259 accepts`(text: String) throws {
        try check(Array(text.utf8))
    }

    @Test(arguments: refused) func `refuses what RFC 8259 refuses`(text: String) {
        #expect(throws: JSONError.self) { try check(Array(text.utf8)) }
    }

    @Test func `refuses bytes that are no UTF-8, wherever they stand in a word of eight`() {
        for bytes in Self.invalidUTF8 {
            for padding in 0...9 {
                let before = [UInt8](repeating: UInt8(ascii: "a"), count: padding)
                for after in [[], Array("b".utf8), Array("bcdefghij".utf8)] {
                    let text = [UInt8(ascii: "\"")] + before + bytes + after + [UInt8(ascii: "\"")]
                    let error = #expect(throws: JSONError.self, "\(bytes), \(padding) before") { try check(text) }
                    #expect(error?.reason == .invalidUTF8, "\(bytes), \(padding) before")
                }
            }
        }
    }

    @Test func `accepts the first and the last scalar of each length of UTF-8`() throws {
        for bytes in Self.validUTF8 {
            for padding in 0...9 {
                let before = [UInt8](repeating: UInt8(ascii: "a"), count: padding)
                try check([UInt8(ascii: "\"")] + before + bytes + [UInt8(ascii: "\"")])
            }
        }
    }

    @Test func `refuses bytes that are no UTF-8 outside strings`() {
        for bytes in Self.invalidUTF8 { #expect(throws: JSONError.self) { try check(bytes) } }
    }

    @Test func `finds each special byte at each place of a word of eight`() throws {
        for position in 0...17 {
            let before = String(repeating: "x", count: position)
            try check(Array("\"\(before)\"".utf8))
            try check(Array("\"\(before)\\n\"".utf8))
            for control in UInt8(0)..<0x20 {
                let text = [UInt8(ascii: "\"")] + Array(before.utf8) + [control] + Array("y\"".utf8)
                let error = #expect(throws: JSONError.self) { try check(text) }
                #expect(error == JSONError(offset: position + 1, reason: .controlCharacter(control)))
            }
        }
    }

    @Test func `refuses every text that ends too early`() throws {
        let text = Array(#"{"a":[1,-2.5e+3,"x\n\uD834\uDD1Eé",true,false,null,{"b":{}}]}"#.utf8)
        try check(text)
        for count in text.indices {
            #expect(throws: JSONError.self, "\(count) bytes") { try check(Array(text[..<count])) }
        }
    }

    @Test(arguments: [1, 2, 64, 500]) func `takes as many levels as the limit and not one more`(max: Int) throws {
        for (opening, closing) in [("[", "]"), (#"{"a":"#, "}")] {
            func nested(_ depth: Int) -> [UInt8] {
                let inner = opening == "[" ? "" : "0"
                return Array(
                    (String(repeating: opening, count: depth) + inner + String(repeating: closing, count: depth)).utf8)
            }
            try check(nested(max), depthMax: max)
            let error = #expect(throws: JSONError.self) { try check(nested(max + 1), depthMax: max) }
            #expect(error?.reason == .tooDeep(max: max))
        }
    }

    @Test func `a text that opens a million arrays is refused at the limit`() {
        let text = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        let error = #expect(throws: JSONError.self) { try check(text) }
        #expect(error == JSONError(offset: 64, reason: .tooDeep(max: 64)))
    }

    private func check(_ text: [UInt8], depthMax: Int = 64) throws {
        try text.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, depthMax: depthMax)
            try scanner.skipValue()
            try scanner.end()
        }
    }
}
