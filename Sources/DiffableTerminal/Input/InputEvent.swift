package import DiffableView

/// What a terminal sends: what somebody did, or what it answers to a query.
package enum InputEvent: Equatable, Sendable {
    case key(KeyPress)
    case mouse(MouseEvent)
    /// Text that was pasted in one go, with `\n` between lines. What is longer than `KeyDecoder.pasteLengthMax` is cut.
    case paste(String)
    case focusGained
    case focusLost
    case reply(TerminalReply)
}

extension KeyModifiers {
    /// Sequences carry one more than the sum of the bits. What is beyond control (super, locks) changes no key here.
    init(parameter: Int) {
        self.init(rawValue: UInt8(truncatingIfNeeded: max(parameter, 1) - 1) & 7)
    }
}

/// An answer of the terminal to what `TerminalModes.queries` asks.
package enum TerminalReply: Equatable, Sendable {
    /// Red, green and blue of the ground (OSC 11).
    case background(RGB)
    /// Red, green and blue of text (OSC 10).
    case foreground(RGB)
    /// Whether the terminal knows a private mode, and whether it is on (DECRPM).
    case mode(Int, ModeSetting)
    /// Whether the terminal is drawn in the dark now (the notification of mode 2031).
    case scheme(isDark: Bool)
    /// What sort of terminal it is (DA1). Every terminal answers this, in the order of the questions, so what has not come
    /// before it does not come.
    case attributes([Int])
}

/// What DECRPM says of a mode.
package enum ModeSetting: Int, Sendable {
    case unknown = 0
    case set, reset, permanentlySet, permanentlyReset

    /// Whether setting the mode has an effect.
    package var isKnown: Bool { self != .unknown && self != .permanentlyReset }
}
