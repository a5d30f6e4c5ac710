internal import DiffableView

// Terminals with sixteen colours or none. The user chooses how the sixteen look, so this uses only colours that are readable on
// black or on white in the usual tables, and rarely sets a background.

extension Palette {
    func plainPen(_ style: Style) -> Pen {
        var pen = Pen()
        switch style.ground {
        case .selected, .bar, .tint: pen.attributes = .reverse
        case .flashing: pen.attributes = [.reverse, .bold]
        case .selectedUnfocused: pen.attributes = .underline
        case .badge, .header, .wash: pen.attributes = .bold
        case .base, .page, .group, .sidebar, .marked, .changed, .changedFading, .changedFaint, .overlay: break
        }
        // Dim text on a reversed background would be nearly as bright as the background.
        if [.secondary, .tertiary, .line].contains(style.ink), !pen.attributes.contains(.reverse) {
            pen.attributes.insert(.dim)
        }
        return pen
    }

    func namedPen(_ style: Style) -> Pen {
        var pen = plainPen(style)
        switch style.ground {
        // Two contrasting colours instead of `.reverse`: terminals erase the rest of a line with a background colour in
        // a few bytes, but reversed blanks would have to be written.
        case .selected, .bar, .flashing:
            pen.attributes.remove(.reverse)
            (pen.ink, pen.ground) = isDark ? (.indexed(0), .indexed(7)) : (.indexed(15), .indexed(0))
        case .tint(let tint): pen.ink = named(tint)
        default:
            if case .tint(let tint) = style.ink { pen.ink = named(tint) }
        }
        return pen
    }

    /// Replaces colours that are unreadable in some usual table with the terminal's own ink: on black, both blues; on white, all
    /// bright colours.
    private func named(_ tint: Tint) -> Pen.Colour {
        switch (tint, isDark) {
        case (.accent, true), (.blue, true): .indexed(14)
        case (.accent, false), (.blue, false): .indexed(4)
        case (.red, true): .indexed(9)
        case (.red, false): .indexed(1)
        case (.orange, true), (.yellow, true): .indexed(11)
        case (.green, true): .indexed(10)
        case (.purple, true): .indexed(13)
        case (.purple, false): .indexed(5)
        case (.orange, false), (.yellow, false), (.green, false): .standard
        case (.gray, _), (.secondary, _), (.exact, _): .standard
        }
    }
}
