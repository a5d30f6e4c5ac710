import Diffable
import DiffableJSON
import DiffableView
import Testing

/// The parts around and over the rows, and the drawing of a part of a list.
@Suite struct ScreenTests {
    private static let actions = """
        [{"id": "done", "title": "Mark as done", "icon": "✓", "style": "primary", "key": "d"},
         {"id": "later", "title": "Later", "enabled": false},
         {"id": "delete", "title": "Delete", "style": "destructive", "icon": "✗", "key": "x"}]
        """

    /// A list with two sections, the first with a pinned header.
    private func document(extent: Window.Extent? = nil) throws -> Document {
        let items = { (prefix: String, count: Int) in
            (0..<count).map { index in
                #"{"id": "\#(prefix)\#(index)", "content": {"title": "Row \#(index) of \#(prefix)", "secondaryText": "detail"}}"#
            }.joined(separator: ",")
        }
        return Document(
            try Snapshot(
                fixture: """
                    {"content": {"title": "Rows", "trailingActions": \(Self.actions), "leadingActions": \(Self.actions)},
                     "sections": [
                      {"id": "a", "content": {"header": {"text": "First", "badge": 12}}, "items": [\(items("a", 12))]},
                      {"id": "b", "content": {"header": "Second", "appearance": "insetGrouped"}, "items": [\(items("b", 9))]}]}
                    """), extent: extent)
    }

    private func viewport(_ change: (inout Viewport) -> Void) -> Viewport {
        var viewport = Viewport(columns: 64, rows: 14)
        viewport.status = StatusLine(leading: "21 rows", trailing: "? help")
        change(&viewport)
        return viewport
    }

    private func focused(_ id: RowID) -> Decoration {
        var decoration = Decoration()
        decoration.focused = id
        return decoration
    }

    @Test func `a header stays on top while its rows go by, until the next one pushes it out`() throws {
        let document = try document()
        for (line, name) in [(-4, "pinned"), (2, "pushed")] {
            let id: RowID = line < 0 ? .item("a0") : .header("b")
            let screen = viewport { $0.anchor = Anchor(id: id, line: line < 0 ? line : 1) }
            try expectScreen(drawn(document, screen, focused(.item("a6"))), name)
        }
    }

    @Test func `tabs, a banner and what is typed stand around the rows`() throws {
        let screen = viewport {
            $0.tabs = ["Groceries", "Inbox", "Processes"]
            $0.selectedTab = 1
            $0.banner = "No connection: the rows are 12 s old."
            $0.status = StatusLine(leading: "/mi", trailing: "3 of 21", cursor: 3)
        }
        var decoration = focused(.item("a1"))
        decoration.isDimmed = true
        let grid = drawn(try document(), screen, decoration)
        #expect(grid.cursor == Grid.Position(column: 4, row: 13))
        try expectScreen(grid, "surroundings", styles: true)
    }

    @Test(arguments: [Swipe.Edge.leading, .trailing])
    func `a row's actions are laid open at its end`(edge: Swipe.Edge) throws {
        let screen = viewport { $0.swipe = Swipe(id: .item("a3"), edge: edge, selected: 2) }
        let document = try document()
        try expectScreen(drawn(document, screen, focused(.item("a3"))), "swipe-\(edge)", styles: true)
        let scene = Layout.scene(of: document, in: screen)
        let row = try #require(scene.frame(of: .item("a3"))).rectangle.row
        let hits = (0..<64).compactMap { scene.hit(at: Grid.Position(column: $0, row: row)) }
        for index in 0..<3 { #expect(hits.contains(.part(.swipeAction(index), of: .item("a3")))) }
    }

    @Test func `a menu lies beside its row, above it where there is no room below`() throws {
        let actions = Looks(list: try Content(json: #"{"actions": \#(Self.actions)}"#)).listLook.actions
        for (item, name) in [("a0", "below"), ("a9", "above")] {
            let id = RowID.item(try ItemID(item))
            let screen = viewport { $0.overlay = .menu(title: "Row", actions: actions, selected: 2, of: id) }
            let document = try document()
            try expectScreen(drawn(document, screen, focused(id)), "menu-\(name)", styles: name == "below")
            let scene = Layout.scene(of: document, in: screen)
            let hits = (0..<14).compactMap { scene.hit(at: Grid.Position(column: 12, row: $0)) }
            #expect(
                hits.filter { if case .choice = $0 { true } else { false } } == [.choice(0), .choice(1), .choice(2)])
        }
    }

    @Test func `a question stands in the middle with its answers`() throws {
        let screen = viewport {
            $0.overlay = .question(
                "Delete “Row 3 of a” and the 11 other rows that are marked? This cannot be undone.",
                answers: [.init("Cancel"), .init("Delete", isDestructive: true)], selected: 0)
        }
        try expectScreen(drawn(try document(), screen, focused(.item("a3"))), "question", styles: true)
    }

    @Test func `help fills the screen and scrolls`() throws {
        let sections: [Overlay.HelpSection] = [
            .init("Moving", [.init("↑ ↓ j k", "one row up, one row down"), .init("PgUp PgDn", "one screen")]),
            .init("Doing", [.init("Enter", "the first action"), .init(".", "all actions"), .init("Space", "mark")]),
            .init("Else", [.init("/", "search"), .init("?", "this page"), .init("q", "quit")]),
        ]
        for line in [0, 99] {
            try expectScreen(
                drawn(try document(), viewport { $0.overlay = .help(sections, line: line) }), "help-\(line)")
        }
    }

    @Test func `rows that are not held keep their place`() throws {
        let document = try document(extent: Window.Extent(offset: 400, total: 1000))
        for (anchor, name) in [(RowID.item("a0"), "before"), (.item("b8"), "behind")] {
            let screen = viewport { $0.anchor = Anchor(id: anchor, line: 5) }
            try expectScreen(drawn(document, screen), "window-\(name)")
        }
        let scene = Layout.scene(of: document, in: viewport { $0.anchor = Anchor(id: .placeholder(700), line: 3) })
        #expect(scene.visibleRows == 697..<710)
        #expect(scene.neighbour(of: .placeholder(700), towards: .pageDown) == .placeholder(712))
    }

    @Test(arguments: [
        #"{"empty": {"text": "All done", "secondaryText": "Nothing is left to do today.", "icon": "🎉"}, "title": "To do"}"#,
        "{}",
    ]) func `a list with nothing says so`(content: String) throws {
        let document = Document(try Snapshot([], content: try Content(json: content)))
        try expectScreen(drawn(document, viewport { _ in }), content == "{}" ? "empty" : "empty-own")
    }

    @Test func `sections of different layouts stand in one list`() throws {
        let document = Document(
            try Snapshot(
                fixture: """
                    {"content": {"title": "Everything", "appearance": "insetGrouped"}, "sections": [
                     {"id": "a", "content": {"header": "Playing", "layout": {"type": "carousel", "itemWidth": 20, "lines": 2}},
                      "items": [{"id": "1", "content": {"text": "Kind of Blue", "secondaryText": "Miles Davis", "progress": 0.3}},
                       {"id": "2", "content": {"text": "Blue Train", "secondaryText": "John Coltrane"}},
                       {"id": "3", "content": {"text": "Time Out", "secondaryText": "Dave Brubeck"}},
                       {"id": "4", "content": {"text": "Ah Um", "secondaryText": "Charles Mingus"}},
                       {"id": "5", "content": {"text": "Moanin'", "secondaryText": "Art Blakey"}}]},
                     {"id": "b", "content": {"header": "Countries", "layout": {"type": "grid", "columns": 4, "lines": 1}},
                      "items": [{"id": "de", "content": {"text": "Germany", "icon": "🇩🇪"}},
                       {"id": "fr", "content": {"text": "France", "icon": "🇫🇷"}}, {"id": "in", "content": {"text": "भारत"}},
                       {"id": "jp", "content": {"text": "日本", "icon": "🇯🇵"}}, {"id": "eg", "content": {"text": "مصر"}}]},
                     {"id": "c", "content": {"header": "Processes", "layout": "table", "columns": ["/name", "/pid", "/cpu"]},
                      "items": [{"id": "p1", "content": {"name": "diffabled", "pid": 412, "cpu": 0.1}},
                       {"id": "p2", "content": {"name": "swift-frontend", "pid": 40112, "cpu": 99.7, "badge": "!"}}]}]}
                    """))
        var screen = Viewport(columns: 76, rows: 27)
        screen.revealed = .item("5")
        let scene = Layout.scene(of: document, in: screen)
        #expect(scene.carouselStarts == [.section("a"): "3"])
        try expectScreen(drawn(document, screen, focused(.item("5"))), "mixed", styles: true)
        // Left and right move through a carousel, including its hidden part; up and down keep the column.
        #expect(scene.neighbour(of: .item("3"), towards: .left) == .item("2"))
        #expect(scene.neighbour(of: .item("5"), towards: .right) == nil)
        #expect(scene.neighbour(of: .item("fr"), towards: .down) == .item("eg"))
        #expect(scene.neighbour(of: .item("de"), towards: .down) == .item("eg"))
        #expect(scene.neighbour(of: .item("jp"), towards: .right) == .item("eg"))
        #expect(scene.neighbour(of: .item("jp"), towards: .up) == .item("5"))
        #expect(scene.neighbour(of: .item("fr"), towards: .nextSection) == .item("p1"))
        #expect(scene.neighbour(of: .item("p2"), towards: .previousSection) == .item("p1"))
        #expect(scene.neighbour(of: .item("p1"), towards: .previousSection) == .item("de"))
    }

    @Test func `a table keeps its columns while rows come and change`() throws {
        let rows = (0..<40).map { #"{"id": "\#($0)", "content": {"name": "n\#($0)", "size": \#($0)}}"# }
        let list =
            #"{"sections": [{"id": "a", "content": {"layout": "table"}, "items": [\#(rows.joined(separator: ","))]}]}"#
        let document = Document(try Snapshot(fixture: list))
        let before = drawn(document, Viewport(columns: 60, rows: 10))
        let changed = document.updated(
            to: try document.snapshot.applying([
                .insertItems(
                    [Item(id: "new", content: try Content(json: #"{"name": "a longer name", "kind": 1}"#))],
                    at: .before("0"))
            ]))
        let after = drawn(changed, Viewport(columns: 60, rows: 10))
        #expect(after.isRow(0, equalTo: 0, of: before))
        #expect(after.text.contains("a longer"))
        let sizes = [before, after].map { $0.text(of: $0[4, 17]) }
        #expect(sizes == ["2", "1"])
    }

    @Test func `a table's columns grow with what is shown, and become no narrower again`() throws {
        let long = "a-name-of-thirty-three-characters"
        let items = (0..<200).map { index in
            let name = index < 100 ? "n\(index)" : long
            return Item(
                id: try! ItemID("i\(index)"), content: try? Content(json: "{\"name\":\"\(name)\",\"last\":\"x\"}"))
        }
        let snapshot = try Snapshot(
            [Section(id: "s", items: items)], content: try Content(json: #"{"layout":"table"}"#))
        var screen = ViewerScreen(rows: 12)
        screen.show(snapshot)
        func lastColumn() -> Int { screen.lines[0].prefix { $0 != "l" }.count }
        let narrow = lastColumn()
        #expect(narrow < long.count)
        screen.press("G")
        #expect(screen.lines.contains { $0.contains(long) }, "\(screen.grid.text)")
        let wide = lastColumn()
        screen.press("g")
        #expect(lastColumn() == wide)
    }
}
