import Diffable

// The neighbours of rows, on the screen and beyond it: where keys move the focus.

extension Scene {
    package enum Direction: CaseIterable, Sendable {
        case up, down, left, right
        case pageUp, pageDown
        case nextSection, previousSection
        case first, last
    }

    /// The row that a key leads to; nil if there is none, or if the row no longer exists.
    package func neighbour(of id: RowID, towards direction: Direction) -> RowID? {
        switch direction {
        case .first: return end(.first, firstFocusable(from: .title, composer.element(after:)))
        case .last: return end(.last, firstFocusable(from: composer.lastElement, composer.element(before:)))
        case .up, .down, .pageUp, .pageDown, .left, .right, .nextSection, .previousSection: break
        }
        guard let element = composer.element(id) else { return nil }
        switch direction {
        case .up: return nearest(to: id, from: element, composer.element(before:))
        case .down: return nearest(to: id, from: element, composer.element(after:))
        case .pageUp: return page(from: id, element, composer.element(before:))
        case .pageDown: return page(from: id, element, composer.element(after:))
        case .left: return beside(id, by: -1)
        case .right: return beside(id, by: 1)
        case .nextSection: return section(from: element, by: 1)
        case .previousSection: return section(from: element, by: -1)
        case .first, .last: return nil
        }
    }

    private typealias Step = (Element) -> Element?

    private func block(_ element: Element) -> Block {
        stack.pieces.first { $0.element == element }?.block ?? composer.block(element)
    }

    private func firstFocusable(from start: Element, _ step: Step) -> RowID? {
        var element: Element? = start
        while let current = element {
            if let frame = block(current).frames.first(where: \.isFocusable) { return frame.id }
            element = step(current)
        }
        return nil
    }

    /// Only some of a carousel's items are visible: its end may be another one.
    private func end(_ direction: Direction, _ row: RowID?) -> RowID? {
        guard let item = row?.item, let path = composer.snapshot.indexPath(ofItem: item),
            composer.plan(path[0]).kind == .carousel
        else { return row }
        let index = direction == .first ? 0 : composer.rootCount(path[0]) - 1
        return composer.snapshot.itemIdentifier(at: [path[0], index]).map { .item($0) }
    }

    /// The row above or below; of several side by side, the nearest one.
    private func nearest(to id: RowID, from start: Element, _ step: Step) -> RowID? {
        let middle = middle(of: id, in: block(start))
        var element = step(start)
        while let current = element {
            if let id = Self.nearest(to: middle, in: block(current)) { return id }
            element = step(current)
        }
        return nil
    }

    private func middle(of id: RowID, in block: Block) -> Int {
        block.frames.first { $0.id == id }.map { $0.rectangle.column * 2 + $0.rectangle.width } ?? 0
    }

    private static func nearest(to middle: Int, in block: Block) -> RowID? {
        block.frames.filter(\.isFocusable).min { a, b in
            abs(a.rectangle.column * 2 + a.rectangle.width - middle)
                < abs(b.rectangle.column * 2 + b.rectangle.width - middle)
        }?.id
    }

    /// The row one screen further, with one line of overlap.
    private func page(from id: RowID, _ start: Element, _ step: Step) -> RowID? {
        let middle = middle(of: id, in: block(start))
        var passed = 0
        var found: RowID?
        var element = step(start)
        while let current = element {
            let block = block(current)
            passed += block.height
            if passed >= stack.height, found != nil { break }
            found = Self.nearest(to: middle, in: block) ?? found
            element = step(current)
        }
        return found
    }

    private func beside(_ id: RowID, by distance: Int) -> RowID? {
        guard let item = id.item, let path = composer.snapshot.indexPath(ofItem: item) else { return nil }
        guard !composer.plan(path[0]).isOfRows else { return nil }
        let index = path[path.count - 1] + distance
        guard index >= 0 else { return nil }
        return composer.snapshot.itemIdentifier(at: path.dropLast() + [index]).map { .item($0) }
    }

    /// The first row of the next section with rows. Backwards, the first row of the own section is tried first.
    private func section(from element: Element, by distance: Int) -> RowID? {
        var section: Int
        switch element {
        case .items(let path):
            section = path[0]
            if distance < 0, path != [section, 0] {
                return .item(composer.snapshot.itemIdentifier(at: [section, 0])!)
            }
        case .top(let index), .more(let index), .bottom(let index): section = index
        case .title, .empty: section = -1
        case .placeholder(let index):
            section = index < composer.document.placeholdersBefore ? -1 : composer.sectionCount
        }
        section += distance
        while section >= 0, section < composer.sectionCount {
            if let first = composer.snapshot.itemIdentifier(at: [section, 0]) { return .item(first) }
            section += distance
        }
        return nil
    }
}
