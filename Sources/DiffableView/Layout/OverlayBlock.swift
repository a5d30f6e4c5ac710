struct OverlayBlock: Sendable {
    private var block: Block
    private(set) var rectangle: Rectangle
    /// The lines of a menu or the answers of a question, in their order; empty if invisible.
    private(set) var choices: [Rectangle] = []
    private(set) var cursor: Grid.Position?
    private let symbols: Symbols

    private static let style = Style(.text, on: .overlay)

    init(_ overlay: Overlay, composer: Composer, rows: Range<Int>, frames: [Frame]) {
        symbols = composer.symbols
        block = Block(height: 0, page: .overlay)
        rectangle = Rectangle(column: 0, row: rows.lowerBound, width: 0, height: 0)
        let screen = Rectangle(column: 0, row: rows.lowerBound, width: composer.columns, height: rows.count)
        switch overlay {
        case .menu(let title, let actions, let selected, let id):
            layOutMenu(title, actions, selected, beside: frames.first { $0.id == id }, screen)
        case .question(let text, let answers, let selected): layOutQuestion(text, answers, selected, screen)
        case .help(let sections, let line): layOutHelp(sections, from: line, screen)
        }
    }

    func draw(into canvas: inout Canvas) {
        canvas.grid.clear(rows: rectangle.rows, columns: rectangle.columns, Self.style)
        canvas.drawRuns(block, line: rectangle.row)
    }

    // MARK: - Menu

    private mutating func layOutMenu(
        _ title: String?, _ actions: [Action], _ selected: Int, beside frame: Frame?, _ screen: Rectangle
    ) {
        let titles = actions.map { action in (icon(action), harmlessText(action.title)) }
        let widest = titles.map { columnCount(of: $0.1, limit: 60) }.max() ?? 0
        let hasIcons = titles.contains { $0.0 != nil }
        let titleWidth = title.map { min(columnCount(of: harmlessText($0), limit: 60), 60) } ?? 0
        let inner = max(widest + (hasIcons ? 3 : 0) + 6, titleWidth + 2)
        let width = min(inner + 2, screen.width)
        let lines = min(actions.count, max(screen.height - 2, 1))
        let height = min(lines + 2, screen.height)
        place(width: width, height: height, beside: frame, screen)
        addBox(title)
        // The part of a long menu around the selected line is visible.
        let first = max(min(selected - lines / 2, actions.count - lines), 0)
        choices = actions.map { _ in Rectangle(column: 0, row: 0, width: 0, height: 0) }
        for index in first..<first + lines where 1 + index - first < height - 1 || height < 3 {
            addChoice(
                index, actions[index], titles[index], hasIcons: hasIcons, isSelected: index == selected,
                line: min(1 + index - first, max(height - 2, 0)))
        }
    }

    private mutating func addChoice(
        _ index: Int, _ action: Action, _ title: (icon: String?, text: String), hasIcons: Bool, isSelected: Bool,
        line: Int
    ) {
        let columns = rectangle.columns.lowerBound + 1..<max(rectangle.columns.upperBound - 1, rectangle.column + 1)
        let ground: BackgroundRole = isSelected ? .selected : .overlay
        var ink: ForegroundRole = action.style == .destructive ? .tint(.red) : .text
        if !action.isEnabled { ink = .secondary }
        var attributes: Style.Attributes = action.style == .primary ? .bold : []
        if !action.isEnabled { attributes.insert(.dim) }
        let style = Style(ink, on: ground, attributes)
        block.fill(lines: line..<line + 1, columns: columns, style)
        if isSelected {
            block.add(symbols.focus, line: line, column: columns.lowerBound, Style(.tint(.accent), on: ground))
            cursor = Grid.Position(column: columns.lowerBound, row: rectangle.row + line)
        }
        var start = columns.lowerBound + 2
        if hasIcons {
            if let icon = title.icon { block.add(icon, line: line, columns: start..<start + 2, style) }
            start += 3
        }
        let end = columns.upperBound - (action.key == nil ? 1 : 3)
        if start < end {
            block.add(fitted(title.text, columns: end - start), line: line, columns: start..<end, style)
        }
        if let key = action.key, columns.count > 4 {
            block.add(key, line: line, column: columns.upperBound - 2, Style(.secondary, on: ground))
        }
        choices[index] = Rectangle(
            column: columns.lowerBound, row: rectangle.row + line, width: columns.count, height: 1)
    }

    private func icon(_ action: Action) -> String? {
        action.icon?.cluster(symbols).map { cluster in
            var text = ""
            cluster.append(to: &text)
            return text
        }
    }

    /// Below the row if there is room, otherwise above it, otherwise anywhere.
    private mutating func place(width: Int, height: Int, beside frame: Frame?, _ screen: Rectangle) {
        var row = screen.row + max((screen.height - height) / 2, 0)
        var column = max((screen.width - width) / 2, 0)
        if let row0 = frame?.rectangle {
            row = row0.rows.upperBound
            if row + height > screen.rows.upperBound { row = row0.row - height }
            if row < screen.row { row = max(screen.rows.upperBound - height, screen.row) }
            column = min(row0.column + 4, screen.width - width)
        }
        rectangle = Rectangle(column: max(column, 0), row: row, width: width, height: height)
    }

    private mutating func addBox(_ title: String?) {
        block.height = rectangle.height
        var box = rectangle
        box.row = 0
        block.addFrame(symbols.frame, box, Style(.line, on: .overlay))
        if let title, rectangle.width > 6 {
            let text = " \(fitted(harmlessText(title), columns: rectangle.width - 6)) "
            block.add(
                text, line: 0, columns: box.column + 2..<box.columns.upperBound - 1, Style(.text, on: .overlay, .bold))
        }
    }

    // MARK: - Question

    private mutating func layOutQuestion(
        _ text: String, _ answers: [Overlay.Answer], _ selected: Int, _ screen: Rectangle
    ) {
        let text = harmlessText(text)
        let titles = answers.map { "  \(fitted(harmlessText($0.title), columns: 24))  " }
        let answersWidth = titles.reduce(0) { $0 + columnCount(of: $1) + 1 }
        let width = min(max(min(columnCount(of: text, limit: 56), 56), answersWidth) + 6, screen.width)
        let lines = wrapped(text, columns: max(width - 6, 1), lines: max(screen.height - 4, 1))
        place(width: width, height: min(lines.count + 4, screen.height), beside: nil, screen)
        addBox(nil)
        for (index, line) in lines.enumerated() where index + 1 < max(rectangle.height - 1, 2) {
            block.add(
                line, line: min(index + 1, rectangle.height - 1),
                columns: rectangle.column + 3..<max(rectangle.columns.upperBound - 2, rectangle.column + 3), Self.style)
        }
        var end = rectangle.columns.upperBound - 2
        let line = max(rectangle.height - 2, 0)
        choices = answers.map { _ in Rectangle(column: 0, row: 0, width: 0, height: 0) }
        // From the right: the first answer is the leftmost.
        for index in answers.indices.reversed() {
            let titleWidth = columnCount(of: titles[index])
            let start = max(end - titleWidth, rectangle.column + 1)
            guard start < end else { break }
            addAnswer(answers[index], titles[index], isSelected: index == selected, line: line, start..<end)
            choices[index] = Rectangle(column: start, row: rectangle.row + line, width: end - start, height: 1)
            end = start - 1
        }
    }

    private mutating func addAnswer(
        _ answer: Overlay.Answer, _ title: String, isSelected: Bool, line: Int, _ columns: Range<Int>
    ) {
        var style = Style(answer.isDestructive ? .tint(.red) : .text, on: .badge)
        if isSelected { style = Style(.onTint, on: .tint(answer.isDestructive ? .red : .accent), .bold) }
        block.fill(lines: line..<line + 1, columns: columns, style)
        block.add(title, line: line, columns: columns, style)
        if isSelected {
            block.add(symbols.focus, line: line, column: columns.lowerBound, style)
            cursor = Grid.Position(column: columns.lowerBound, row: rectangle.row + line)
        }
    }

    // MARK: - Help

    private mutating func layOutHelp(_ sections: [Overlay.HelpSection], from first: Int, _ screen: Rectangle) {
        rectangle = Rectangle(
            column: screen.width > 84 ? (screen.width - 80) / 2 : 0, row: screen.row, width: min(screen.width, 80),
            height: screen.height)
        addBox("Keys")
        var lines: [(keys: String, text: String, isTitle: Bool)] = []
        for section in sections {
            if !lines.isEmpty { lines.append(("", "", false)) }
            lines.append((section.title, "", true))
            lines += section.lines.map { ($0.keys, $0.text, false) }
        }
        let keysWidth = min(
            lines.map { $0.isTitle ? 0 : columnCount(of: $0.keys, limit: 24) }.max() ?? 0, max(rectangle.width / 3, 1))
        let room = max(rectangle.height - 2, 0)
        let start = max(min(first, lines.count - room), 0)
        let columns = rectangle.column + 3..<max(rectangle.columns.upperBound - 2, rectangle.column + 3)
        for (index, line) in lines.dropFirst(start).prefix(room).enumerated() {
            let keys = fitted(harmlessText(line.keys), columns: line.isTitle ? columns.count : keysWidth)
            block.add(
                keys, line: index + 1, columns: columns,
                line.isTitle ? Self.style.adding(.bold) : Style(.tint(.accent), on: .overlay))
            let textStart = min(columns.lowerBound + keysWidth + 2, columns.upperBound)
            let text = fitted(harmlessText(line.text), columns: columns.upperBound - textStart)
            block.add(text, line: index + 1, columns: textStart..<columns.upperBound, Self.style)
        }
        cursor = Grid.Position(column: columns.lowerBound, row: min(rectangle.row + 1, rectangle.rows.upperBound - 1))
    }
}
