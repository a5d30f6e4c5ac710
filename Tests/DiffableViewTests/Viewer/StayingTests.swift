import Diffable
import DiffableJSON
import DiffableView
import Testing

/// Rows that stay in place: each row of the table in docs/viewer.md.
@Suite struct StayingTests {
    private static let reorderable = #"{"canReorder":true}"#

    /// Returns a screen with the cursor on `i20`, in the middle of forty rows.
    private func screen(_ list: String = "{}") throws -> ViewerScreen {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<40, list: list))
        for _ in 0..<20 { screen.press("j") }
        screen.press("kk")
        screen.press("jj")
        #expect(screen.cursor == "i20")
        return screen
    }

    @Test func `the row under the cursor keeps its line when others insert, delete and move`() throws {
        var screen = try screen()
        let line = try #require(screen.line("i20"))
        try screen.change(.insertItems([Item(id: "new"), Item(id: "newer")], at: .before("i3")))
        #expect(screen.line("i20") == line)
        try screen.change(.deleteItems(["i18", "i5"]))
        #expect(screen.line("i20") == line)
        try screen.change(.moveItem("i39", to: .before("i0")), .moveItem("i21", to: .before("i1")))
        #expect(screen.line("i20") == line)
        try screen.change(.insertItems([Item(id: "last")], at: .after("i20")))
        #expect(screen.line("i20") == line)
        #expect(screen.cursor == "i20")
    }

    @Test func `the first row that is seen keeps its line when the cursor's is not seen`() throws {
        var screen = try screen()
        screen.handle(.mouse(MouseEvent(.wheel(.down), column: 5, row: 5)))
        for _ in 0..<4 { screen.handle(.mouse(MouseEvent(.wheel(.down), column: 5, row: 5))) }
        #expect(screen.line("i20") == nil)
        let first = try #require(screen.viewer.scene.frames.first?.id.item)
        let line = screen.line(first)
        try screen.change(.insertItems([Item(id: "new")], at: .before("i3")), .deleteItems(["i20"]))
        #expect(screen.line(first) == line)
        #expect(screen.cursor == "i21")
    }

    @Test func `who has never left the top sees what comes there`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<40))
        try screen.change(.insertItems([Item(id: "new")], at: .before("i0")))
        #expect(screen.line("new") == 0)
        #expect(screen.cursor == "i0")
        for index in 0..<30 {
            try screen.change(.insertItems([Item(id: try ItemID("n\(index)"))], at: .before("new")))
            let cursor = try #require(screen.cursor)
            #expect(screen.line(try ItemID(cursor)) != nil, "the cursor is on a row that is seen")
        }
        #expect(screen.viewer.scene.showsTop)
    }

    @Test func `a deleted row hands the cursor to the next sibling, the one before, the parent, the header`() throws {
        var screen = ViewerScreen(rows: 20)
        screen.show(
            try Snapshot([
                Section(
                    id: "s", content: try Content(json: #"{"header":"Things"}"#),
                    items: [
                        Item(id: "a"),
                        Item(
                            id: "b", isExpanded: true,
                            children: [Item(id: "b1"), Item(id: "b2"), Item(id: "b3")]),
                    ]),
                Section(id: "t", items: [Item(id: "z")]),
            ]))
        screen.press("jjj")
        #expect(screen.cursor == "b2")
        let line = screen.line("b2")
        try screen.change(.deleteItems(["b2"]))
        #expect(screen.cursor == "b3")
        #expect(screen.line("b3") == screen.line("b").map { $0 + 2 } && line != nil)
        try screen.change(.deleteItems(["b3"]))
        #expect(screen.cursor == "b1")
        try screen.change(.deleteItems(["b1"]))
        #expect(screen.cursor == "b")
        try screen.change(.deleteItems(["b"]))
        #expect(screen.cursor == "a")
        try screen.change(.deleteItems(["a"]))
        #expect(screen.cursor == "header s")
        // The header of a section without rows stays.
        try screen.change(.deleteItems(["z"]))
        #expect(screen.cursor == "header s")
        #expect(screen.viewer.scene.frame(of: .empty) == nil)
    }

    @Test func `a deleted row's line is the next one's`() throws {
        var screen = try screen()
        let line = try #require(screen.line("i20"))
        try screen.change(.deleteItems(["i20", "i21"]))
        #expect(screen.cursor == "i22")
        #expect(screen.line("i22") == line)
    }

    @Test func `marks drop what is deleted, and nothing else`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<10, list: #"{"selection":"multiple"}"#))
        screen.press("   ")
        #expect(screen.viewer.marks == ["i0", "i1", "i2"])
        try screen.change(.deleteItems(["i1"]), .moveItem("i0", to: .after("i9")))
        #expect(screen.viewer.marks == ["i0", "i2"])
    }

    @Test func `the cursor goes with a row that others move, and its line stays`() throws {
        var screen = try screen()
        let line = try #require(screen.line("i20"))
        try screen.change(.moveItem("i20", to: .after("i30")))
        #expect(screen.cursor == "i20")
        #expect(screen.line("i20") == line)
    }

    @Test func `the cursor goes on to the next row when one's own action moves or deletes its row`() throws {
        var screen = try screen(#"{"trailingActions":[{"id":"done","title":"Done","key":"d"}]}"#)
        let line = try #require(screen.line("i20"))
        screen.press("d")
        #expect(screen.requests == [.perform(action: "done", items: ["i20"], section: nil, arguments: nil)])
        try screen.change(.moveItem("i20", to: .after("i39")))
        #expect(screen.cursor == "i21")
        #expect(screen.line("i21") == line)
        screen.handle(.reply(ViewerReply(request: 1, .done(revision: 2))))
        // From now on, other clients may move it freely.
        try screen.change(.moveItem("i21", to: .after("i30")))
        #expect(screen.cursor == "i21")
    }

    @Test func `the cursor follows a row that its user moves`() throws {
        var screen = try screen(Self.reorderable)
        screen.press(.down, .alt)
        #expect(
            screen.requests == [
                .propose(operations: #"[{"op":"moveItem","item":"i20","after":"i21"}]"#)
            ])
        // Two more steps while the first is unanswered give one request after the answer.
        screen.press(.down, .alt)
        screen.press(.down, .alt)
        #expect(screen.requests.isEmpty)
        try screen.change(.moveItem("i20", to: .after("i21")))
        #expect(screen.cursor == "i20")
        screen.handle(.reply(ViewerReply(request: 1, .done(revision: 2))))
        #expect(
            screen.requests == [
                .propose(operations: #"[{"op":"moveItem","item":"i20","after":"i23"}]"#)
            ])
        screen.handle(.reply(ViewerReply(request: 2, .refused("Not behind i23"))))
        #expect(screen.status.contains("Not behind i23"))
        #expect(screen.cursor == "i20")
    }

    @Test func `what is collapsed above the cursor hands it to the parent`() throws {
        var screen = ViewerScreen()
        screen.show(
            try Snapshot([
                Section(
                    id: "s",
                    items: [
                        Item(
                            id: "a", isExpanded: true,
                            children: [Item(id: "a1", isExpanded: true, children: [Item(id: "a11")])])
                    ])
            ]))
        screen.press("jj")
        #expect(screen.cursor == "a11")
        try screen.change(.collapseItems(["a"]))
        #expect(screen.cursor == "a")
        screen.press("l")
        screen.press("jj")
        #expect(screen.cursor == "a11")
        // The user presses the disclosure of a row above.
        let place = try #require(
            screen.viewer.scene.frame(of: .item("a"))?.parts.first { $0.part == .disclosure }?.rectangle)
        screen.handle(.mouse(MouseEvent(.press(.left), column: place.column, row: place.row)))
        #expect(screen.cursor == "a")
    }

    @Test func `rows above that become higher push nothing that is looked at`() throws {
        var screen = try screen()
        let line = try #require(screen.line("i20"))
        let long = String(repeating: "many words ", count: 40)
        let content = try Content(json: "{\"text\":\"\(long)\",\"lines\":0}")
        try screen.change(.reconfigureItems([ItemReconfiguration(id: "i19", content: content)]))
        #expect(screen.line("i20") == line)
        try screen.change(.reconfigureItems([ItemReconfiguration(id: "i20", content: content)]))
        #expect(screen.line("i20") == line)
    }

    @Test(arguments: [5, 40])
    func `a tall row may become shorter, and what is looked at stays`(lines: Int) throws {
        var screen = ViewerScreen(columns: 40, rows: 12)
        func text(_ lines: Int) throws -> ListOperation {
            let text = String(repeating: "a word that takes about a line   ", count: lines)
            return .reconfigureItems([
                ItemReconfiguration(id: "i20", content: try Content(json: "{\"text\":\"\(text)\",\"lines\":0}"))
            ])
        }
        screen.show(try Snapshot.numbered(0..<40).applying([try text(lines)]))
        for _ in 0..<20 { screen.press("j") }
        while try #require(screen.line("i20")) >= 0 {
            screen.handle(.mouse(MouseEvent(.wheel(.down), column: 5, row: 5)))
        }
        let line = screen.line("i21")
        #expect((line == nil) == (lines > 20), "it fills the screen or does not")
        try screen.change(try text(1))
        if line != nil { #expect(screen.line("i21") == line) }
        #expect(screen.line("i20") != nil)
        #expect(screen.cursor == "i20")
    }

    @Test func `a menu stays with its row at the top of a list, too, when rows above become higher`() throws {
        var screen = ViewerScreen(rows: 12)
        screen.show(try .numbered(0..<40, list: #"{"actions":[{"id":"x","title":"X"}]}"#))
        try screen.change(.insertItems([Item(id: "new"), Item(id: "newer")], at: .before("i0")))
        screen.press(".")
        let line = try #require(screen.line("i0"))
        #expect(line == 2, "what came at the top is seen")
        let text = String(repeating: "word ", count: 300)
        try screen.change(
            .reconfigureItems([
                ItemReconfiguration(id: "new", content: try Content(json: "{\"text\":\"\(text)\",\"lines\":0}"))
            ]))
        #expect(screen.line("i0") == line, "\(screen.grid.text)")
    }

    @Test func `structure waits while a menu is open, and contents do not`() throws {
        var screen = try screen(#"{"trailingActions":[{"id":"done","title":"Done"},{"id":"later","title":"Later"}]}"#)
        screen.press(".")
        let lines = screen.lines
        try screen.change(
            .insertItems([Item(id: "new")], at: .before("i20")), .deleteItems(["i19"]),
            .reconfigureItems([ItemReconfiguration(id: "i18", content: try Content(json: #"{"text":"Changed"}"#))]))
        #expect(screen.status.contains("2 changes"), "\(screen.status)")
        #expect(screen.line("new") == nil)
        #expect(screen.line("i19") != nil)
        #expect(zip(lines, screen.lines).filter { $0 != $1 }.count == 2, "the row with another content, and the status")
        screen.press(.down)
        screen.press(.enter)
        #expect(screen.requests == [.perform(action: "later", items: ["i20"], section: nil, arguments: nil)])
        #expect(screen.line("new") != nil)
        #expect(screen.line("i19") == nil)
        #expect(!screen.status.contains("change"))
    }

    /// The panels over the row under the cursor, and the keys that close them.
    enum Opening: CaseIterable {
        case menu, question, swipe, drag, range

        func open(_ screen: inout ViewerScreen) throws {
            switch self {
            case .menu: screen.press(".")
            case .question: screen.press("x")
            case .swipe: screen.press("<")
            case .range: screen.press("v")
            case .drag:
                let line = try #require(screen.line("i20"))
                screen.handle(.mouse(MouseEvent(.press(.left), column: 5, row: line)))
                screen.handle(.mouse(MouseEvent(.drag(.left), column: 5, row: line - 1)))
            }
        }
    }

    @Test(arguments: Opening.allCases)
    func `structure waits while anything lies open over rows, and contents do not`(opening: Opening) throws {
        var screen = try screen(
            #"""
            {"canReorder":true,"selection":"multiple","trailingActions":[{"id":"done","title":"Done"},
             {"id":"x","title":"Burn","key":"x","style":"destructive","patch":{}}]}
            """#)
        try opening.open(&screen)
        let line = try #require(screen.line("i15"))
        try screen.change(
            .insertItems([Item(id: "new")], at: .before("i15")), .deleteItems(["i20"]),
            .moveItem("i0", to: .after("i39")),
            .reconfigureItems([ItemReconfiguration(id: "i15", content: try Content(json: #"{"text":"Changed"}"#))]))
        #expect(screen.line("i15") == line)
        #expect(screen.line("new") == nil)
        #expect(screen.line("i20") != nil)
        #expect(screen.grid.text.contains("Changed"))
        #expect(screen.status.contains("3 changes"), "\(screen.status)")
        screen.press(.escape)
        #expect(screen.line("i20") == nil)
        #expect(screen.cursor == "i21")
        #expect(!screen.status.contains("change"))
        #expect(screen.requests.isEmpty)
    }

    @Test func `another kind, which makes it look different, leaves a row on its line`() throws {
        var screen = try screen(
            #"{"kinds":{"card":{"secondaryText":"A second line","lines":0,"text":"\#(String(repeating: "many words ", count: 30))"}}}"#
        )
        let line = try #require(screen.line("i20"))
        for item in ["i19", "i20", "i21"] as [ItemID] {
            try screen.change(.reloadItems([ItemReload(id: item, kind: "card")]))
            #expect(screen.line("i20") == line)
            #expect(screen.cursor == "i20")
        }
    }

    @Test func `a list that is deleted and made again is followed, and the cursor goes back to its row`() throws {
        var screen = try screen()
        let list = screen.snapshot
        let line = try #require(screen.line("i20"))
        screen.handle(.absent(.deleted, list: 0))
        #expect(screen.lines[0].contains("The list list was deleted"))
        #expect(screen.line("i20") != nil, "what it was is seen")
        screen.press(.enter)
        #expect(screen.requests.isEmpty)
        for isReturning in [true, false] {
            screen.handle(.absent(.deleted, list: 0))
            screen.show(Snapshot(), epoch: "\(isReturning)")
            #expect(!screen.lines[0].contains("deleted"))
            if !isReturning { screen.press("g") }
            screen.show(list, epoch: "\(isReturning)")
            #expect(screen.cursor == (isReturning ? "i20" : "i0"))
            if isReturning { #expect(screen.line("i20") == line) }
        }
    }

    @Test func `a list that may not be read any more says so on its tab, others go on, and it comes back`() throws {
        var screen = ViewerScreen(lists: ["one", "two"])
        screen.showJustNow(try .numbered(0..<4))
        screen.showJustNow(try .numbered(10..<14), list: 1)
        screen.handle(.absent(.notReadable, list: 1))
        #expect(screen.lines[0].contains("not readable: two") && screen.grid.text.contains("Row i3"))
        screen.showJustNow(try .numbered(0..<5))
        #expect(screen.grid.text.contains("Row i4"))
        screen.press("]")
        #expect(screen.lines[0].contains("You may no longer read the list two"))
        #expect(screen.grid.text.contains("Row i10"), "its last state is shown")
        screen.press("e")
        #expect(screen.effects.isEmpty && screen.grid.text.contains("no longer read this list: nothing was done"))
        screen.showJustNow(try .numbered(10..<15), list: 1)
        #expect(!screen.lines[0].contains("not readable") && !screen.lines[0].contains("no longer read"))
        #expect(screen.grid.text.contains("Row i14"))
    }

    @Test func `what was changed in a list of another epoch is not undone in this one`() throws {
        var screen = try screen(#"{"trailingActions":[{"id":"done","title":"Done","key":"d","patch":{"done":true}}]}"#)
        screen.press("d")
        screen.handle(.reply(ViewerReply(request: 1, .done(revision: 2))))
        screen.handle(.absent(.deleted, list: 0))
        screen.show(screen.snapshot, epoch: "another")
        screen.press("u")
        #expect(screen.requests.isEmpty)
        #expect(screen.status.contains("You have made no change here"))
    }

    @Test(arguments: [false, true])
    func `a change is marked in three steps, and where motion is reduced by its sign alone`(reducesMotion: Bool) throws
    {
        var screen = ViewerScreen { $0.reducesMotion = reducesMotion }
        screen.show(try .numbered(0..<4))
        let line = try #require(screen.line("i2"))
        screen.showJustNow(
            try screen.snapshot.applying([
                .reconfigureItems([ItemReconfiguration(id: "i2", content: try Content(json: #"{"text":"Row i2"}"#))]),
                .reloadItems([ItemReload(id: "i2", content: try Content(json: #"{"text":"Row i2","badge":7}"#))]),
            ]))
        let marked = screen.lines[line]
        for ground: BackgroundRole in [.changed, .changedFading, .changedFaint] {
            let cells = screen.grid.row(line).filter { $0.style.ground == ground }
            #expect(
                cells.map { screen.grid.text(of: $0) }.joined() == (reducesMotion ? "" : " 7 "), "only the new text")
            screen.wait(.milliseconds(399))
            #expect(screen.lines[line] == marked)
            screen.wait(.milliseconds(1))
        }
        #expect(screen.lines[line] != marked, "its sign goes")
        #expect(screen.viewer.deadline == nil, "nothing wakes up any more")
    }

    private func marked(_ screen: ViewerScreen) -> String {
        screen.grid.cells.filter { $0.style.ground == .changed }.map { screen.grid.text(of: $0) }.joined()
    }

    @Test func `a move and an own change are not marked, nor are changes of more than a third of the screen`() throws {
        var screen = try screen(#"{"trailingActions":[{"id":"done","title":"Done","key":"d","patch":{"done":true}}]}"#)
        func named(_ ids: some Sequence<ItemID>, _ text: String) throws -> Snapshot {
            let content = try Content(json: "{\"text\":\"\(text)\"}")
            return try screen.snapshot.applying([
                .reconfigureItems(ids.map { ItemReconfiguration(id: $0, content: content) })
            ])
        }
        screen.showJustNow(try named(["i20"], "One"))
        #expect(marked(screen) == "One", "\(screen.grid.text)")
        screen.wait(.seconds(2))
        screen.showJustNow(try screen.snapshot.applying([.moveItem("i20", to: .after("i21"))]))
        #expect(marked(screen).isEmpty)
        // Its reply may come after the change, or before it.
        screen.press("d")
        screen.showJustNow(try named(["i20"], "Two"))
        #expect(marked(screen).isEmpty)
        let visible = try (0..<40).map { try ItemID("i\($0)") }.filter { screen.line($0) != nil }
        screen.handle(.reply(ViewerReply(request: 1, .refused("no"))))
        screen.showJustNow(try named(visible.prefix(3), "Three"))
        #expect(marked(screen) == "ThreeThreeThree")
        screen.showJustNow(try named(visible.suffix(2), "Four"))
        #expect(marked(screen).isEmpty, "with the marks before it, these are more than a third")
    }

    @Test func `nothing spins where motion is reduced`() throws {
        var screen = ViewerScreen { $0.reducesMotion = true }
        screen.show(
            try Snapshot([
                Section(id: "s", items: [Item(id: "a", content: try Content(json: #"{"hasChildren":true}"#))])
            ]))
        screen.press(.right)
        #expect(screen.requests == [.expand("a")])
        screen.wait(.milliseconds(150))
        let waiting = screen.lines[0]
        #expect(screen.viewer.deadline == nil, "nothing wakes up for a spinner")
        screen.wait(.milliseconds(300))
        #expect(screen.lines[0] == waiting)
    }

    @Test func `structure waits by hand`() throws {
        var screen = try screen()
        screen.press("p")
        try screen.change(.deleteItems(["i20"]))
        #expect(screen.cursor == "i20")
        #expect(screen.status.contains("1 change  paused"))
        screen.press("p")
        #expect(screen.cursor == "i21")
    }

    @Test func `a window of a million rows goes where its reader goes, and no key waits`() throws {
        var screen = ViewerScreen(rows: 22)
        func rows(_ range: Range<Int>) throws -> Snapshot { try .numbered(range) }
        screen.show(try rows(0..<2_000), extent: .init(offset: 0, total: 1_000_000))
        screen.press("G")
        #expect(screen.cursor == "placeholder 999999")
        guard case .setView(0, let json, let number)? = screen.effects.first else {
            Issue.record("no other window was asked for: \(screen.effects)")
            return
        }
        #expect(json == #"{"window":{"limit":66,"offset":999934}}"#)
        screen.press("k")
        #expect(screen.cursor == "placeholder 999998")
        #expect(screen.effects.isEmpty, "one question is under way")
        screen.show(
            try rows(999_934..<1_000_000), extent: .init(offset: 999_934, total: 1_000_000), queryNumber: number)
        #expect(screen.cursor == "i999998")
        screen.press("g")
        #expect(screen.cursor == "placeholder 0")
    }
}
