package import DiffableView

/// A key, mouse event or paste of the user, or a reply of the terminal to a query.
package enum InputEvent: Equatable, Sendable {
    case key(KeyPress)
    case mouse(MouseEvent)
    /// Text pasted at once, with `\n` between lines, cut at `KeyDecoder.pasteLengthMax` bytes.
    case paste(String)
    case focusGained
    case focusLost
    case reply(TerminalReply)
}

extension KeyModifiers {
    /// Sequences carry the sum of the bits plus 1. Modifiers beyond control (super, locks) are ignored.
    init(parameter: Int) {
        self.init(rawValue: UInt8(truncatingIfNeeded: max(parameter, 1) - 1) & 7)
    }
}

/// A reply of the terminal to one of `TerminalModes.queryBytes`.
package enum TerminalReply: Equatable, Sendable {
    /// The background colour (OSC 11).
    case background(RGB)
    /// The text colour (OSC 10).
    case foreground(RGB)
    /// Whether the terminal supports a private mode, and whether it is set (DECRPM).
    case mode(Int, ModeSetting)
    /// Whether the terminal uses a dark scheme now (the notification of mode 2031).
    case scheme(isDark: Bool)
    /// The kind of terminal (DA1). Every terminal answers this query, in order, so a missing earlier reply will not follow.
    case attributes([Int])
}

/// The setting of a mode in DECRPM.
package enum ModeSetting: Int, Sendable {
    case unknown = 0
    case set, reset, permanentlySet, permanentlyReset

    /// Whether the mode is on after it has been set: the terminal knows it, and does not keep it off.
    package var isKnown: Bool { self != .unknown && self != .permanentlyReset }
}
