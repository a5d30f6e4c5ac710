import Diffable

extension SplitViewer {
    struct Areas {
        /// Nil for a viewer without room.
        var lists: [Rectangle?]
        /// The text without its title; nil without room.
        var text: Rectangle?
        /// The title of the text, or the line above it.
        var textTitle: Rectangle?
        /// The vertical lines between the parts.
        var lines: [Rectangle] = []
    }

    /// Whether the parts have one status line below them.
    var isComposed: Bool { viewers.count > 1 || text != nil }

    var areas: Areas {
        var areas = Areas(lists: [Rectangle?](repeating: nil, count: viewers.count))
        let whole = Rectangle(column: 0, row: 0, width: columns, height: isComposed ? max(rows - 1, 1) : rows)
        guard isComposed, !viewers[focused].showsHelp else {
            areas.lists[focused] = whole
            return areas
        }
        var rest = whole
        var text: Rectangle?
        if self.text != nil {
            let width = viewers.count > 1 ? columns * 2 / 5 : columns / 2
            if columns - width >= columnsMin {
                rest.width -= width
                text = Rectangle(column: rest.width + 1, row: 0, width: width - 1, height: whole.height)
                areas.lines.append(Rectangle(column: rest.width, row: 0, width: 1, height: whole.height))
            } else if whole.height >= Self.rowsForTextMin {
                rest.height -= whole.height / 2
                text = Rectangle(column: 0, row: rest.height, width: columns, height: whole.height / 2)
            } else if isTextFocused {
                (rest.height, text) = (0, whole)
            }
        }
        if rest.height > 0 { areas.addLists(arrangement, in: rest, focused, areAll: rest.width >= columnsMin) }
        guard var text else { return areas }
        if rest.width == columns || self.text?.title.isEmpty == false {
            areas.textTitle = Rectangle(column: text.column, row: text.row, width: text.width, height: 1)
            text.row += 1
            text.height -= 1
        }
        // The last column is for the thumb.
        text.column += 1
        text.width -= 2
        areas.text = text
        return areas
    }

    /// The columns that the lists need to be visible together.
    private var columnsMin: Int {
        switch arrangement {
        case .single: Self.listColumnsMin
        case .sideBySide: 2 * Self.listColumnsMin + 1
        case .sidebar: Self.sidebarColumnsMin + 1 + Self.listColumnsMin
        }
    }

    private static let listColumnsMin = 30
    fileprivate static let sidebarColumnsMin = 18
    /// On fewer rows, a text below the lists would leave too little of both.
    private static let rowsForTextMin = 10

    package func draw(into grid: inout Grid) {
        guard isComposed else { return viewers[0].draw(into: &grid) }
        let areas = areas
        var whole = Grid(columns: grid.columns, rows: grid.rows, after: grid)
        for (viewer, area) in areas.lists.enumerated() {
            guard let area, viewer != focused else { continue }
            draw(viewers[viewer].picture, at: area, into: &whole)
        }
        for line in areas.lines {
            for row in line.rows {
                whole.put(String(options.symbols.frame.down), row: row, column: line.column, Style(.line))
            }
        }
        if let area = areas.textTitle { drawTitle(at: area, into: &whole) }
        if let area = areas.text { text?.draw(into: &whole, at: area, options.symbols) }
        let picture = viewers[focused].picture
        let area = areas.lists[focused]
        if let area { draw(picture, at: area, into: &whole) }
        picture.scene.drawStatus(status, into: &whole, picture.decoration, offset: area?.row ?? 0)
        grid = whole
    }

    private func draw(_ picture: Viewer.Picture, at area: Rectangle, into whole: inout Grid) {
        var part = Grid(columns: area.width, rows: area.height + 1, after: whole)
        var decoration = picture.decoration
        decoration.showsStatus = false
        picture.scene.draw(into: &part, decoration: decoration)
        whole.copyRows(0..<area.height, of: part, to: area.row, column: area.column)
        whole.cursor = part.cursor.map {
            Grid.Position(column: area.column + $0.column, row: area.row + min($0.row, area.height - 1))
        }
    }

    private func drawTitle(at area: Rectangle, into grid: inout Grid) {
        let title = text?.title ?? ""
        grid.clear(rows: area.rows, columns: area.columns, Style(.secondary, on: .bar))
        guard !title.isEmpty else { return }
        let text = fitted(harmlessText(title), columns: area.width - 2)
        let width = min(columnCount(of: text) + 2, area.width)
        let style = isTextFocused ? Style(.text, on: .base, [.bold, .underline]) : Style(.secondary, on: .base)
        grid.clear(rows: area.rows, columns: area.column..<area.column + width, Style(on: .base))
        grid.put(text, row: area.row, column: area.column + 1, limit: area.columns.upperBound, style)
    }

    /// That of the focused part, or a message of the other list.
    private var status: StatusLine {
        let viewer = viewers[focused]
        guard viewer.message == nil, viewer.takesRowKeys else { return viewer.status }
        if let other = viewers.first(where: { $0.message != nil }) { return other.status }
        guard isTextFocused, let text else { return viewer.status }
        return StatusLine(
            leading: text.title, trailing: text.position,
            hints: [.init("↑ ↓", "scroll"), .init("Tab", "list"), .init("q", "close")])
    }
}

extension SplitViewer.Areas {
    /// Puts the lists side by side, if there is room for all of them.
    fileprivate mutating func addLists(
        _ arrangement: SplitViewer.Arrangement, in rest: Rectangle, _ focused: Int, areAll: Bool
    ) {
        guard areAll, lists.count > 1 else { return lists[focused] = rest }
        let most = SplitViewer.sidebarColumnsMin * 2
        let width =
            arrangement == .sidebar ? min(max(rest.width / 4, SplitViewer.sidebarColumnsMin), most) : rest.width / 2
        var (left, right) = (rest, rest)
        left.width = width
        right.column += width + 1
        right.width -= width + 1
        lists = [left, right]
        lines.append(Rectangle(column: rest.column + width, row: rest.row, width: 1, height: rest.height))
    }
}
