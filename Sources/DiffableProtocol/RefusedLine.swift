/// A refused line, read only to find out whether it is a part of a request. It reads byte by byte and needs no valid JSON, so a
/// line that is too long need not be kept in memory.
package struct RefusedLine: Sendable, Equatable {
    private var depth = 0
    private var isUnbalanced = false
    private var place = ScanState.between
    /// The last eight bytes of the current string, without escapes.
    private var word: UInt64 = 0
    /// Bytes of the current string, without backslashes and the characters after them.
    private var wordLength = 0
    private var hasEscape = false
    private var partAtParams: Request.Part?
    /// Whether `"more":true` occurs anywhere in the line. In a line that was cut, it may look as if it were inside a string.
    private var hasMore = false
    /// The last six bytes, and the place after the last `"more"`.
    private var (lastBytes, mention): (UInt64, ScanState) = (0, .between)

    private enum ScanState {
        case between, string, escape
        /// After the string `more`, and after its colon.
        case afterMore, afterColon
    }

    package init() {}

    package init(_ line: UnsafeRawBufferPointer) { read(line) }

    /// The part of a request that the line is. Nil if the brackets do not match, so that it is unknown.
    package var part: Request.Part? {
        isUnbalanced || depth != 0 || isInString ? nil : partAtParams ?? .whole
    }

    /// Whether more parts may follow the line.
    package var mayBeMore: Bool { part.map { $0 == .more } ?? hasMore }

    /// Whether the line has the string `restore`, so that it may be a part of a `restore`.
    package private(set) var namesRestore = false

    private var isInString: Bool { place == .string || place == .escape }

    package mutating func read(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes { read(byte) }
    }

    private mutating func read(_ byte: UInt8) {
        noteMention(byte)
        switch place {
        case .escape: place = .string
        case .string:
            switch byte {
            case UInt8(ascii: "\\"): (place, hasEscape) = (.escape, true)
            case UInt8(ascii: "\""): endString()
            default:
                word = word << 8 | UInt64(byte)
                wordLength += 1
            }
        case .between, .afterMore, .afterColon:
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { return }
            if place == .afterColon { noteMore(byte) }
            place = place == .afterMore && byte == UInt8(ascii: ":") ? .afterColon : .between
            switch byte {
            case UInt8(ascii: "\""): (place, word, wordLength, hasEscape) = (.string, 0, 0, false)
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth < 0 { isUnbalanced = true }
            default: break
            }
        }
    }

    private mutating func noteMention(_ byte: UInt8) {
        lastBytes = (lastBytes << 8 | UInt64(byte)) & 0xFFFF_FFFF_FFFF
        if lastBytes == Self.quotedMore { return mention = .afterMore }
        if mention == .between || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { return }
        if mention == .afterColon, byte != UInt8(ascii: "f"), byte != UInt8(ascii: "n") { hasMore = true }
        mention = mention == .afterMore && byte == UInt8(ascii: ":") ? .afterColon : .between
    }

    private mutating func endString() {
        place = .between
        // An escaped letter (`\u006d`) counts as four bytes here.
        if wordLength == 4 && word == Self.more || hasEscape && wordLength <= 16 { place = .afterMore }
        if wordLength == 7 && word == Self.restore { namesRestore = true }
    }

    /// `value` is the first byte of the value. `null` means no `more`; anything except `false` was meant as true.
    private mutating func noteMore(_ value: UInt8) {
        if value == UInt8(ascii: "n") { return }
        // Inside the object of the parameters.
        if depth == 2 { partAtParams = value == UInt8(ascii: "f") ? .last : .more }
    }

    private static let quotedMore = "\"more\"".utf8.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    private static let more = "more".utf8.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    private static let restore = "restore".utf8.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
}
