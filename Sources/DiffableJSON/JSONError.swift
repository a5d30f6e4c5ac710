/// Where a text is not JSON as RFC 8259 has it, and why.
public struct JSONError: Error, Equatable, Sendable {
    /// In bytes from the beginning of the text (on a connection: of the line).
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
        /// A byte below 0x20 inside a string; JSON wants it escaped.
        case controlCharacter(UInt8)
        case invalidEscape
        /// Half of a surrogate pair without the other half: no text has such a character.
        case loneSurrogate
        case invalidNumber
        /// Arrays and objects inside each other.
        case tooDeep(max: Int)
        /// Something stands after the value.
        case trailingBytes
        /// `null` where a `Content` is asked for: no content is `nil`.
        case noContent
        /// Of a merge patch, which must not be ambiguous.
        case duplicateMember(String)
    }

    /// What would have been right in the place of an unexpected byte.
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
        case .byteOrderMark: "a byte order mark, which JSON does not have"
        case .controlCharacter(let byte): "an unescaped control character (\(Self.name(byte))) in a string"
        case .invalidEscape: "an escape that JSON does not have"
        case .loneSurrogate: "half of a surrogate pair without the other"
        case .invalidNumber: "a number that JSON does not have"
        case .tooDeep(let max): "more than \(max) arrays and objects inside each other"
        case .trailingBytes: "something after the end of the value"
        case .noContent: "null is no content; leave the content out"
        case .duplicateMember(let name): "the member \"\(name)\" stands twice in an object"
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
