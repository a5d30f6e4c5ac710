import Diffable

/// Maps rows of a list's previous state to rows of its next state. A row that is still drawn is mapped to itself, and a row that
/// is now folded to its visible ancestor. A deleted row is mapped to its next sibling, otherwise the previous one, otherwise its
/// parent, otherwise the section's header.
struct RowCorrespondence {
    let before: Document
    let after: Document
    private let composer: Composer
    /// Items of the user's own pending requests: the cursor does not follow these.
    private let ownMoves: Set<ItemID>
    /// Whether the window changed, so that a missing row may still exist outside it.
    private let isOtherWindow: Bool

    init(
        from before: Document, to after: Document, in viewport: Viewport, ownMoves: Set<ItemID>, isOtherWindow: Bool
    ) {
        self.before = before
        self.after = after
        composer = Composer(document: after, viewport: viewport)
        self.ownMoves = ownMoves
        self.isOtherWindow = isOtherWindow
    }

    func isOwnMove(_ row: RowID) -> Bool { row.item.map(ownMoves.contains) ?? false }

    /// Nil if no remaining row can have the cursor.
    func row(for row: RowID) -> RowID? {
        // Without items, headers are not drawn.
        if composer.isEmpty, row != .title { return .empty }
        switch row {
        case .title: return .title
        case .empty: return firstFocusable(from: .title, composer.element(after:))
        case .placeholder(let index): return self.row(at: index)
        case .header(let section), .footer(let section), .more(let section):
            return hasFrame(row) ? row : nearest(to: section)
        case .item(let item):
            if ownMoves.contains(item), let successor = successor(of: item) { return successor }
            if let drawn = drawnRow(item) { return drawn }
            let index = before.snapshot.index(ofItem: item).map { $0 + before.placeholdersBefore }
            if isOtherWindow, let index { return self.row(at: index) }
            return successor(of: item) ?? index.flatMap { self.row(at: $0) }
        }
    }

    func row(returningTo row: RowID, index: Int?) -> RowID? {
        if let item = row.item, let drawn = drawnRow(item) { return drawn }
        return index.flatMap { self.row(at: $0) } ?? self.row(for: row)
    }

    /// The item, or its first ancestor whose children are not drawn.
    private func drawnRow(_ item: ItemID) -> RowID? {
        guard let path = after.snapshot.indexPath(ofItem: item) else { return nil }
        return after.snapshot.itemIdentifier(at: composer.drawnPath(path)).map { .item($0) }
    }

    private func row(at index: Int) -> RowID? {
        let count = after.rowCount
        guard count > 0 else { return firstFocusable(from: .title, composer.element(after:)) }
        let index = min(max(index, 0), count - 1)
        if let item = after.snapshot.itemIdentifier(atRow: index - after.placeholdersBefore) { return drawnRow(item) }
        return .placeholder(index)
    }

    private func hasFrame(_ row: RowID) -> Bool {
        composer.element(row).map { composer.block($0).frames.contains { $0.id == row } } ?? false
    }

    // MARK: - In place of what is gone

    private func successor(of item: ItemID) -> RowID? {
        let old = before.snapshot
        guard let path = old.indexPath(ofItem: item), let index = path.last else { return nil }
        let owner = Array(path.dropLast())
        func sibling(_ index: Int) -> RowID? {
            guard let id = old.itemIdentifier(at: owner + [index]), !ownMoves.contains(id) else { return nil }
            return drawnRow(id)
        }
        var next = index + 1
        while old.itemIdentifier(at: owner + [next]) != nil {
            if let row = sibling(next) { return row }
            next += 1
        }
        for previous in (0..<index).reversed() {
            if let row = sibling(previous) { return row }
        }
        if owner.count > 1, let parent = old.itemIdentifier(at: owner) {
            return drawnRow(parent) ?? successor(of: parent)
        }
        return old.sectionIdentifier(containingItem: item).flatMap(nearest(to:))
    }

    /// A section's header, otherwise the nearest row that can have the cursor.
    private func nearest(to section: SectionID) -> RowID? {
        if hasFrame(.header(section)) { return .header(section) }
        let start =
            after.snapshot.index(ofSection: section).map { Element.top($0) } ?? nextSection(behind: section)
        return firstFocusable(from: start, composer.element(after:))
            ?? firstFocusable(from: start, composer.element(before:))
    }

    private func nextSection(behind section: SectionID) -> Element {
        guard let index = before.snapshot.index(ofSection: section) else { return .title }
        for next in index..<before.snapshot.numberOfSections {
            if let id = before.snapshot.sectionIdentifier(at: next), let place = after.snapshot.index(ofSection: id) {
                return .top(place)
            }
        }
        return composer.lastElement
    }

    private func firstFocusable(from start: Element, _ step: (Element) -> Element?) -> RowID? {
        var element: Element? = start
        while let current = element {
            if let frame = composer.block(current).frames.first(where: \.isFocusable) { return frame.id }
            element = step(current)
        }
        return nil
    }
}

extension Snapshot {
    /// The item at an index of `itemIdentifiers`; nil outside of it. O(sections + log n).
    func itemIdentifier(atRow row: Int) -> ItemID? {
        guard row >= 0, row < numberOfItems else { return nil }
        var row = row
        for index in 0..<numberOfSections {
            guard let section = sectionIdentifier(at: index) else { return nil }
            let count = numberOfItems(inSection: section) ?? 0
            if row < count { return itemIdentifier(at: row, inSection: section) }
            row -= count
        }
        return nil
    }
}
