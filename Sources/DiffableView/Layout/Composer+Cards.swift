import Diffable

// Items side by side: in a grid, where they fill the width, and in a carousel, where a part of the next one is visible.

extension Composer {
    func gridBlock(_ path: [Int], _ plan: SectionPlan) -> Block {
        let area = plan.geometry.cards(level: path.count - 2)
        let count = plan.groupCount
        let room = max(area.count - (count - 1), count)
        // The first cards are a column wider, so that the last one ends at the edge.
        let (width, rest) = (room / count, room % count)
        let owner = path.dropLast()
        let end = min(path[path.count - 1] + count, siblingCount(owner))
        let items = (path[path.count - 1]..<max(end, path[path.count - 1])).compactMap { index -> ItemID? in
            snapshot.itemIdentifier(at: owner + [index])
        }
        let inner = max(width - 4, 1)
        let lines =
            plan.look.layout.lines
            ?? items.compactMap { resolved($0, plan).map { cardLineCount($0.look, columns: inner) } }.max() ?? 1
        var block = Block(height: min(lines, Self.cardLinesMax) + 2, page: plan.geometry.page)
        for (index, id) in items.enumerated() {
            let start = area.lowerBound + index * (width + 1) + min(index, rest)
            let end = start + width + (index < rest ? 1 : 0)
            addCard(&block, id, plan, columns: start..<end, clip: area.upperBound)
        }
        return block
    }

    func carouselBlock(_ path: [Int], _ plan: SectionPlan) -> Block {
        let area = plan.geometry.cards(level: path.count - 2)
        let width = plan.geometry.itemWidth(plan.look.layout)
        let owner = path.dropLast()
        let count = siblingCount(owner)
        let start = carouselStart(owner, plan)
        let lines = min(plan.look.layout.lines ?? 3, Self.cardLinesMax)
        var block = Block(height: lines + 2, page: plan.geometry.page)
        var column = area.lowerBound
        var index = start
        while index < count, column + 1 < area.upperBound {
            if let id = snapshot.itemIdentifier(at: owner + [index]) {
                addCard(&block, id, plan, columns: column..<column + width, clip: area.upperBound)
            }
            column += width + 1
            index += 1
        }
        let middle = block.height / 2
        let style = Style(.tint(.accent), on: plan.geometry.page, .bold)
        if start > 0, area.lowerBound > 0 {
            block.add(symbols.back, line: middle, column: area.lowerBound - 1, style)
        }
        if start + fittingCount(plan, area) < count {
            // The last column of the screen is the scroll indicator's.
            block.add(symbols.chevron, line: middle, column: min(area.upperBound, columns - 2), style)
        }
        return block
    }

    func owner(_ path: ArraySlice<Int>, _ plan: SectionPlan) -> ItemParent? {
        path.count == 1 ? .section(plan.id) : snapshot.itemIdentifier(at: Array(path)).map { .item($0) }
    }

    private func fittingCount(_ plan: SectionPlan, _ area: Range<Int>) -> Int {
        max((area.count + 1) / (plan.geometry.itemWidth(plan.look.layout) + 1), 1)
    }

    /// The index of the first visible item of a carousel: the requested one, adjusted so that no empty space is after the
    /// last item, and so that the revealed item is visible.
    func carouselStart(_ ownerPath: ArraySlice<Int>, _ plan: SectionPlan) -> Int {
        guard let owner = owner(ownerPath, plan) else { return 0 }
        let count = siblingCount(ownerPath)
        let fitting = fittingCount(plan, plan.geometry.cards(level: ownerPath.count - 1))
        var start = 0
        if let id = viewport.carouselStarts[owner], let path = snapshot.indexPath(ofItem: id),
            path.dropLast() == ownerPath
        {
            start = path[path.count - 1]
        }
        if let revealed = viewport.revealed?.item, let path = snapshot.indexPath(ofItem: revealed),
            path.dropLast() == ownerPath
        {
            let index = path[path.count - 1]
            start = min(max(start, index - fitting + 1), index)
        }
        return max(min(start, count - fitting), 0)
    }
}
