/// The characters that frames and signs are made of. All are one column wide where a field says nothing else.
package struct Symbols: Sendable {
    /// Of a box: corners from the left top on as one reads, then across and down.
    struct Frame: Sendable {
        var topLeft, topRight, bottomLeft, bottomRight, across, down: Character
    }

    package let isASCII: Bool
    let frame: Frame
    /// Of what has the focus.
    let heavyFrame: Frame
    let separator: Character
    let focus, mark, change: Character
    let expanded, collapsed, chevron, back: Character
    let checkmark, delete, insert, reorder, detail, popUpMenu: Character
    let selected, unselected: Character
    /// Checkboxes are as wide as each other.
    let checked, unchecked, mixed: String
    let urgent: Character
    /// The steps of a column of a bar, from none on. None is as high as a line, or bars below each other would be one.
    let bar: [Character]
    let missing: Character
    let thumb: Character
    let bullet: Character
    let ellipsis: Character
    package let spinner: [Character]

    package static let unicode = Symbols(
        isASCII: false,
        frame: Frame(
            topLeft: "╭", topRight: "╮", bottomLeft: "╰", bottomRight: "╯", across: "─", down: "│"),
        heavyFrame: Frame(
            topLeft: "┏", topRight: "┓", bottomLeft: "┗", bottomRight: "┛", across: "━", down: "┃"),
        separator: "─", focus: "▌", mark: "◆", change: "•", expanded: "▾", collapsed: "▸", chevron: "›", back: "‹",
        checkmark: "✓", delete: "⊖", insert: "⊕", reorder: "≡", detail: "ⓘ", popUpMenu: "⌄", selected: "◉",
        unselected: "○", checked: "☑", unchecked: "☐", mixed: "◪", urgent: "!",
        bar: ["─", "╾", "━"], missing: "░", thumb: "▐", bullet: "·", ellipsis: "…",
        spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"])

    package static let ascii = Symbols(
        isASCII: true,
        frame: Frame(topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+", across: "-", down: "|"),
        heavyFrame: Frame(topLeft: "#", topRight: "#", bottomLeft: "#", bottomRight: "#", across: "=", down: "#"),
        separator: "-", focus: ">", mark: "*", change: "~", expanded: "v", collapsed: ">", chevron: ">", back: "<",
        checkmark: "*", delete: "-", insert: "+", reorder: "=", detail: "i", popUpMenu: "v", selected: "@",
        unselected: "o", checked: "[x]", unchecked: "[ ]", mixed: "[-]", urgent: "!", bar: [".", "#"], missing: ".",
        thumb: "|", bullet: "-", ellipsis: "~", spinner: ["|", "/", "-", "\\"])
}

extension Symbols {
    func sign(_ checkbox: Checkbox) -> String {
        switch checkbox {
        case .checked: checked
        case .unchecked: unchecked
        case .mixed: mixed
        }
    }

    /// So many columns of a bar.
    func bar(_ progress: Double, columns: Int) -> String {
        let steps = bar.count - 1
        let done = Int((progress * Double(columns * steps)).rounded())
        return String(
            (0..<max(columns, 0)).map { column in bar[min(max(done - column * steps, 0), steps)] })
    }
}
