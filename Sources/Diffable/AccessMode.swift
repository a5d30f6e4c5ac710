/// What the owner of a list, its group and everybody else may do with it, as of a file: `0640`, or `rw-r-----`.
///
/// `r` (4) is to see the list, `w` (2) to change it. Lists are not executed, so there is no `x`.
public struct AccessMode: Hashable, Sendable {
    /// Three digits of base 8: the owner's, the group's, everybody else's.
    public let bits: UInt16

    static let bitsAllowed: UInt16 = 0o666

    /// Only the owner may anything.
    public static let ownerOnly = AccessMode(unchecked: 0o600)

    private init(unchecked bits: UInt16) { self.bits = bits }

    /// Nil with other bits than the six that mean something.
    public init?(bits: Int) {
        guard let bits = UInt16(exactly: bits), bits & ~Self.bitsAllowed == 0 else { return nil }
        self.init(unchecked: bits)
    }

    /// Of `640` or `0640`.
    public init(octal text: String) throws(AccessModeError) {
        let isOctal = (1...4).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x37).contains($0) }
        guard isOctal, let bits = UInt16(text, radix: 8), bits <= 0o777 else { throw .notOctal(text) }
        guard bits & ~Self.bitsAllowed == 0 else { throw .execution(text) }
        self.init(unchecked: bits)
    }

    /// `rw-r-----`
    public var symbolic: String {
        var text = ""
        for shift in [6, 3, 0] {
            text += bits >> shift & 4 != 0 ? "r" : "-"
            text += bits >> shift & 2 != 0 ? "w" : "-"
            text += "-"
        }
        return text
    }

    /// This mode changed as chmod(1) is told to: by `g+r,o-w`, `a=r`, `u+w-r`, or made anew by `640`. Who is named by none
    /// of `u`, `g`, `o` and `a` is everybody.
    public func changed(as text: String) throws(AccessModeError) -> AccessMode {
        if text.utf8.first.map({ (0x30...0x39).contains($0) }) ?? false { return try AccessMode(octal: text) }
        var bits = bits
        for clause in text.split(separator: ",", omittingEmptySubsequences: false) {
            bits = try Self.changed(bits, by: clause, of: text)
        }
        return AccessMode(unchecked: bits)
    }

    /// By one clause: whom it is about, then one or more of `+`, `-`, `=`, each with its letters.
    private static func changed(
        _ old: UInt16, by clause: Substring, of text: String
    ) throws(AccessModeError) -> UInt16 {
        var bits = old
        var rest = clause.unicodeScalars[...]
        var who: UInt16 = 0
        while let letter = rest.first, let part = classes[letter] {
            who |= part
            rest.removeFirst()
        }
        if who == 0 { who = bitsAllowed }
        guard !rest.isEmpty else { throw .notSymbolic(text) }
        while let sign = rest.popFirst() {
            var rights: UInt16 = 0
            while let letter = rest.first, !"+-=".unicodeScalars.contains(letter) {
                switch letter {
                case "r": rights |= 0o444
                case "w": rights |= 0o222
                case "x", "X", "s", "t": throw .execution(text)
                default: throw .notSymbolic(text)
                }
                rest.removeFirst()
            }
            switch sign {
            case "+": bits |= who & rights
            case "-": bits &= ~(who & rights)
            case "=": bits = bits & ~who | who & rights
            default: throw .notSymbolic(text)
            }
        }
        return bits
    }

    private static let classes: [Unicode.Scalar: UInt16] = ["u": 0o600, "g": 0o060, "o": 0o006, "a": 0o666]
}

extension AccessMode: CustomStringConvertible {
    /// `0640`
    public var description: String {
        let digits = String(bits, radix: 8)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}

/// Why a text is no mode.
public enum AccessModeError: Error, Equatable, Sendable, CustomStringConvertible {
    case notOctal(String)
    case notSymbolic(String)
    /// It has bits or letters beside those of reading and writing.
    case execution(String)

    public var description: String {
        switch self {
        case .notOctal(let text):
            "a mode is up to four octal digits such as \"0640\", not \"\(Self.shown(text))\""
        case .notSymbolic(let text):
            "a mode is octal digits such as 640, or changes such as u+rw,g=r,o-rw, not \"\(Self.shown(text))\""
        case .execution(let text):
            "\"\(Self.shown(text))\" asks for more than r (4, to see) and w (2, to change): a list is not executed, and has "
                + "no special bits"
        }
    }

    private static func shown(_ text: String) -> String { text.utf8.count > 40 ? text.prefix(20) + "…" : text }
}
