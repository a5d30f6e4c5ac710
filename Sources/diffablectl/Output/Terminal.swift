import Glibc

struct Terminal: Sendable {
    /// Whether colours are used: on a terminal, unless `NO_COLOR` is set.
    enum Palette { case plain, colours }

    var palette: Palette
    /// Columns; nil if lines need not fit.
    var width: Int?
    /// Lines; nil for no limit.
    var height: Int?

    static let plain = Terminal(palette: .plain, width: nil)

    static var standardOutput: Terminal {
        guard isatty(STDOUT_FILENO) == 1 else { return .plain }
        let size = size(of: STDOUT_FILENO)
        return Terminal(palette: allowsColours ? .colours : .plain, width: size.width, height: size.height)
    }

    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal, so that a user reads messages.
    static var isReadingErrors: Bool { isatty(STDERR_FILENO) == 1 }

    private static var allowsColours: Bool {
        let refusal = getenv("NO_COLOR").map { String(cString: $0) } ?? ""
        let name = getenv("TERM").map { String(cString: $0) } ?? ""
        return refusal.isEmpty && name != "dumb"
    }

    private static func size(of descriptor: Int32) -> (width: Int?, height: Int?) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (nil, nil) }
        return (size.ws_col > 0 ? Int(size.ws_col) : nil, size.ws_row > 0 ? Int(size.ws_row) : nil)
    }
}

extension Terminal {
    enum Style: String, CaseIterable {
        case heading = "1"
        case dim = "2"
        case inserted = "32"
        case deleted = "31"
        case changed = "33"
        case moved = "36"
    }

    func styled(_ text: String, _ style: Style) -> String {
        switch palette {
        case .plain: text
        case .colours: "\(Terminal.sequence(style.rawValue))\(text)\(Terminal.sequence("0"))"
        }
    }

    static let styleSequences = (Style.allCases.map(\.rawValue) + ["0"]).map(sequence)

    private static func sequence(_ parameter: String) -> String { "\u{1B}[\(parameter)m" }

    /// Cuts a text that begins at a column so that its line fits. The width is counted in characters, which is wrong only for
    /// wide ones.
    func fitting(_ text: String, fromColumn column: Int) -> String {
        guard let width else { return text }
        let room = max(width - column, 16)
        guard text.count > room else { return text }
        return text.prefix(room - 1) + "…"
    }
}
