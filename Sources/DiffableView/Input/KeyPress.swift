package struct KeyPress: Hashable, Sendable {
    package var key: Key
    package var modifiers: KeyModifiers

    package init(_ key: Key, _ modifiers: KeyModifiers = []) {
        self.key = key
        self.modifiers = modifiers
    }

    /// The sign of a letter or a function key in the status line and in the help: `x`, `^X`, `M-x`, `F3`.
    var sign: String {
        let prefix = (modifiers.contains(.alt) ? "M-" : "") + (modifiers.contains(.control) ? "^" : "")
        switch key {
        case .character(let character):
            return prefix + (modifiers.contains(.control) ? "\(character)".uppercased() : "\(character)")
        case .function(let number): return prefix + "F\(number)"
        default: return prefix + "\(key)"
        }
    }
}

/// A key by its character or name. A capital letter is a character of its own and has no modifier.
package enum Key: Hashable, Sendable {
    case character(Unicode.Scalar)
    case enter, tab, backspace, escape
    case up, down, left, right
    case home, end, pageUp, pageDown
    case insert, delete
    case function(Int)
}

package struct KeyModifiers: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let shift = KeyModifiers(rawValue: 1)
    package static let alt = KeyModifiers(rawValue: 2)
    package static let control = KeyModifiers(rawValue: 4)
}
