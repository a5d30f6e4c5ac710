/// A query's text, split into statements as SQLite does it (sqlite.org/lang.html).
struct QueryText {
    private let bytes: [UInt8]

    init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    var isBlank: Bool { next(from: 0, passingEnds: true) == nil }

    var hasSecondStatement: Bool {
        guard var offset = next(from: 0, passingEnds: true) else { return false }
        while let here = next(from: offset, passingEnds: false) {
            if bytes[here] == UInt8(ascii: ";") { return next(from: here, passingEnds: true) != nil }
            offset = endOfToken(at: here)
        }
        return false
    }

    /// The offset of the next byte that is neither white space nor in a comment; nil at the end.
    private func next(from start: Int, passingEnds: Bool) -> Int? {
        var offset = start
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x0C: offset += 1
            case UInt8(ascii: ";") where passingEnds: offset += 1
            case UInt8(ascii: "-") where isPair("-", at: offset):
                offset = end(after: offset + 2) { bytes[$0] == UInt8(ascii: "\n") }
            case UInt8(ascii: "/") where isPair("*", at: offset):
                // An unclosed comment extends to the end.
                offset = end(after: offset + 3) { bytes[$0] == UInt8(ascii: "/") && bytes[$0 - 1] == UInt8(ascii: "*") }
            default: return offset
            }
        }
        return nil
    }

    /// Quoted text is one token. A doubled quotation mark starts another token at once, which makes no difference here.
    private func endOfToken(at offset: Int) -> Int {
        switch bytes[offset] {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
            end(after: offset + 1) { bytes[$0] == bytes[offset] }
        case UInt8(ascii: "["): end(after: offset + 1) { bytes[$0] == UInt8(ascii: "]") }
        default: offset + 1
        }
    }

    private func isPair(_ second: Unicode.Scalar, at offset: Int) -> Bool {
        offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: second)
    }

    private func end(after start: Int, _ isEnd: (Int) -> Bool) -> Int {
        var offset = start
        while offset < bytes.count, !isEnd(offset) { offset += 1 }
        return min(offset + 1, bytes.count)
    }
}
