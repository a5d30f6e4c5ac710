/// A row's actions, revealed at one of its ends. If not all of them fit, it shows the ones around the selected action, and
/// marks at the ends where there are more.
struct SwipeBlock {
    private var block: Block
    private(set) var choices: [Int: Rectangle] = [:]
    private let area: Rectangle
    /// The columns by which the row moves aside; actions at its end cover it.
    private let shift: Int

    init?(_ swipe: Swipe, frame: Frame, ground: BackgroundRole, symbols: Symbols) {
        guard let look = frame.look else { return nil }
        let actions = swipe.edge == .leading ? look.leadingActions : look.trailingActions
        guard !actions.isEmpty, frame.rectangle.width >= Self.widthMin else { return nil }
        area = frame.rectangle
        block = Block(height: area.height, page: ground)
        let titles = actions.enumerated().map { index, action in
            let icon = action.icon?.cluster(symbols).map { cluster in
                var text = ""
                cluster.append(to: &text)
                return text + " "
            }
            let sign = index == swipe.selected ? String(symbols.focus) : " "
            return sign + fitted((icon ?? "") + action.title, columns: min(frame.rectangle.width - 6, 24)) + " "
        }
        let shown = Self.shown(titles.map { columnCount(of: $0) }, selected: swipe.selected, room: area.width - 2)
        guard !shown.isEmpty else { return nil }
        let hasMoreBefore = shown.lowerBound > 0
        let hasMoreBehind = shown.upperBound < actions.count
        let width =
            titles[shown].reduce(0) { $0 + columnCount(of: $1) } + (hasMoreBefore ? 1 : 0) + (hasMoreBehind ? 1 : 0)
        shift = swipe.edge == .leading && frame.shape == .row ? width : 0
        var column = swipe.edge == .leading ? area.column : area.columns.upperBound - width
        let line = (area.height - 1) / 2
        func addMark(_ mark: Character) {
            let style = Style(.tint(.accent), on: .overlay, .bold)
            block.fill(lines: 0..<area.height, columns: column..<column + 1, style)
            block.add(mark, line: line, column: column, style)
            column += 1
        }
        if hasMoreBefore { addMark(symbols.back) }
        for index in shown {
            let action = actions[index]
            let titleWidth = columnCount(of: titles[index])
            var attributes: Style.Attributes = index == swipe.selected ? [.bold, .underline] : []
            if !action.isEnabled { attributes.insert(.dim) }
            let style = Style(.onTint, on: .tint(Self.tint(action)), attributes)
            block.fill(lines: 0..<area.height, columns: column..<column + titleWidth, style)
            block.add(titles[index], line: line, columns: column..<column + titleWidth, style)
            choices[index] = Rectangle(column: column, row: area.row, width: titleWidth, height: area.height)
            column += titleWidth
        }
        if hasMoreBehind { addMark(symbols.chevron) }
    }

    /// On a narrower row no title could be read.
    private static let widthMin = 12

    /// Chooses the visible actions: the selected one, then the ones before and after it while there is room. `room` excludes
    /// the two marks.
    private static func shown(_ widths: [Int], selected: Int, room: Int) -> Range<Int> {
        guard widths.indices.contains(selected), widths[selected] <= room else { return 0..<0 }
        var shown = selected..<selected + 1
        var free = room - widths[selected]
        while shown.lowerBound > 0, widths[shown.lowerBound - 1] <= free {
            free -= widths[shown.lowerBound - 1]
            shown = shown.lowerBound - 1..<shown.upperBound
        }
        while shown.upperBound < widths.count, widths[shown.upperBound] <= free {
            free -= widths[shown.upperBound]
            shown = shown.lowerBound..<shown.upperBound + 1
        }
        return shown
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
    /// A revealed action; nil if it is invisible.
    func shownSwipeAction(_ index: Int) -> Action? {
        guard let swipe = composer.viewport.swipe, let frame = frame(of: swipe.id), let look = frame.look,
            swipeBlock(frame)?.choices[index] != nil
        else { return nil }
        return (swipe.edge == .leading ? look.leadingActions : look.trailingActions)[index]
    }

    func swipeBlock(_ frame: Frame) -> SwipeBlock? {
        guard let swipe = composer.viewport.swipe, swipe.id == frame.id else { return nil }
        return SwipeBlock(swipe, frame: frame, ground: .base, symbols: composer.symbols)
    }
}
