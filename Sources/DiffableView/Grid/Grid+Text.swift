extension Grid {
    package var text: String { lines { cell in text(of: cell) } }

    /// The rows with a letter for each cell's style instead of its text, and a legend of the letters: `.` is plain
    /// text.
    package var styleText: String {
        var letters: [Style: Character] = [Style(): "."]
        var legend = ""
        var next = Unicode.Scalar("a")
        for cell in cells where letters[cell.style] == nil {
            letters[cell.style] = Character(next)
            legend += "\(next) \(cell.style)\n"
            next = Unicode.Scalar(next.value + 1) ?? "?"
            if next == "{" { next = "A" }
        }
        return lines { String(letters[$0.style]!) } + legend
    }

    private func lines(_ write: (Cell) -> String) -> String {
        var text = ""
        for row in 0..<rows {
            var line = ""
            for cell in self.row(row) { line += write(cell) }
            while line.last == " " { line.removeLast() }
            text += line + "\n"
        }
        return text
    }
}

extension Style: CustomStringConvertible {
    package var description: String {
        var words = "\(ink.description)"
        if ground != .base { words += " on \(ground.description)" }
        let names: [(Attributes, String)] = [
            (.bold, "bold"), (.dim, "dim"), (.italic, "italic"), (.underline, "underline"), (.reverse, "reverse"),
            (.strikethrough, "strikethrough"),
        ]
        for (attribute, name) in names where attributes.contains(attribute) { words += " \(name)" }
        return words
    }
}

extension ForegroundRole: CustomStringConvertible {
    package var description: String {
        switch self {
        case .text: "text"
        case .secondary: "secondary"
        case .tertiary: "tertiary"
        case .line: "line"
        case .onTint: "onTint"
        case .tint(let tint): "\(tint)"
        }
    }
}

extension BackgroundRole: CustomStringConvertible {
    package var description: String {
        switch self {
        case .base: "base"
        case .page: "page"
        case .group: "group"
        case .header: "header"
        case .sidebar: "sidebar"
        case .selected: "selected"
        case .selectedUnfocused: "selectedUnfocused"
        case .marked: "marked"
        case .changed: "changed"
        case .changedFading: "changedFading"
        case .changedFaint: "changedFaint"
        case .flashing: "flashing"
        case .bar: "bar"
        case .badge: "badge"
        case .overlay: "overlay"
        case .tint(let tint): "\(tint)"
        case .wash(let tint): "\(tint) wash"
        }
    }
}
