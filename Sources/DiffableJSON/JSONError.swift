/// The place and the reason why a text is not valid JSON (RFC 8259).
public struct JSONError: Error, Equatable, Sendable {
    /// Bytes from the beginning of the text; on a connection, from the beginning of the line.
    public var offset: Int
    public var reason: Reason

    public init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    public enum Reason: Equatable, Sendable {
        case unexpectedEnd
        case unexpectedByte(UInt8, expected: Expected)
        case invalidUTF8
        case byteOrderMark
        /// A byte below 0x20 inside a string, which JSON requires to be escaped.
        case controlCharacter(UInt8)
        case invalidEscape
        /// Half of a surrogate pair without the other half, which no text contains.
        case loneSurrogate
        case invalidNumber
        /// More nested arrays and objects than the limit.
        case tooDeep(max: Int)
        case trailingBytes
        /// `null` where a `Content` is expected: no content is `nil`.
        case noContent
        /// A duplicate member in a merge patch, which must not be ambiguous.
        case duplicateMember(String)
    }

    /// The expected text in the place of an unexpected byte.
    public enum Expected: String, Sendable {
        case value = "a value"
        case object = "an object"
        case array = "an array"
        case string = "a string"
        case number = "a number"
        case wholeNumber = "an integer"
        case boolean = "true or false"
        case memberName = "a member name in quotes"
        case colon = "a colon"
        case commaOrBrace = "a comma or }"
        case commaOrBracket = "a comma or ]"
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String { "\(reason) at byte \(offset)" }
}

extension JSONError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unexpectedEnd: "the text ends too early"
        case .unexpectedByte(let byte, let expected): "\(expected.rawValue) is expected, not \(Self.name(byte))"
        case .invalidUTF8: "invalid UTF-8"
        case .byteOrderMark: "a byte order mark (JSON allows none)"
        case .controlCharacter(let byte): "an unescaped control character (\(Self.name(byte))) in a string"
        case .invalidEscape: "an invalid escape"
        case .loneSurrogate: "a lone surrogate (an escape without its other half)"
        case .invalidNumber: "an invalid number"
        case .tooDeep(let max): "more than \(max) nested arrays and objects"
        case .trailingBytes: "text after the end of the value"
        case .noContent: "null is not content; leave the content out"
        case .duplicateMember(let name): "duplicate member \"\(name)\" in an object"
        }
    }

    private static func name(_ byte: UInt8) -> String {
        switch byte {
        case 0x21...0x7E: return "'\(Character(Unicode.Scalar(byte)))'"
        case 0x20: return "a space"
        case 0x0A: return "a line feed"
        default:
            let digits = String(byte, radix: 16, uppercase: true)
            return "byte 0x\(digits.count < 2 ? "0" : "")\(digits)"
        }
    }
}
