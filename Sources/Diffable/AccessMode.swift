/// The rights of a list's owner, its group and all other users, like the mode of a file: `0640`, or `rw-r-----`.
///
/// `r` (4) allows to read the list, `w` (2) to change it, `x` (1) to send requests to its handler. `w` implies `x`.
public struct AccessMode: Hashable, Sendable {
    /// Three octal digits: for the owner, the group and all others.
    public let bits: UInt16

    static let bitsAllowed: UInt16 = 0o777

    /// Read and write permission for the owner, and none for others.
    public static let ownerOnly = AccessMode(unchecked: 0o600)

    private init(unchecked bits: UInt16) { self.bits = bits }

    /// Nil if there are bits outside of `0o777`.
    public init?(bits: Int) {
        guard let bits = UInt16(exactly: bits), bits & ~Self.bitsAllowed == 0 else { return nil }
        self.init(unchecked: bits)
    }

    /// Parses up to four octal digits, such as `640` or `0640`. Throws for other text.
    public init(octal text: String) throws(AccessModeError) {
        let isOctal = (1...4).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x37).contains($0) }
        guard isOctal, let bits = UInt16(text, radix: 8), bits <= 0o7777 else { throw .notOctal(text) }
        guard bits & ~Self.bitsAllowed == 0 else { throw .special(text) }
        self.init(unchecked: bits)
    }

    /// For example `rw-r-----`.
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
    /// For example `0640`.
    public var description: String {
        let digits = String(bits, radix: 8)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}

/// Why a text is not a mode.
public enum AccessModeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text is not one to four octal digits.
    case notOctal(String)
    /// The text has bits besides the three rights.
    case special(String)

    /// The problem and the text. A text of more than 40 bytes is cut to its first 20 characters.
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
