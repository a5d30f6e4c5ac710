/// A text that is typed in the place of a row.
package struct RowField: Equatable, Sendable {
    package enum Place: Equatable, Sendable {
        /// A new row after this one, at a level of an outline.
        case after(RowID, level: Int)
        /// The text of this row.
        case text(of: RowID)

        package var row: RowID {
            switch self {
            case .after(let row, _), .text(let row): row
            }
        }
    }

    package var place: Place
    package var text: String
    /// The number of characters before the text cursor.
    package var cursor: Int

    package init(_ place: Place, text: String, cursor: Int) {
        self.place = place
        self.text = text
        self.cursor = cursor
    }

    /// The part of the text around the text cursor that fits, and the cursor's column in it.
    func shown(columns: Int) -> (text: Substring, cursor: Int) {
        var hidden = 0
        var column = columnCount(of: String(text.prefix(cursor)))
        while column >= columns, hidden < cursor {
            hidden += 1
            column = columnCount(of: String(text.prefix(cursor).dropFirst(hidden)))
        }
        return (text.dropFirst(hidden), column)
    }
}

extension Composer {
    /// Adds the line of a new row below the element that it follows.
    func addField(_ block: inout Block, _ element: Element) {
        guard case .after(let row, let level)? = viewport.field?.place, self.element(row) == element else { return }
        let plan: SectionPlan? =
            switch element {
            case .items(let path): self.plan(path[0])
            case .top(let section), .more(let section), .bottom(let section): self.plan(section)
            case .title, .placeholder, .empty: nil
            }
        let geometry = plan?.geometry ?? firstGeometry
        if element == .empty { block = Block(height: 0, page: geometry.page) }
        var line = Block(height: 1, page: geometry.page)
        if let plan { addGround(&line, plan) }
        line.fill(lines: 0..<1, columns: geometry.row, Style(.text, on: .selected))
        line.add(symbols.focus, line: 0, column: geometry.row.lowerBound, Style(.tint(.accent), on: .selected))
        let indent = geometry.indent(level) + min(plan.map { leadingWidth($0.traits) } ?? 0, geometry.content.count / 2)
        block.field = Rectangle(
            column: geometry.content.lowerBound + indent, row: block.height, width: geometry.content.count - indent,
            height: 1)
        block.append(line)
    }
}

extension Scene {
    /// The place of the text that is typed, on the screen; nil if its row is invisible.
    var fieldPlace: Rectangle? {
        guard let field = composer.viewport.field else { return nil }
        if case .text(let row) = field.place { return frame(of: row)?.text }
        return stack.pieces.lazy.compactMap { piece in
            piece.block.field?.moved(by: piece.line + regions.rows.lowerBound)
        }.first { regions.rows.contains($0.row) }
    }

    func drawField(_ canvas: inout Canvas) {
        guard let field = composer.viewport.field, let place = fieldPlace else { return }
        let style = Style(.text, on: .selected)
        canvas.grid.clear(rows: place.rows.clamped(to: regions.rows), columns: place.columns, style)
        canvas.put(
            harmlessText(String(field.shown(columns: place.width).text)), row: place.row, column: place.column,
            limit: place.columns.upperBound, style)
    }

    var fieldCursor: Grid.Position? {
        guard let field = composer.viewport.field, let place = fieldPlace else { return nil }
        return Grid.Position(column: place.column + field.shown(columns: place.width).cursor, row: place.row)
    }
}
