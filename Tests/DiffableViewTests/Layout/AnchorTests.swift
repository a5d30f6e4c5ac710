import Diffable
import DiffableJSON
import DiffableView
import TestSupport
import Testing

@Suite struct AnchorTests {
    /// Returns consecutive rows, in the order in which a viewer reaches them.
    private func walk(_ scene: Scene, from first: RowID?, _ direction: Scene.Direction) -> [RowID] {
        var ids: [RowID] = []
        var id = first
        while let current = id, ids.count < 10_000 {
            ids.append(current)
            id = scene.neighbour(of: current, towards: direction)
        }
        return ids
    }

    @Test func `down leads to every visible row of a list, and up leads back`() throws {
        let seed = SplitMix64()
        var list = RandomList(seed)
        for _ in 0..<30 {
            var document = Document(
                try list.snapshot(sections: 3, items: 12), user: try Content(json: #"{"layout":"list"}"#))
            for id in document.snapshot.itemIdentifiers where list.chance(6) { document.expansion[id] = list.chance(2) }
            let scene = Layout.scene(of: document, in: Viewport(columns: 80, rows: 12))
            let down = walk(scene, from: scene.neighbour(of: .title, towards: .first), .down)
            let visible = document.snapshot.sections.flatMap { visibleItems($0.items, document) }
            #expect(down.compactMap(\.item) == visible, "seed \(seed.seed)")
            let up = walk(scene, from: scene.neighbour(of: .title, towards: .last), .up)
            #expect(up == down.reversed(), "seed \(seed.seed)")
        }
    }

    private func visibleItems(_ items: [Item], _ document: Document) -> [ItemID] {
        items.flatMap { [$0.id] + (document.isExpanded($0.id) ? visibleItems($0.children, document) : []) }
    }

    @Test func `the anchor stays on its line, whatever changes around it`() throws {
        let seed = SplitMix64()
        var list = RandomList(seed)
        for _ in 0..<60 {
            let document = try list.document()
            var viewport = Viewport(columns: 80, rows: 20)
            viewport.anchor = Anchor(id: list.id(of: document), line: 7)
            let first = Layout.scene(of: document, in: viewport)
            guard let id = first.frames.filter({ $0.id.item != nil }).randomElement(using: &list.random)?.id,
                let anchor = first.anchor(of: id), !first.showsTop, !first.showsEnd
            else { continue }
            // A change close enough to be visible.
            let others = document.snapshot.itemIdentifiers.filter { RowID.item($0) != id }
            var operations: [ListOperation] = []
            if let other = others.randomElement(using: &list.random) {
                operations = [.insertItems([try list.item()], at: .before(other))]
            }
            // Too many levels are refused.
            guard let next = try? document.snapshot.applying(operations) else { continue }
            let changed = document.updated(to: next, extent: document.extent)
            viewport.anchor = anchor
            let second = Layout.scene(of: changed, in: viewport)
            guard !second.showsTop, !second.showsEnd else { continue }
            #expect(second.anchor(of: id) == anchor, "seed \(seed.seed)")
        }
    }

    @Test func `what must be seen is seen, and not below a pinned header`() throws {
        let seed = SplitMix64()
        var list = RandomList(seed)
        for _ in 0..<80 {
            let document = try list.document()
            var viewport = Viewport(columns: 80, rows: 20)
            viewport.anchor = Anchor(id: list.id(of: document), line: Int.random(in: 0..<20, using: &list.random))
            guard let item = document.snapshot.itemIdentifiers.randomElement(using: &list.random),
                let drawn = Layout.scene(of: document, in: viewport).drawnRow(of: item)
            else { continue }
            viewport.revealed = drawn
            let scene = Layout.scene(of: document, in: viewport)
            let frame = try #require(scene.frame(of: drawn), "seed \(seed.seed)")
            // Any part of a row may be visible if it is taller than the rest of the screen.
            guard frame.rectangle.height < 15 else { continue }
            #expect(frame.rectangle.row >= 0 && frame.rectangle.rows.upperBound <= 20, "seed \(seed.seed)")
            let position = Grid.Position(column: frame.rectangle.column, row: frame.rectangle.row)
            #expect(scene.id(at: position) == drawn, "seed \(seed.seed)")
        }
    }

    @Test func `a list that is shorter than the screen begins at its top`() throws {
        let document = try Gallery.everything(.plain, .list)
        var viewport = Viewport(columns: 80, rows: 60)
        viewport.anchor = Anchor(id: .item("soap"), line: 40)
        let scene = Layout.scene(of: document, in: viewport)
        #expect(scene.showsTop && scene.showsEnd && scene.anchor(of: .title)?.line == 0)
    }

    @Test func `a screen resolves the looks that it shows, however long the list is`() throws {
        let items = (0..<20_000).map { Item(id: try! ItemID("\($0)"), content: try? Content(json: #"{"title":"x"}"#)) }
        let snapshot = try Snapshot([Section(id: "a", items: items)])
        for layout in SectionLayout.Kind.allCases {
            let document = Document(
                snapshot, extent: Window.Extent(offset: 300_000, total: 1_000_000),
                user: try Content(json: #"{"layout":"\#(layout)"}"#))
            var viewport = Viewport(columns: 200, rows: 50)
            viewport.revealed = .item("10000")
            let scene = Layout.scene(of: document, in: viewport)
            #expect(scene.frame(of: .item("10000")) != nil)
            let count = document.resolvedLookCount
            #expect((1...700).contains(count), "\(layout)")
            _ = Layout.scene(of: document, in: viewport)
            #expect(document.resolvedLookCount == count)
            viewport.revealed = .placeholder(999_999)
            #expect(Layout.scene(of: document, in: viewport).showsEnd)
            viewport.revealed = .placeholder(150_000)
            #expect(Layout.scene(of: document, in: viewport).visibleRows?.contains(150_000) == true)
            #expect(document.resolvedLookCount <= 2 * count)
        }
    }
}
