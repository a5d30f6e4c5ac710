import Diffable

/// An argument of chmod(1): a mode, or changes such as `g+r,o-w`, `a=r`, `u+w-r`.
enum ModeChange {
    case mode(AccessMode)
    case edits([Edit])

    /// A sign with its letters, and the classes of users before it. Without any of `u`, `g`, `o` and `a`, it applies to all.
    struct Edit {
        var who: UInt16
        var sign: Sign
        var rights: UInt16
    }

    enum Sign: Unicode.Scalar {
        case adding = "+"
        case removing = "-"
        case setting = "="
    }

    init(_ text: String) throws(ModeChangeError) {
        if text.utf8.first.map({ (0x30...0x39).contains($0) }) ?? false {
            do throws(AccessModeError) { self = .mode(try AccessMode(octal: text)) } catch { throw .mode(error) }
            return
        }
        var edits: [Edit] = []
        for clause in text.split(separator: ",", omittingEmptySubsequences: false) {
            edits += try Self.edits(of: clause, in: text)
        }
        self = .edits(edits)
    }

    func applied(to old: AccessMode) -> AccessMode {
        switch self {
        case .mode(let mode): return mode
        case .edits(let edits):
            let bits = edits.reduce(old.bits) { bits, edit in
                switch edit.sign {
                case .adding: bits | edit.who & edit.rights
                case .removing: bits & ~(edit.who & edit.rights)
                case .setting: bits & ~edit.who | edit.who & edit.rights
                }
            }
            guard let mode = AccessMode(bits: Int(bits)) else {
                preconditionFailure("no letter stands for bits that a mode has not")
            }
            return mode
        }
    }

    private static let everybody: UInt16 = 0o777
    private static let classes: [Unicode.Scalar: UInt16] = ["u": 0o700, "g": 0o070, "o": 0o007, "a": everybody]

    private static func edits(of clause: Substring, in text: String) throws(ModeChangeError) -> [Edit] {
        var rest = clause.unicodeScalars[...]
        var who: UInt16 = 0
        while let letter = rest.first, let part = classes[letter] {
            who |= part
            rest.removeFirst()
        }
        var edits: [Edit] = []
        while let scalar = rest.popFirst() {
            guard let sign = Sign(rawValue: scalar) else { throw .malformed(text) }
            var edit = Edit(who: who == 0 ? everybody : who, sign: sign, rights: 0)
            while let letter = rest.first, Sign(rawValue: letter) == nil {
                switch letter {
                case "r": edit.rights |= 0o444
                case "w": edit.rights |= 0o222
                case "x": edit.rights |= 0o111
                case "X", "s", "t": throw .mode(.special(text))
                default: throw .malformed(text)
                }
                rest.removeFirst()
            }
            edits.append(edit)
        }
        guard !edits.isEmpty else { throw .malformed(text) }
        return edits
    }
}

enum ModeChangeError: Error, Equatable, CustomStringConvertible {
    case mode(AccessModeError)
    case malformed(String)

    var description: String {
        switch self {
        case .mode(let error): "\(error)"
        case .malformed(let text):
            "a mode must be octal digits such as 640, or changes such as u+rw,g=r,o-rw, not \"\(text)\""
        }
    }
}
