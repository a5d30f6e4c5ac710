import Diffable

// A card: a box with the leading and trailing parts on its first line, the text, the secondary text, and a bar at the bottom.

extension Composer {
    static let cardLinesMax = 40

    func cardLineCount(_ look: ItemLook, columns: Int) -> Int {
        let lines = textLines(look, free: Self.cardLinesMax)
        let text = lines == 1 ? 1 : wrapped(look.text, columns: columns, lines: lines).count
        return text + (look.secondaryText == nil ? 0 : 1) + (look.progress == nil ? 0 : 1)
    }

    private func textLines(_ look: ItemLook, free: Int) -> Int {
        max(look.lines == 0 ? free : min(look.lines, free), 1)
    }

    /// `clip` is the end of the visible part. Anything beyond it is cut off.
    func addCard(_ block: inout Block, _ id: ItemID, _ plan: SectionPlan, columns: Range<Int>, clip: Int) {
        guard let item = resolved(id, plan) else { return }
        let seen = columns.clamped(to: min(columns.lowerBound, clip)..<clip)
        // A card has a frame and no ground of its own.
        let ground = plan.geometry.page
        let box = Rectangle(column: columns.lowerBound, row: 0, width: columns.count, height: block.height)
        block.addFrame(symbols.frame, box, Style(.line, on: ground), clip: seen.upperBound)
        var frame = Frame(.item(id), box, look: item.look)
        frame.rectangle.width = seen.count
        frame.shape = .card

        let margin = min(2, columns.count / 2)
        let inner = columns.lowerBound + margin..<columns.upperBound - margin
        let runCount = block.runs.count
        var writer = RowWriter(
            block, frame, free: inner, line: 1, ground: ground, look: item.look, symbols: symbols)
        addCardParts(&writer, id)
        addCardTexts(&writer, inner)
        for index in runCount..<writer.block.runs.count {
            writer.block.runs[index].limit = min(writer.block.runs[index].limit, seen.upperBound)
        }
        block = writer.block
        block.runs.removeAll { $0.line >= block.height || $0.column >= $0.limit }
        block.frames.append(writer.frame)
    }

    private func addCardParts(_ writer: inout RowWriter, _ id: ItemID) {
        if let disclosure = disclosure(id, writer.look) { writer.addDisclosure(disclosure) }
        writer.addLeadingAccessories(isEditing: document.isEditing)
        writer.addCheckbox(reserving: false)
        writer.addIcon(reserving: false)
        writer.addSign(reserving: false)
        writer.addAccessoriesAndBadge(TrailingSlots(), isEditing: document.isEditing)
        writer.addUrgency()
    }

    private func addCardTexts(_ writer: inout RowWriter, _ inner: Range<Int>) {
        let look = writer.look
        let last = writer.block.height - 1
        var line = 1
        let below = (look.secondaryText == nil ? 0 : 1) + (look.progress == nil ? 0 : 1)
        let lines = textLines(look, free: max(last - line - below, 1))
        let texts =
            lines == 1
            ? [fitted(look.text, columns: writer.free.count)]
            : wrapped(look.text, columns: writer.free.count, lines: lines)
        writer.noteText(writer.free)
        for text in texts where line < last {
            writer.block.add(text, line: line, columns: writer.free, writer.textStyle.adding(.bold))
            line += 1
        }
        if let secondary = look.secondaryText, line < last {
            let free = max(last - line - (look.progress == nil ? 0 : 1), 1)
            for text in wrapped(secondary, columns: inner.count, lines: free) {
                writer.block.add(text, line: line, columns: inner, writer.style(.secondary))
                line += 1
            }
        }
        if let progress = look.progress, line < last {
            writer.addBar(progress, line: last - 1, columns: inner)
        }
    }
}
