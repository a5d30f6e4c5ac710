import Diffable

// A table: cells below their titles. The leading and trailing parts of a row are as in a list.

extension Composer {
    func tableRowBlock(_ path: [Int], _ plan: SectionPlan) -> Block {
        guard let row = rowWriter(path, plan) else { return Block(height: 0, page: plan.geometry.page) }
        var writer = row.writer
        addLeadingAndTrailingParts(&writer, row.id, plan)
        let table = tableColumns(plan)
        for column in table.columns {
            let isFirst = column.index == 0
            let start = isFirst ? writer.free.lowerBound : max(column.columns.lowerBound, writer.free.lowerBound)
            let end = min(column.columns.upperBound, writer.free.upperBound)
            guard start < end else { continue }
            let cell = TableColumns.cell(column.source, row.item, viewport)
            writer.frame.changesAt = earlier(writer.frame.changesAt, cell.changesAt)
            let wanted = columnCount(of: cell.text, limit: TableColumns.widthMax)
            if viewport.widensTables, wanted > end - start {
                document.cache.widen(plan.id, column.index, to: start - column.columns.lowerBound + wanted)
            }
            var style = isFirst ? writer.textStyle : writer.style(.text, row.item.look.isUrgent ? .bold : [])
            if isFirst { writer.noteText(start..<end) }
            if let tint = cell.tint { style = writer.style(.tint(tint)) }
            addCell(&writer.block, cell.text, line: writer.line, start..<end, column.alignment, style)
        }
        return finished(writer, plan)
    }

    func addTitles(_ block: inout Block, _ plan: SectionPlan) {
        guard plan.kind == .table else { return }
        let geometry = plan.geometry
        let table = tableColumns(plan)
        let columns = table.columns
        guard columns.contains(where: { !$0.source.title.isEmpty }) else { return }
        let line = block.height
        var titles = Block(height: 2, page: geometry.page)
        for column in columns {
            addTitle(&titles, column, Style(.secondary, on: geometry.ground, .bold))
        }
        addMoreSigns(&titles, table, geometry)
        titles.addRule(symbols.separator, line: 1, columns: geometry.content, Style(.line, on: geometry.ground))
        addGround(&titles, plan)
        block.append(titles)
        let parts = columns.map { column in
            (
                part: Frame.ClickablePart.title(column.index),
                rectangle: Rectangle(
                    column: column.columns.lowerBound, row: line, width: column.columns.count, height: 1)
            )
        }
        if let header = block.frames.firstIndex(where: { $0.id == .header(plan.id) }) {
            block.frames[header].rectangle.height = block.height - block.frames[header].rectangle.row
            block.frames[header].parts += parts
        } else {
            var frame = Frame(
                .header(plan.id),
                Rectangle(column: geometry.row.lowerBound, row: line, width: geometry.row.count, height: titles.height))
            frame.isFocusable = false
            frame.parts = parts
            block.frames.append(frame)
        }
    }

    /// Adds a title, with a sign if the rows are sorted by the column. The sign may take a column of the gap.
    private func addTitle(_ block: inout Block, _ column: TableColumns.Column, _ style: Style) {
        var title = column.source.title
        var columns = column.columns
        if let sorting = viewport.sorting, sorting.path == sortPath(column.source) {
            let sign = String(sorting.isDescending ? symbols.descending : symbols.ascending)
            if columnCount(of: title) + 2 <= columns.count {
                title += " " + sign
            } else {
                title = fitted(title, columns: columns.count) + sign
                columns = columns.lowerBound..<columns.upperBound + 1
            }
        }
        addCell(&block, title, line: 0, columns, column.alignment, style)
    }

    func sortPath(_ column: TableColumn) -> String {
        column.path.isEmpty ? document.looks.textPath(ofKind: nil) ?? "/text" : column.path
    }

    private func addMoreSigns(_ titles: inout Block, _ table: TableColumns, _ geometry: SectionGeometry) {
        let style = Style(.tint(.accent), on: geometry.ground, .bold)
        if table.passed > 0, table.columns.count > 1 {
            titles.add(symbols.back, line: 0, column: table.columns[1].columns.lowerBound - 1, style)
        }
        if table.isCut, geometry.content.upperBound < geometry.row.upperBound {
            titles.add(symbols.chevron, line: 0, column: geometry.content.upperBound, style)
        }
    }

    private func addCell(
        _ block: inout Block, _ text: String, line: Int, _ columns: Range<Int>, _ alignment: TableColumn.Alignment,
        _ style: Style
    ) {
        let text = fitted(text, columns: columns.count)
        let free = max(columns.count - columnCount(of: text), 0)
        let start =
            switch alignment {
            case .left: columns.lowerBound
            case .center: columns.lowerBound + free / 2
            case .right: columns.lowerBound + free
            }
        block.add(text, line: line, columns: start..<columns.upperBound, style)
    }
}
