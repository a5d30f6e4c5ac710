/// The height of a program that draws below the lines of the shell, and leaves these on the screen.
package enum TerminalHeight: Equatable, Sendable {
    case rows(Int)
    case percent(Int)

    /// `10` or `40%`; nil for anything else.
    package init?(_ text: String) {
        let number = Int(text.hasSuffix("%") ? text.dropLast() : text[...])
        guard let number, number > 0, !text.hasSuffix("%") || number <= 100 else { return nil }
        self = text.hasSuffix("%") ? .percent(number) : .rows(number)
    }

    func limit(_ size: TerminalSize) -> TerminalSize {
        let rows =
            switch self {
            case .rows(let rows): rows
            case .percent(let percent): size.rows * percent / 100
            }
        return TerminalSize(columns: size.columns, rows: min(max(rows, Self.rowsMin), size.rows))
    }

    /// Two rows and a status line.
    private static let rowsMin = 3
}
