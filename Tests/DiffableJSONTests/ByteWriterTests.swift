import DiffableJSON
import Testing

struct ByteWriterTests {
    @Test func `escapes what JSON demands and nothing else`() {
        var writer = ByteWriter()
        writer.appendString("a\"b\\c/\u{8}\t\n\u{C}\r\u{0}\u{1F}\u{7F}é\u{2028}𝄞")
        #expect(text(writer) == "\"a\\\"b\\\\c/\\b\\t\\n\\f\\r\\u0000\\u001f\u{7F}é\u{2028}𝄞\"")
    }

    @Test func `every byte below 0x80 is read back as it was written`() throws {
        for byte in UInt8(0)..<0x80 {
            let string = "x" + String(Unicode.Scalar(byte)) + "y"
            var writer = ByteWriter()
            writer.appendString(string)
            try writer.withUnsafeBytes { bytes in
                var scanner = JSONScanner(bytes, depthMax: 1)
                #expect(try scanner.string().text == string)
                try scanner.end()
            }
        }
    }

    @Test(arguments: [0, 1, -1, 10, 1_234_567_890, Int.max, Int.min])
    func `writes whole numbers`(number: Int) {
        var writer = ByteWriter()
        writer.append(number)
        #expect(text(writer) == "\(number)")
    }

    @Test func `takes back what was written after a point`() {
        var writer = ByteWriter()
        writer.append("abc")
        writer.append("def")
        writer.truncate(to: 3)
        #expect(text(writer) == "abc")
    }

    private func text(_ writer: ByteWriter) -> String { String(decoding: writer.bytes, as: UTF8.self) }
}
