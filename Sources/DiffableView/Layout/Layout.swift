/// Lays out the visible part of a document. Rows have no absolute positions: one row, the anchor, keeps its line, and the others
/// are laid out from there upwards and downwards until the screen is full. So the cost does not depend on the length of the list,
/// and changes elsewhere move no visible row.
package enum Layout {
    package static func scene(of document: Document, in viewport: Viewport) -> Scene {
        // A table with cut cells has wider columns in the next pass. They need no more lines, so the same rows are visible.
        for _ in 0..<wideningsMax {
            let count = document.cache.wideningCount
            let scene = composedScene(of: document, in: viewport)
            if document.cache.wideningCount == count { return scene }
        }
        return composedScene(of: document, in: viewport)
    }

    private static let wideningsMax = 3

    private static func composedScene(of document: Document, in viewport: Viewport) -> Scene {
        let composer = Composer(document: document, viewport: viewport)
        let regions = ScreenRegions(viewport)
        var stack = VisibleBlocks(composer: composer, height: regions.rows.count)
        let first = viewport.anchor.flatMap { anchor in composer.element(anchor.id).map { ($0, anchor) } }
        if let (element, anchor) = first {
            stack.begin(element, at: anchor)
        } else {
            stack.begin(.title, at: nil)
        }
        stack.fill()
        if let revealed = viewport.revealed { stack.reveal(revealed) }
        return Scene(composer: composer, regions: regions, stack: stack)
    }
}

struct VisibleBlocks: Sendable {
    struct PlacedBlock: Sendable {
        var element: Element
        var block: Block
        var line: Int

        var end: Int { line + block.height }

        func line(of id: RowID) -> Int? {
            block.frames.first { $0.id == id }.map { line + $0.rectangle.row }
        }
    }

    let composer: Composer
    let height: Int
    private(set) var pieces: [PlacedBlock] = []

    init(composer: Composer, height: Int) {
        self.composer = composer
        self.height = height
    }

    /// `anchor` is nil if the element begins on the first line.
    mutating func begin(_ element: Element, at anchor: Anchor?) {
        let block = composer.block(element)
        var piece = PlacedBlock(element: element, block: block, line: 0)
        if let anchor {
            // Within its block a row may be below a separator or next to other rows.
            let offset = piece.line(of: anchor.id) ?? piece.block.frames.first?.rectangle.row ?? 0
            piece.line = anchor.line - offset
        }
        pieces = [piece]
    }

    /// Adds elements until the screen is full, and closes the gaps that a shorter list leaves above or below.
    mutating func fill() {
        growUp()
        if let first = pieces.first, first.line > 0 { move(by: -first.line) }
        growDown()
        if let last = pieces.last, last.end < height {
            let distance = height - last.end
            move(by: distance)
            growUp()
            if let first = pieces.first, first.line > 0 { move(by: -first.line) }
            // The new elements above may not fill the screen, so more are added below.
            growDown()
        }
        pieces.removeAll { $0.end <= 0 && $0.block.height > 0 || $0.line >= height }
    }

    /// Scrolls as little as possible to make a row visible. For a row that is taller than the screen, its beginning is shown,
    /// unless the whole screen already shows a part of it.
    mutating func reveal(_ id: RowID) {
        guard let element = composer.element(id) else { return }
        let top = pinnedHeight(above: element)
        let piece: PlacedBlock
        let isAbove: Bool
        if let known = pieces.first(where: { $0.element == element }) {
            piece = known
            isAbove = known.line < top
        } else {
            piece = PlacedBlock(element: element, block: composer.block(element), line: 0)
            isAbove = pieces.first.map { element.precedes($0.element, in: composer.document) } ?? true
            pieces = []
        }
        let frame = piece.block.frames.first { $0.id == id }?.rectangle
        var rows = frame?.rows ?? 0..<piece.block.height
        if let field = piece.block.field { rows = rows.lowerBound..<max(rows.upperBound, field.rows.upperBound) }
        let line = piece.line + rows.lowerBound
        let end = piece.line + rows.upperBound
        if pieces.isEmpty {
            pieces = [piece]
            move(by: isAbove ? top - line : max(height - end, top - line))
        } else if line < top {
            if end < height || line > 0 { move(by: top - line) }
        } else if end > height {
            move(by: max(height - end, top - line))
        } else {
            return
        }
        fill()
    }

    private func pinnedHeight(above element: Element) -> Int {
        guard case .items(let path) = element else { return 0 }
        return composer.pinnedBlock(composer.plan(path[0]))?.height ?? 0
    }

    private mutating func move(by lines: Int) {
        for index in pieces.indices { pieces[index].line += lines }
    }

    private mutating func growUp() {
        var above: [PlacedBlock] = []
        while let first = above.last ?? pieces.first, first.line > 0,
            let element = composer.element(before: first.element)
        {
            let block = composer.block(element)
            above.append(PlacedBlock(element: element, block: block, line: first.line - block.height))
        }
        pieces.insert(contentsOf: above.reversed(), at: 0)
    }

    private mutating func growDown() {
        while let last = pieces.last, last.end < height, let element = composer.element(after: last.element) {
            pieces.append(PlacedBlock(element: element, block: composer.block(element), line: last.end))
        }
    }
}
