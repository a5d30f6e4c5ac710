/// The rights of a list's owner, its group and everybody else, like a file's mode: `0640`, or `rw-r-----`.
///
/// `r` (4) allows to see the list, `w` (2) to change it, `x` (1) to ask its handler. Who may change a list may ask, too.
public struct AccessMode: Hashable, Sendable {
    /// Three digits of base 8: the owner's, the group's, everybody else's.
    public let bits: UInt16

    static let bitsAllowed: UInt16 = 0o777

    /// The owner may see and change the list, nobody else.
    public static let ownerOnly = AccessMode(unchecked: 0o600)

    private init(unchecked bits: UInt16) { self.bits = bits }

    /// Nil for bits other than those of `0o777`.
    public init?(bits: Int) {
        guard let bits = UInt16(exactly: bits), bits & ~Self.bitsAllowed == 0 else { return nil }
        self.init(unchecked: bits)
    }

    /// A mode of up to four octal digits, such as `640` or `0640`. Throws for other text.
    public init(octal text: String) throws(AccessModeError) {
        let isOctal = (1...4).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x37).contains($0) }
        guard isOctal, let bits = UInt16(text, radix: 8), bits <= 0o7777 else { throw .notOctal(text) }
        guard bits & ~Self.bitsAllowed == 0 else { throw .special(text) }
        self.init(unchecked: bits)
    }

    /// `rw-r-----`
    public var symbolic: String {
        var text = ""
        for shift in [6, 3, 0] {
            text += bits >> shift & 4 != 0 ? "r" : "-"
            text += bits >> shift & 2 != 0 ? "w" : "-"
            text += bits >> shift & 1 != 0 ? "x" : "-"
        }
        return text
    }
}

extension AccessMode: CustomStringConvertible {
    /// `0640`
    public var description: String {
        let digits = String(bits, radix: 8)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}

/// Why a text is not a mode.
public enum AccessModeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It is not one to four octal digits.
    case notOctal(String)
    /// It has bits or letters beside those of the three rights.
    case special(String)

    /// What is wrong with the text, which it repeats: up to 40 bytes whole, what is longer by its first 20
    /// characters.
    public var description: String {
        switch self {
        case .notOctal(let text):
            "a mode must be up to four octal digits such as \"0640\", not \(Self.quoted(text))"
        case .special(let text):
            "\(Self.quoted(text)) has special bits, which a list does not have: each digit is a sum of 4 (read), 2 (write) "
                + "and 1 (send requests)"
        }
    }

    private static func quoted(_ text: String) -> String {
        (text.utf8.count > 40 ? text.prefix(20) + "…" : text).debugDescription
    }
}
