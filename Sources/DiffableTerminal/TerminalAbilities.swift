package import DiffableView

/// What a terminal can do, as far as the environment tells it: a guess that never asks, so that the first frame need not
/// wait. What it answers later (`TerminalReply`) is added.
package struct TerminalAbilities: Equatable, Sendable {
    /// The cursor can be placed. Without that, only lines can be written.
    package var hasCursorMotion = true
    package var colours = Palette.Depth.sixteen
    package var attributes = Style.Attributes.all
    /// Text is in UTF-8.
    package var hasUnicode = true
    package var hasAlternateScreen = true
    package var hasMouse = true
    package var hasBracketedPaste = true
    package var reportsFocus = true
    /// Keys are told apart that are one in the old ways (kitty's protocol).
    package var hasKeyboardProtocol = false
    /// What is erased takes the ground of the pen.
    package var erasesWithGround = true
    /// Answers queries, or leaves them out without drawing them.
    package var takesQueries = true
    /// Dark, unless the environment knows better.
    package var background = RGB(0x161618)

    package init() {}

    package init(environment: [String: String]) {
        func value(_ name: String) -> String { environment[name] ?? "" }
        let term = value("TERM")
        let locale = [value("LC_ALL"), value("LC_CTYPE"), value("LANG")].first { !$0.isEmpty } ?? ""
        hasUnicode = Self.saysUTF8(locale)
        colours = Self.colours(term: term, colorTerm: value("COLORTERM"))

        switch Self.family(term) {
        case "", "dumb", "unknown":
            self.hasCursorMotion = false
            colours = .none
            attributes = []
            removeExtensions()
        case "linux":
            // It has eight colours and their bright forms, and draws italics as colours.
            attributes.subtract([.italic, .strikethrough])
            removeExtensions()
            background = .black
        case "vt100", "vt102", "vt220", "vt320", "vt420", "vt520", "ansi", "cons25":
            attributes.subtract([.italic, .strikethrough, .dim])
            removeExtensions()
            erasesWithGround = false
        case "screen":
            // Italics are reversed there, and what is erased has no ground. tmux calls itself so as well.
            attributes.subtract([.italic, .strikethrough])
            erasesWithGround = false
        case "xterm-kitty", "kitty", "foot", "xterm-ghostty", "ghostty", "wezterm", "alacritty":
            hasKeyboardProtocol = true
        default: break
        }
        if !value("NO_COLOR").isEmpty { colours = .none }
        if let isDark = Self.isDark(value("COLORFGBG")) { background = isDark ? background : .white }
    }

    private mutating func removeExtensions() {
        (hasAlternateScreen, hasMouse, hasBracketedPaste, reportsFocus) = (false, false, false, false)
        takesQueries = false
    }

    /// The palette before the terminal has said anything.
    package var palette: Palette { Palette(depth: colours, background: background, attributes: attributes) }

    /// `screen.xterm-256color` and `foot-extra` are of the family of their first word.
    private static func family(_ term: String) -> String {
        if term.hasPrefix("xterm-kitty") { return "xterm-kitty" }
        if term.hasPrefix("xterm-ghostty") { return "xterm-ghostty" }
        return String(term.prefix { $0 != "-" && $0 != "." })
    }

    private static func saysUTF8(_ locale: String) -> Bool {
        let locale = locale.lowercased()
        return locale.contains("utf-8") || locale.contains("utf8")
    }

    private static func colours(term: String, colorTerm: String) -> Palette.Depth {
        if ["truecolor", "24bit"].contains(colorTerm.lowercased()) || term.hasSuffix("-direct") { return .exact }
        switch family(term) {
        case "xterm-kitty", "kitty", "foot", "xterm-ghostty", "ghostty", "wezterm", "alacritty": return .exact
        case "vt100", "vt102", "vt220", "vt320", "vt420", "vt520": return .none
        default: return term.contains("256color") ? .indexed : .sixteen
        }
    }

    /// rxvt and others say `15;0`: ink and ground as numbers of the sixteen.
    private static func isDark(_ colours: String) -> Bool? {
        guard let last = colours.split(separator: ";").last, let ground = Int(last) else { return nil }
        return ground != 7 && ground < 9
    }
}
