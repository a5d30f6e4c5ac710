/// A row's actions, laid open at one of its ends.
struct SwipeBlock {
    private var block: Block
    /// Of the actions, in their order, on the screen.
    private(set) var choices: [Rectangle] = []
    /// Of the row that they belong to.
    private let area: Rectangle
    /// How far the row goes aside; what is laid open at its end lies over it.
    private let shift: Int

    init?(_ swipe: Swipe, frame: Frame, ground: Ground, symbols: Symbols) {
        guard let look = frame.look else { return nil }
        let actions = swipe.edge == .leading ? look.leadingActions : look.trailingActions
        guard !actions.isEmpty else { return nil }
        area = frame.rectangle
        block = Block(height: area.height, page: ground)
        var titles: [String] = []
        var room = area.width - 4
        for (index, action) in actions.enumerated() {
            let icon = action.icon?.cluster(symbols).map { cluster in
                var text = ""
                cluster.append(to: &text)
                return text + " "
            }
            let sign = index == swipe.selected ? String(symbols.focus) : " "
            let title = sign + fitted((icon ?? "") + action.title, columns: max(min(room - 2, 24), 1)) + " "
            titles.append(title)
            room -= columnCount(of: title)
            if room < 3 { break }
        }
        let width = titles.reduce(0) { $0 + columnCount(of: $1) }
        shift = swipe.edge == .leading && frame.shape == .row ? width : 0
        var column = swipe.edge == .leading ? area.column : area.columns.upperBound - width
        for (index, title) in titles.enumerated() {
            let action = actions[index]
            let titleWidth = columnCount(of: title)
            var attributes: Style.Attributes = index == swipe.selected ? [.bold, .underline] : []
            if !action.isEnabled { attributes.insert(.dim) }
            let style = Style(.onTint, on: .tint(Self.tint(action)), attributes)
            block.fill(lines: 0..<area.height, columns: column..<column + titleWidth, style)
            block.add(title, line: (area.height - 1) / 2, columns: column..<column + titleWidth, style)
            choices.append(Rectangle(column: column, row: area.row, width: titleWidth, height: area.height))
            column += titleWidth
        }
    }

    private static func tint(_ action: Action) -> Tint {
        switch action.style {
        case .destructive: .red
        case .primary: .accent
        case .default: .gray
        }
    }

    func draw(into canvas: inout Canvas) {
        canvas.grid.shift(rows: area.rows.clamped(to: canvas.rows), columns: area.columns, by: shift)
        canvas.drawRuns(block, line: area.row)
    }
}

extension Scene {
    func swipeBlock(_ frame: Frame) -> SwipeBlock? {
        guard let swipe = composer.viewport.swipe, swipe.id == frame.id else { return nil }
        return SwipeBlock(swipe, frame: frame, ground: .base, symbols: composer.symbols)
    }
}
