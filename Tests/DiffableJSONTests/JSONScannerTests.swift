import DiffableJSON
import Testing

struct JSONScannerTests {
    @Test(arguments: [
        ("[1,x]", 3, "a value is expected, not 'x' at byte 3"),
        ("{\"a\" 1}", 5, "a colon is expected, not '1' at byte 5"),
        ("{a:1}", 1, "a member name in quotes is expected, not 'a' at byte 1"),
        ("[1 2]", 3, "a comma or ] is expected, not '2' at byte 3"),
        ("{\"a\":1 2}", 7, "a comma or } is expected, not '2' at byte 7"),
        ("[\"a\\qb\"]", 3, "an invalid escape at byte 3"),
        ("[\"ab\\uD834c\"]", 4, "a lone surrogate (an escape without its other half) at byte 4"),
        ("[01]", 2, "an invalid number at byte 2"),
        ("{} x", 3, "text after the end of the value at byte 3"),
        ("\u{FEFF}1", 0, "a byte order mark (JSON allows none) at byte 0"),
        ("[\"\u{1}\"]", 2, "an unescaped control character (byte 0x01) in a string at byte 2"),
        ("[1,", 3, "the text ends too early at byte 3"),
    ])
    func `an error names the byte and what was expected`(text: String, offset: Int, message: String) {
        let error = #expect(throws: JSONError.self) { try skip(text) }
        #expect(error?.offset == offset)
        #expect(error?.description == message)
    }

    @Test func `an object hands out its members in order`() throws {
        try scan(#" { "a" : 1 , "b\n" : [2, 3], "" : {} } "#) { scanner in
            var object = try scanner.beginObject()
            let a = try scanner.nextMember(of: &object)
            #expect(a?.text == "a")
            #expect(try scanner.integer() == 1)
            let b = try scanner.nextMember(of: &object)
            #expect(b?.hasEscapes == true)
            #expect(b?.text == "b\n")
            var array = try scanner.beginArray()
            #expect(try scanner.nextElement(of: &array))
            #expect(try scanner.integer() == 2)
            #expect(try scanner.nextElement(of: &array))
            #expect(try scanner.integer() == 3)
            #expect(try !scanner.nextElement(of: &array))
            #expect(try scanner.nextMember(of: &object)?.text == "")
            try scanner.skipValue()
            #expect(try scanner.nextMember(of: &object) == nil)
            try scanner.end()
        }
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min),
    ])
    func `reads whole numbers of 64 bits`(text: String, value: Int) throws {
        try scan(text) { scanner in
            let number = try scanner.integer()
            #expect(number == value)
        }
    }

    @Test(arguments: ["9223372036854775808", "-9223372036854775809", "1.0", "1e2", "true", "\"1\"", "[1]", "", "-"])
    func `refuses what is no whole number of 64 bits`(text: String) {
        #expect(throws: JSONError.self) { try scan(text) { scanner in _ = try scanner.integer() } }
    }

    @Test func `a string means what its escapes say`() throws {
        try scan(#""a\"\\\/\b\f\n\r\t\u0041\u00e9\uD834\uDD1Eé""#) { scanner in
            let string = try scanner.string()
            #expect(string.text == "a\"\\/\u{8}\u{C}\n\r\tA\u{e9}\u{1D11E}é")
        }
    }

    @Test func `a literal matches a name with or without escapes`() throws {
        for text in [#""kind""#, #""\u006bind""#, #""k\u0069n\u0064""#] {
            try scan(text) { scanner in
                let name = try scanner.string()
                #expect("kind" ~= name)
                #expect(!("kin" ~= name))
                #expect(!("kine" ~= name))
            }
        }
    }

    @Test(arguments: [
        (#"{"a":[1,2]}"#, #"{"a":[1,2]}"#), (#" { "a" : [ 1 , 2 ] } "#, #"{"a":[1,2]}"#),
        ("{\"a b\" :\t\" c \\\" d \"\n}", #"{"a b":" c \" d "}"#), (#"" x ""#, #"" x ""#), (" 1.50E+2 ", "1.50E+2"),
        (#"{"b":1,"a":2,"b":3}"#, #"{"b":1,"a":2,"b":3}"#), (#"["\u0041\/"]"#, #"["\u0041\/"]"#),
    ])
    func `a value keeps its bytes but for white space between them`(text: String, compact: String) throws {
        try scan(text) { scanner in
            let value = try scanner.value()
            #expect(value.withCompactBytes { String(decoding: $0, as: UTF8.self) } == compact)
            #expect(String(decoding: value.compacted(), as: UTF8.self) == compact)
        }
    }

    private func skip(_ text: String) throws {
        try scan(text) { scanner in
            try scanner.skipValue()
            try scanner.end()
        }
    }

    private func scan(_ text: String, _ body: (inout JSONScanner) throws -> Void) throws {
        try Array(text.utf8).withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, depthMax: 64)
            try body(&scanner)
        }
    }
}
