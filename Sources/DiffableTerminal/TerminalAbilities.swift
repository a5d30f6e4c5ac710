package import DiffableView

/// The abilities of a terminal, guessed from the environment so that the first frame need not wait. Answers (`TerminalReply`)
/// are added later.
package struct TerminalAbilities: Equatable, Sendable {
    /// Whether the cursor can be moved. Without that, the program can only write lines.
    package var hasCursorMotion = true
    package var colours = Palette.Depth.sixteen
    package var attributes = Style.Attributes.all
    package var hasUnicode = true
    package var hasAlternateScreen = true
    package var hasMouse = true
    package var hasBracketedPaste = true
    package var reportsFocus = true
    /// Whether the terminal supports kitty's keyboard protocol, which distinguishes more keys.
    package var hasKeyboardProtocol = false
    /// Whether erased cells get the pen's background.
    package var erasesWithGround = true
    /// Whether the terminal answers queries, or at least does not draw them.
    package var takesQueries = true
    /// The part of the screen to draw on; nil for the whole, on a screen of its own if the terminal has one.
    package var height: TerminalHeight?
    /// The background colour; dark unless the environment says otherwise.
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
            // The console has eight colours and their bright forms, and draws italics as colours.
            attributes.subtract([.italic, .strikethrough])
            removeExtensions()
            background = .black
        case "vt100", "vt102", "vt220", "vt320", "vt420", "vt520", "ansi", "cons25":
            attributes.subtract([.italic, .strikethrough, .dim])
            removeExtensions()
            erasesWithGround = false
        case "screen":
            // GNU screen reverses italics, and erased cells have no background. tmux uses this name too.
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

    /// The palette before the terminal has answered.
    package var palette: Palette { Palette(depth: colours, background: background, attributes: attributes) }

    /// Returns the first word, so that `screen.xterm-256color` is `screen` and `foot-extra` is `foot`.
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

    /// Parses `15;0` of rxvt and others: ink and background as numbers of the sixteen colours.
    private static func isDark(_ colours: String) -> Bool? {
        guard let last = colours.split(separator: ";").last, let ground = Int(last) else { return nil }
        return ground != 7 && ground < 9
    }
}
