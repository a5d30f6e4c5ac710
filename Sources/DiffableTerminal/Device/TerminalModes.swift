/// The bytes that set the modes of a full-screen program and reset them.
package struct TerminalModes: Equatable, Sendable {
    private let abilities: TerminalAbilities

    package init(abilities: TerminalAbilities) { self.abilities = abilities }

    /// The bytes before the first frame. They turn off automatic wrapping at the right edge. `size` is the size of the frames.
    package func enteringBytes(reportsMouse: Bool, size: TerminalSize = .usual) -> [UInt8] {
        var text =
            if abilities.height != nil { Self.roomText(size) } else {
                (abilities.hasAlternateScreen ? "\u{1B}[?1049h" : "\u{1B}[2J") + "\u{1B}[?7l"
            }
        // This follows the alternate screen, which has a stack of keyboard modes of its own.
        if abilities.hasKeyboardProtocol { text += "\u{1B}[>1u" }
        if abilities.hasBracketedPaste { text += "\u{1B}[?2004h" }
        if abilities.reportsFocus { text += "\u{1B}[?1004h" }
        var bytes = Array(text.utf8)
        if reportsMouse { bytes += mouseBytes(isOn: true) }
        return bytes
    }

    /// The bytes that restore everything, even in the middle of a frame.
    package var leavingBytes: [UInt8] {
        var text = ""
        if abilities.takesQueries { text += "\u{1B}[?2026l" }
        text += "\u{1B}[m\u{1B}[r"
        if abilities.reportsFocus { text += "\u{1B}[?1004l" }
        if abilities.hasBracketedPaste { text += "\u{1B}[?2004l" }
        var bytes = Array(text.utf8)
        bytes += mouseBytes(isOn: false)
        text = abilities.hasKeyboardProtocol ? "\u{1B}[<u" : ""
        text += "\u{1B}[?7h\u{1B}[?25h"
        if abilities.height != nil { return bytes + (text + "\u{1B}8\u{1B}[?7h\u{1B}[J").utf8 }
        // GNU screen has no alternate screen by default.
        text += "\u{1B}[2J\u{1B}[H"
        if abilities.hasAlternateScreen { text += "\u{1B}[?1049l" }
        return bytes + text.utf8
    }

    /// Text that makes room for frames below the current line, or on it if it is empty, and saves the first position of the room
    /// for `leavingBytes`. Blanks as wide as the screen wrap unless they begin in the first column.
    static func roomText(_ size: TerminalSize) -> String {
        let lines = String(repeating: "\n", count: size.rows - 1)
        let up = size.rows > 1 ? "\u{1B}[\(size.rows - 1)A" : ""
        let blanks = String(repeating: " ", count: size.columns)
        return "\u{1B}[m\u{1B}[?7h" + blanks + "\r\u{1B}[J" + lines + up + "\u{1B}[?7l\u{1B}7"
    }

    /// The bytes for presses, releases, drags and the wheel, with places beyond column 223.
    package func mouseBytes(isOn: Bool) -> [UInt8] {
        guard abilities.hasMouse else { return [] }
        return Array((isOn ? "\u{1B}[?1002h\u{1B}[?1006h" : "\u{1B}[?1006l\u{1B}[?1002l").utf8)
    }

    /// Queries for the background and for synchronized output, and last for the kind of terminal, because every terminal answers
    /// that one.
    package var queryBytes: [UInt8] {
        abilities.takesQueries ? Array("\u{1B}]11;?\u{1B}\\\u{1B}[?2026$p\u{1B}[c".utf8) : []
    }
}
