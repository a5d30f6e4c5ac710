/// The characters of frames and signs. All are one column wide unless a field says otherwise.
package struct Symbols: Sendable {
    /// A box: corners from the top left in reading order, then the horizontal and the vertical line.
    struct Frame: Sendable {
        var topLeft, topRight, bottomLeft, bottomRight, across, down: Character
    }

    package let isASCII: Bool
    let frame: Frame
    let heavyFrame: Frame
    let separator: Character
    let focus, mark, change: Character
    let expanded, collapsed, chevron, back: Character
    let checkmark, delete, insert, reorder, detail, popUpMenu: Character
    let selected, unselected: Character
    /// The marks of sort orders in a header.
    let ascending, descending: Character
    /// The start of the line where a dragged row would be dropped.
    let insertion: Character
    /// Checkboxes have the same width.
    let checked, unchecked, mixed: String
    let urgent: Character
    /// The steps of a column of a bar, from empty. The empty step is the track.
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
        unselected: "○", ascending: "▲", descending: "▼", insertion: "▸", checked: "☑", unchecked: "☐", mixed: "◪",
        urgent: "!",
        bar: ["─", "╸", "━"], missing: "░", thumb: "▐", bullet: "·", ellipsis: "…",
        spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"])

    package static let ascii = Symbols(
        isASCII: true,
        frame: Frame(topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+", across: "-", down: "|"),
        heavyFrame: Frame(topLeft: "#", topRight: "#", bottomLeft: "#", bottomRight: "#", across: "=", down: "#"),
        separator: "-", focus: ">", mark: "*", change: "~", expanded: "v", collapsed: ">", chevron: ">", back: "<",
        checkmark: "*", delete: "-", insert: "+", reorder: "=", detail: "i", popUpMenu: "v", selected: "@",
        unselected: "o", ascending: "^", descending: "v", insertion: ">", checked: "[x]", unchecked: "[ ]",
        mixed: "[-]", urgent: "!", bar: [".", "#"], missing: ".",
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

    func sign(_ sign: TintSign) -> String {
        guard isASCII else { return sign.rawValue }
        return switch sign {
        case .full: "*"
        case .empty: "o"
        case .half: "~"
        case .cross: "x"
        }
    }

    /// The text of an accessory at the end of a row; nil if it is at the front.
    func trailingText(_ accessory: Accessory) -> String? {
        switch accessory.kind {
        case .disclosureIndicator: String(chevron)
        case .checkmark: String(checkmark)
        case .reorder: String(reorder)
        case .detail: String(detail)
        case .label, .custom: accessory.text ?? ""
        case .popUpMenu: (accessory.text.map { "\($0) " } ?? "") + String(popUpMenu)
        case .outlineDisclosure, .multiselect, .delete, .insert: nil
        }
    }

    /// The text of a badge with its sign; nil if it is empty.
    func badgeText(_ badge: Badge) -> String? {
        badge.text.isEmpty ? nil : (badge.sign.map { sign($0) + " " } ?? "") + badge.text
    }

    /// The done part of a bar. The rest of its columns is the track.
    func bar(_ progress: Double, columns: Int) -> String {
        let steps = bar.count - 1
        let done = Int((progress * Double(columns * steps)).rounded())
        return String((0..<(done + steps - 1) / steps).map { column in bar[min(done - column * steps, steps)] })
    }
}
