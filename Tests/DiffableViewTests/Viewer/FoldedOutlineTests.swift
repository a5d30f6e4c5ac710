import Diffable
import DiffableJSON
import DiffableView
import Testing

/// An outline that is too long to load whole, so that it arrives without the children of collapsed rows.
@Suite struct FoldedOutlineTests {
    private func outline(expanding expanded: Set<ItemID> = [], isFolded: Bool = true) throws -> Snapshot {
        let items = try (0..<4).map { index in
            let id = try ItemID("p\(index)")
            let isExpanded = expanded.contains(id)
            let children = index == 2 || (isFolded && !isExpanded) ? [] : [Item(id: try ItemID("\(id)/child"))]
            return Item(id: id, isExpanded: isExpanded, children: children)
        }
        return try Snapshot([Section(id: "s", items: items)])
    }

    private let extent = Window.Extent(offset: 0, total: 3_000)

    private func line(_ id: ItemID, _ screen: ViewerScreen) throws -> String {
        screen.lines[try #require(screen.line(id))]
    }

    @Test func `what has children keeps its sign while they are folded away, and what has none gets none`() throws {
        var screen = ViewerScreen(rows: 20)
        screen.showJustNow(try outline(isFolded: false), extent: extent)
        guard case .setView(0, let json, let number)? = screen.effects.first else {
            Issue.record("nothing was asked for: \(screen.effects)")
            return
        }
        #expect(json.contains(#""expansion":"own","toggled":[]"#), "\(json)")
        screen.show(try outline(), extent: extent, queryNumber: number)
        for id: ItemID in ["p0", "p1", "p3"] { #expect(try line(id, screen).contains("▸"), "\(screen.grid.text)") }
        #expect(try !line("p2", screen).contains("▸"))

        screen.press(.right)
        guard case .setView(0, let opened, let next)? = screen.effects.first else {
            Issue.record("nothing was asked for: \(screen.effects)")
            return
        }
        #expect(opened.contains(#""toggled":["p0"]"#), "\(opened)")
        screen.show(try outline(expanding: ["p0"]), extent: extent, queryNumber: next)
        #expect(try line("p0", screen).contains("▾"))
        screen.press(.enter)
        screen.show(try outline(), extent: extent, queryNumber: next + 1)
        #expect(try line("p0", screen).contains("▸"))
        #expect(screen.line("p0/child") == nil)
    }

    @Test func `what has children that were never loaded has a sign`() throws {
        var screen = ViewerScreen(rows: 20)
        screen.showJustNow(try outline(isFolded: false), extent: extent)
        guard case .setView(0, let json, let number)? = screen.effects.first else {
            Issue.record("nothing was asked for: \(screen.effects)")
            return
        }
        #expect(json.contains(#""folded":true"#), "\(json)")
        let new = try outline().applying([
            .appendItems([Item(id: "q0"), Item(id: "q1")], to: .section("s")), .foldItems(["q0"]),
        ])
        screen.show(new, extent: extent, queryNumber: number)
        #expect(try line("q0", screen).contains("▸") && !line("q1", screen).contains("▸"), "\(screen.grid.text)")
        screen.show(try new.applying([.unfoldItems(["q0"])]), extent: extent, queryNumber: number)
        #expect(try !line("q0", screen).contains("▸"), "\(screen.grid.text)")
    }

    @Test func `what has lost its children has no sign when it is opened`() throws {
        var screen = ViewerScreen(rows: 20)
        screen.showJustNow(try outline(isFolded: false), extent: extent)
        screen.show(try outline(), extent: extent, queryNumber: 1)
        screen.press(.right)
        var list = try outline(expanding: ["p0"])
        list = try list.applying([.deleteItems(["p0/child"])])
        screen.show(list, extent: extent, queryNumber: 2)
        #expect(try !line("p0", screen).contains("▸") && !line("p0", screen).contains("▾"))
    }

    @Test func `a row that nothing comes under says so`() throws {
        var screen = ViewerScreen()
        screen.show(
            try Snapshot([
                Section(
                    id: "s", items: [Item(id: "a", content: try Content(json: #"{"text":"Box","hasChildren":true}"#))])
            ]))
        screen.press(.right)
        #expect(screen.requests == [.expand("a")])
        screen.handle(.reply(ViewerReply(request: 1, .done(revision: nil))))
        #expect(screen.status.contains("“Box” has no children"), "\(screen.status)")
    }
}
