import Diffable

// A row of a list: the leading part, the text, the trailing part; the secondary text next to it on a wide screen, below it on a
// narrow one.

extension Composer {
    /// The number of columns from which the secondary text fits next to the text.
    private static let besideColumnsMin = 48
    private static let besideStep = 4
    /// The columns that a text has at least, deep in an outline.
    private static let besideTextMin = 10
    /// The limit of a row's height in lines.
    static let rowLinesMax = 400

    /// An empty row of an item, with its separator; nil if the item does not exist.
    func rowWriter(
        _ path: [Int], _ plan: SectionPlan
    ) -> (writer: RowWriter, item: LookCache.ResolvedItem, id: ItemID)? {
        guard let id = snapshot.itemIdentifier(at: path), let item = resolved(id, plan) else { return nil }
        let geometry = plan.geometry
        var block = Block(height: 1, page: geometry.page)
        let hasSeparator = plan.look.hasSeparators && path != [path[0], 0]
        if hasSeparator {
            block.height = 2
            block.addRule(
                symbols.separator, line: 0, columns: geometry.content.lowerBound..<geometry.row.upperBound,
                Style(.line, on: geometry.ground))
        }
        let line = block.height - 1
        let frame = Frame(
            .item(id),
            Rectangle(column: geometry.row.lowerBound, row: line, width: geometry.row.count, height: 1), look: item.look
        )
        var writer = RowWriter(
            block, frame, free: geometry.content, line: line, ground: geometry.ground, look: item.look, symbols: symbols
        )
        writer.skip(geometry.indent(path.count - 2))
        return (writer, item, id)
    }

    func addLeadingAndTrailingParts(_ writer: inout RowWriter, _ id: ItemID, _ plan: SectionPlan) {
        let traits = plan.traits
        let disclosure = disclosure(id, writer.look)
        if traits.hasDisclosures || disclosure != nil { writer.addDisclosure(disclosure) }
        writer.addLeadingAccessories(isEditing: document.isEditing)
        writer.addCheckbox(reserving: traits.hasCheckboxes)
        writer.addIcon(reserving: traits.hasIcons)
        writer.addSign(reserving: traits.hasSigns)
        writer.addTrailingParts(
            traits.trailingSlots, columns: plan.geometry.content.count, isEditing: document.isEditing)
        writer.addUrgency()
    }

    func rowBlock(_ path: [Int], _ plan: SectionPlan) -> Block {
        guard let row = rowWriter(path, plan) else { return Block(height: 0, page: plan.geometry.page) }
        var writer = row.writer
        addLeadingAndTrailingParts(&writer, row.id, plan)
        let lines = row.item.look.lines == 0 ? Self.rowLinesMax : min(row.item.look.lines, Self.rowLinesMax)
        addText(&writer, lines: lines, plan)
        if let lines = plan.look.layout.lines { setHeight(&writer, lines: min(lines, Self.rowLinesMax)) }
        return finished(writer, plan)
    }

    func addText(_ writer: inout RowWriter, lines: Int, _ plan: SectionPlan) {
        let look = writer.look
        let secondary = look.secondaryText.flatMap { $0.isEmpty ? nil : $0 }
        if let secondary, lines == 1, plan.geometry.content.count >= Self.besideColumnsMin {
            return addSecondaryText(&writer, secondary, plan)
        }
        writer.noteText(writer.free)
        let texts =
            lines == 1
            ? [fitted(look.text, columns: writer.free.count)]
            : wrapped(look.text, columns: writer.free.count, lines: lines)
        for (index, text) in texts.enumerated() {
            writer.block.add(text, line: writer.line + index, columns: writer.free, writer.textStyle)
        }
        var count = max(texts.count, 1)
        if let secondary {
            let text = fitted(secondary, columns: writer.free.count)
            writer.block.add(text, line: writer.line + count, columns: writer.free, writer.style(.secondary))
            count += 1
        }
        setHeight(&writer, lines: count)
    }

    /// The secondary texts of a section begin in one column: after the longest text if both fit, and not too far to the left.
    private func addSecondaryText(_ writer: inout RowWriter, _ secondary: String, _ plan: SectionPlan) {
        let free = writer.free
        let content = plan.geometry.content
        let room = free.upperBound - content.lowerBound
        let wanted = max(plan.traits.besideText + 2, content.count * 30 / 100)
        // In steps, so that a text that becomes a little longer moves no other.
        let stepped = (wanted + Self.besideStep - 1) / Self.besideStep * Self.besideStep
        let offset = min(stepped, max(room - plan.traits.besideSecondary, room * 55 / 100))
        let start = max(content.lowerBound + offset, free.lowerBound + Self.besideTextMin)
        guard start < free.upperBound else {
            writer.noteText(free)
            return writer.block.add(
                fitted(writer.look.text, columns: free.count), line: writer.line, columns: free, writer.textStyle)
        }
        writer.noteText(free.lowerBound..<start - 2)
        let text = fitted(writer.look.text, columns: start - 2 - free.lowerBound)
        writer.block.add(text, line: writer.line, columns: free, writer.textStyle)
        writer.block.add(
            fitted(secondary, columns: free.upperBound - start), line: writer.line, columns: start..<free.upperBound,
            writer.style(.secondary))
    }

    func setHeight(_ writer: inout RowWriter, lines: Int) {
        writer.frame.rectangle.height = lines
        writer.block.height = writer.line + lines
        writer.block.runs.removeAll { $0.line >= writer.block.height }
    }

    func finished(_ writer: RowWriter, _ plan: SectionPlan) -> Block {
        var block = writer.block
        block.frames.append(writer.frame)
        addGround(&block, plan)
        return block
    }

    func addGround(_ block: inout Block, _ plan: SectionPlan) {
        let geometry = plan.geometry
        if geometry.ground != geometry.page {
            block.fill(lines: 0..<block.height, columns: geometry.outer, Style(.text, on: geometry.ground))
        }
        guard plan.hasBox else { return }
        let style = Style(.line, on: geometry.ground)
        for line in 0..<block.height {
            block.add(symbols.frame.down, line: line, column: geometry.outer.lowerBound, style)
            block.add(symbols.frame.down, line: line, column: geometry.outer.upperBound - 1, style)
        }
    }

    func moreBlock(_ plan: SectionPlan) -> Block {
        let geometry = plan.geometry
        var block = Block(height: 1, page: geometry.page)
        let sign = symbols.isASCII ? "..." : "⋯"
        block.add(
            sign + " More", line: 0, columns: geometry.content, Style(.tint(.accent), on: geometry.ground))
        var look = ItemLook()
        look.text = "More"
        var frame = Frame(
            .more(plan.id),
            Rectangle(column: geometry.row.lowerBound, row: 0, width: geometry.row.count, height: 1), look: look)
        frame.parts = [
            (.icon, Rectangle(column: geometry.content.lowerBound, row: 0, width: 1, height: 1))
        ]
        block.frames.append(frame)
        addGround(&block, plan)
        return block
    }

    /// The length varies as in real texts, but is the same each time.
    func placeholderBlock(_ index: Int) -> Block {
        let neighbour = sectionCount == 0 ? nil : plan(index < document.placeholdersBefore ? 0 : sectionCount - 1)
        let geometry = neighbour?.geometry ?? SectionGeometry(.plain, columns: columns)
        var block = Block(height: 1, page: geometry.page)
        let count = min(8 + (index &* 7 & 15), geometry.content.count)
        block.addRule(
            symbols.missing, line: 0, columns: geometry.content.lowerBound..<geometry.content.lowerBound + count,
            Style(.tertiary, on: geometry.ground))
        block.frames.append(
            Frame(
                .placeholder(index),
                Rectangle(column: geometry.row.lowerBound, row: 0, width: geometry.row.count, height: 1)))
        if let neighbour { addGround(&block, neighbour) }
        return block
    }
}
