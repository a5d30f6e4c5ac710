import Diffable

package struct Scene: Sendable {
    let composer: Composer
    let regions: ScreenRegions
    let stack: VisibleBlocks
    /// A header that stays at the top, and its line in the rows' part.
    let pinned: (block: Block, line: Int)?
    let overlay: OverlayBlock?
    /// The visible rows, from top to bottom and from left to right.
    package let frames: [Frame]

    init(composer: Composer, regions: ScreenRegions, stack: VisibleBlocks) {
        self.composer = composer
        self.regions = regions
        self.stack = stack
        pinned = Self.pinned(composer, stack)
        let top = regions.rows.lowerBound
        var frames: [Frame] = []
        if let pinned { frames += pinned.block.frames.map { $0.moved(by: pinned.line + top) } }
        let pinnedIDs = Set(frames.map(\.id))
        for piece in stack.pieces {
            for frame in piece.block.frames {
                let frame = frame.moved(by: piece.line + top)
                guard frame.rectangle.rows.overlaps(regions.rows), !pinnedIDs.contains(frame.id) else { continue }
                frames.append(frame)
            }
        }
        self.frames = frames
        overlay = composer.viewport.overlay.map {
            OverlayBlock($0, composer: composer, rows: regions.rows, frames: frames)
        }
    }

    private static func pinned(_ composer: Composer, _ stack: VisibleBlocks) -> (block: Block, line: Int)? {
        guard let index = stack.pieces.firstIndex(where: { $0.end > 0 }) else { return nil }
        let first = stack.pieces[index]
        let section: Int
        switch first.element {
        case .items(let path): section = path[0]
        case .more(let index), .bottom(let index), .top(let index): section = index
        case .title, .placeholder, .empty: return nil
        }
        let plan = composer.plan(section)
        if case .top = first.element {
            guard let line = first.line(of: .header(plan.id)), line < 0 else { return nil }
        }
        guard let block = composer.pinnedBlock(plan) else { return nil }
        // The next section pushes it out.
        let next = stack.pieces[index...].first { $0.element == .bottom(section) }?.end ?? .max
        return (block, min(0, next - block.height))
    }
}

// MARK: - Where things are

extension Scene {
    package var rows: Range<Int> { regions.rows }

    package func frame(of id: RowID) -> Frame? { frames.first { $0.id == id } }

    package func id(at position: Grid.Position) -> RowID? { frame(at: position)?.id }

    private func frame(at position: Grid.Position) -> Frame? {
        guard regions.rows.contains(position.row) else { return nil }
        return frames.first { $0.rectangle.contains(position) }
    }

    package enum Hit: Hashable, Sendable {
        case row(RowID)
        case part(Frame.ClickablePart, of: RowID)
        case tab(Int)
        case banner
        case status
        /// A line of a menu or an answer to a question, by its index.
        case choice(Int)
        case overlay
    }

    package func hit(at position: Grid.Position) -> Hit? {
        if let overlay {
            if let choice = overlay.choices.firstIndex(where: { $0.contains(position) }) { return .choice(choice) }
            if overlay.rectangle.contains(position) { return .overlay }
        }
        if position.row == regions.banner { return .banner }
        if position.row == regions.status { return .status }
        if position.row == regions.tabs {
            return composer.tab(at: position.column).map { .tab($0) }
        }
        guard let frame = frame(at: position) else { return nil }
        if let swipe = swipeBlock(frame), let index = swipe.choices.first(where: { $0.value.contains(position) })?.key {
            return .part(.swipeAction(index), of: frame.id)
        }
        if let part = frame.parts.first(where: { $0.rectangle.contains(position) })?.part {
            return .part(part, of: frame.id)
        }
        return .row(frame.id)
    }

    /// Nil if the row is invisible.
    package func anchor(of id: RowID) -> Anchor? {
        guard let frame = stack.pieces.lazy.compactMap({ $0.line(of: id) }).first else { return nil }
        return Anchor(id: id, line: frame)
    }

    /// The first row that is entirely visible, or as much of it as fits; nil only if there is none.
    package var firstAnchor: Anchor? {
        let top = pinnedEnd
        let anchors = stack.pieces.flatMap { piece in
            piece.block.frames.map { Anchor(id: $0.id, line: piece.line + $0.rectangle.row) }
        }
        return anchors.first { $0.line >= top } ?? anchors.first
    }

    /// The line in the rows' part after a pinned header.
    var pinnedEnd: Int { pinned.map { max($0.line + $0.block.height, 0) } ?? 0 }

    package var showsTop: Bool { stack.pieces.first.map { $0.element == .title && $0.line >= 0 } ?? true }
    package var showsEnd: Bool {
        guard let last = stack.pieces.last else { return true }
        if last.end > stack.height { return false }
        // Elements without lines are invisible, and do not count.
        var element = composer.element(after: last.element)
        while let next = element, composer.block(next).height == 0 { element = composer.element(after: next) }
        return element == nil
    }

    /// The row that represents an item: its own, or the row of the first ancestor whose children are not drawn. Nil for an item
    /// that is not loaded.
    package func drawnRow(of item: ItemID) -> RowID? {
        composer.snapshot.indexPath(ofItem: item).flatMap { path in
            composer.snapshot.itemIdentifier(at: composer.drawnPath(path)).map { .item($0) }
        }
    }

    /// The first items of the visible carousels, for the next viewport, so that they stay after a scroll.
    package var carouselStarts: [ItemParent: ItemID] {
        var starts: [ItemParent: ItemID] = [:]
        for piece in stack.pieces {
            guard case .items(let path) = piece.element else { continue }
            let plan = composer.plan(path[0])
            guard plan.kind == .carousel, let owner = composer.owner(path.dropLast(), plan),
                let first = piece.block.frames.first?.id.item
            else { continue }
            starts[owner] = first
        }
        return starts
    }

    /// When a text on the screen will be another one, in milliseconds since 1970; nil: never.
    package var changesAt: Int? { frames.lazy.compactMap(\.changesAt).min() }

    /// The indices of the visible rows in the list; nil if there are none.
    package var visibleRows: Range<Int>? {
        func index(_ frame: Frame) -> Int? {
            switch frame.id {
            case .placeholder(let index): return index
            case .item(let id):
                return composer.snapshot.index(ofItem: id).map { $0 + composer.document.placeholdersBefore }
            default: return nil
            }
        }
        guard let first = frames.lazy.compactMap(index).first, let last = frames.reversed().lazy.compactMap(index).first
        else { return nil }
        return first..<max(last, first) + 1
    }
}
