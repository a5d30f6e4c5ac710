import Diffable

extension Scene {
    package func draw(into grid: inout Grid, decoration: Decoration = Decoration()) {
        var canvas = Canvas(grid: grid, symbols: composer.symbols, rows: regions.rows)
        drawRows(&canvas, decoration)
        drawField(&canvas)
        drawInsertion(&canvas, decoration)
        if decoration.isDimmed {
            canvas.grid.restyle(rows: regions.rows, columns: 0..<grid.columns) { $0.attributes.insert(.dim) }
        }
        canvas.rows = 0..<grid.rows
        drawSurroundings(&canvas, decoration)
        overlay?.draw(into: &canvas)
        grid = canvas.grid
        grid.cursor = cursor(decoration).map { place in
            Grid.Position(
                column: min(max(place.column, 0), grid.columns - 1), row: min(max(place.row, 0), grid.rows - 1))
        }
    }

    private func drawRows(_ canvas: inout Canvas, _ decoration: Decoration) {
        let top = regions.rows.lowerBound
        var end = top
        for piece in stack.pieces {
            canvas.draw(piece.block, line: piece.line + top)
            end = max(end, piece.end + top)
        }
        let page = stack.pieces.last?.block.page ?? .base
        canvas.grid.clear(
            rows: end..<max(end, regions.rows.upperBound), columns: 0..<canvas.grid.columns, Style(on: page))
        for frame in frames { decorate(frame, &canvas, decoration) }
        if !decoration.sought.isEmpty { highlight(&canvas, decoration) }
        if let pinned {
            canvas.draw(pinned.block, line: pinned.line + top)
            let pinnedIDs = Set(pinned.block.frames.map(\.id))
            for frame in frames where pinnedIDs.contains(frame.id) { decorate(frame, &canvas, decoration) }
        }
        drawThumb(&canvas)
    }

    private func drawThumb(_ canvas: inout Canvas) {
        guard !(showsTop && showsEnd), let visible = visibleRows else { return }
        let height = regions.rows.count
        let count = max(composer.document.rowCount, visible.count)
        let length = max(min(height * visible.count / count, height - 1), 1)
        let hidden = max(count - visible.count, 1)
        let place = showsEnd ? height - length : showsTop ? 0 : (height - length) * visible.lowerBound / hidden
        let column = canvas.grid.columns - 1
        for line in place..<place + length {
            let row = regions.rows.lowerBound + line
            canvas.put(composer.symbols.thumb, row: row, column: column, style: .tertiary)
        }
    }

    // MARK: - Decoration

    private func decorate(_ frame: Frame, _ canvas: inout Canvas, _ decoration: Decoration) {
        var ground: BackgroundRole?
        var sign: (Character, ForegroundRole)?
        if let id = frame.id.item {
            if decoration.changed[id] != nil { sign = (composer.symbols.change, .tint(.yellow)) }
            if decoration.marked.contains(id) {
                ground = .marked
                sign = (composer.symbols.mark, .tint(.accent))
            }
        }
        // An empty list has no selection, but the terminal's cursor is still there.
        let isFocused = decoration.focused == frame.id && frame.id != .empty
        if isFocused { ground = decoration.hasKeyboard ? .selected : .selectedUnfocused }
        if decoration.flashing == frame.id { ground = .flashing }
        if let ground {
            canvas.restyle(frame.rectangle) { style in
                switch style.ground {
                case .badge, .tint, .wash: break
                default: style.ground = ground
                }
            }
        }
        if let change = frame.id.item.flatMap({ decoration.changed[$0] }), !decoration.reducesMotion,
            decoration.flashing != frame.id
        {
            for place in change.places {
                let place = place.moved(by: frame.rectangle.row, columns: frame.rectangle.column)
                canvas.restyle(place.clipped(to: frame.rectangle)) { $0.ground = change.step.ground }
            }
        }
        switch frame.shape {
        case .row: drawGutter(frame, &canvas, isFocused: isFocused, sign)
        case .card: drawEdge(frame, &canvas, isFocused: isFocused, sign)
        }
        if let id = frame.id.item, decoration.marked.contains(id) { drawSelectedAccessory(frame, &canvas) }
        if decoration.dragged == frame.id { canvas.restyle(frame.rectangle) { $0.attributes.insert(.dim) } }
        if decoration.spinning.contains(frame.id) { drawSpinner(frame, &canvas, step: decoration.spinnerStep) }
        swipeBlock(frame)?.draw(into: &canvas)
    }

    private func drawGutter(
        _ frame: Frame, _ canvas: inout Canvas, isFocused: Bool, _ sign: (Character, ForegroundRole)?
    ) {
        let column = frame.rectangle.column
        if isFocused {
            for row in frame.rectangle.rows {
                canvas.put(composer.symbols.focus, row: row, column: column, style: .tint(.accent))
            }
        }
        if let sign { canvas.put(sign.0, row: frame.rectangle.row, column: column + 1, style: sign.1) }
    }

    private func drawEdge(_ frame: Frame, _ canvas: inout Canvas, isFocused: Bool, _ sign: (Character, ForegroundRole)?)
    {
        let rectangle = frame.rectangle
        if isFocused {
            var block = Block(height: rectangle.height, page: .base)
            var edge = rectangle
            edge.row = 0
            block.addFrame(composer.symbols.heavyFrame, edge, Style(.tint(.accent)))
            for run in block.runs {
                canvas.overwrite(
                    run.text, row: rectangle.row + run.line, column: run.column, limit: rectangle.columns.upperBound,
                    .tint(.accent))
            }
        }
        if let sign { canvas.put(sign.0, row: rectangle.row, column: rectangle.column + 2, style: sign.1) }
    }

    /// Underlines the row above the place. Between cards, draws a line.
    private func drawInsertion(_ canvas: inout Canvas, _ decoration: Decoration) {
        guard let insertion = decoration.insertion, let frame = frame(of: insertion.row) else { return }
        let rectangle = frame.rectangle
        if frame.shape == .card {
            let column = insertion.side == .before ? rectangle.column - 1 : rectangle.columns.upperBound
            for row in rectangle.rows {
                canvas.put(composer.symbols.heavyFrame.down, row: row, column: column, style: .tint(.accent))
            }
            return
        }
        let last =
            insertion.side == .before
            ? rectangle.row - 1 : lastLine(under: insertion.row) ?? rectangle.rows.upperBound - 1
        guard regions.rows.contains(last) else {
            return canvas.put(
                composer.symbols.insertion, row: rectangle.row, column: rectangle.column, style: .tint(.accent))
        }
        let place = Rectangle(column: rectangle.column, row: last, width: rectangle.width, height: 1)
        canvas.restyle(place) { style in
            style.ink = .tint(.accent)
            style.attributes.insert(.underline)
        }
        canvas.put(composer.symbols.insertion, row: last, column: rectangle.column, style: .tint(.accent))
    }

    /// The last line of an item's last visible descendant.
    private func lastLine(under row: RowID) -> Int? {
        row.item.flatMap { frame(of: .item(composer.lastOpen(under: $0))) }.map { $0.rectangle.rows.upperBound - 1 }
    }

    private func drawSelectedAccessory(_ frame: Frame, _ canvas: inout Canvas) {
        for part in frame.parts {
            guard case .accessory(let index) = part.part, frame.look?.accessories?[index].kind == .multiselect else {
                continue
            }
            canvas.put(
                composer.symbols.selected, row: part.rectangle.row, column: part.rectangle.column, style: .tint(.accent)
            )
        }
    }

    /// Draws it in place of the part that is being loaded, or in the gutter.
    private func drawSpinner(_ frame: Frame, _ canvas: inout Canvas, step: Int) {
        let spinner = composer.symbols.spinner
        let glyph = spinner[Int(UInt(bitPattern: step) % UInt(spinner.count))]
        let place = frame.parts.first { $0.part == .disclosure } ?? frame.parts.first { $0.part == .icon }
        let gutter = Rectangle(column: frame.rectangle.column + 1, row: frame.rectangle.row, width: 1, height: 1)
        let rectangle = place?.rectangle ?? gutter
        canvas.put(glyph, row: rectangle.row, column: rectangle.column, style: .tint(.accent))
    }

    /// The text cursor, otherwise the selected choice, otherwise the focused row.
    private func cursor(_ decoration: Decoration) -> Grid.Position? {
        if decoration.showsStatus, let status = composer.viewport.status, let row = regions.status,
            let place = cursor(in: status, row: row)
        {
            return place
        }
        if let place = fieldCursor { return place }
        guard decoration.showsCursor else { return nil }
        if let overlay { return overlay.cursor }
        guard let frame = decoration.focused.flatMap(frame(of:)) else { return nil }
        let row = frame.rectangle.row + (frame.shape == .card ? 1 : 0)
        return Grid.Position(
            column: frame.rectangle.column + min(2, frame.rectangle.width - 1),
            row: min(max(row, regions.rows.lowerBound), regions.rows.upperBound - 1))
    }
}

struct Canvas {
    var grid: Grid
    let symbols: Symbols
    var rows: Range<Int>

    mutating func draw(_ block: Block, line: Int) {
        let visible = (line..<line + block.height).clamped(to: rows)
        guard !visible.isEmpty else { return }
        grid.clear(rows: visible, columns: 0..<grid.columns, Style(on: block.page))
        drawRuns(block, line: line)
    }

    /// Draws the block without the page under it.
    mutating func drawRuns(_ block: Block, line: Int) {
        for fill in block.fills {
            let rectangle = fill.rectangle.moved(by: line)
            grid.clear(rows: rectangle.rows.clamped(to: rows), columns: rectangle.columns, fill.style)
        }
        for run in block.runs where rows.contains(run.line + line) {
            put(run.text, row: run.line + line, column: run.column, limit: run.limit, run.style)
        }
    }

    mutating func put(_ text: String, row: Int, column: Int, limit: Int, _ style: Style) {
        var column = column
        let limit = min(limit, grid.columns)
        for cluster in Clusters(text) {
            guard column + cluster.width <= limit else { break }
            put(cluster, row: row, column: column, style)
            column += cluster.width
        }
    }

    private mutating func put(_ cluster: Cluster, row: Int, column: Int, _ style: Style) {
        guard symbols.isASCII, cluster.asciiForm == nil else {
            grid.put(cluster, row: row, column: column, style)
            return
        }
        // A terminal without UTF-8 gets a replacement with the same number of columns.
        let stand = cluster == .ellipsis ? Cluster(symbols.ellipsis)! : Cluster(.scalar("?"), width: 1)
        for offset in 0..<cluster.width { grid.put(stand, row: row, column: column + offset, style) }
    }

    mutating func put(_ character: Character, row: Int, column: Int, style ink: ForegroundRole) {
        overwrite(String(character), row: row, column: column, limit: column + 1, ink)
    }

    mutating func overwrite(_ text: String, row: Int, column: Int, limit: Int, _ ink: ForegroundRole) {
        guard rows.contains(row) else { return }
        var column = column
        for cluster in Clusters(text) {
            guard column >= 0, column + cluster.width <= min(limit, grid.columns) else { break }
            put(cluster, row: row, column: column, Style(ink, on: grid[row, column].style.ground))
            column += cluster.width
        }
    }

    mutating func restyle(_ rectangle: Rectangle, _ change: (inout Style) -> Void) {
        grid.restyle(rows: rectangle.rows.clamped(to: rows), columns: rectangle.columns, change)
    }
}
