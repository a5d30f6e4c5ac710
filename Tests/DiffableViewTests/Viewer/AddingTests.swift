import Diffable
import DiffableJSON
import DiffableView
import Testing

@Suite struct AddingTests {
    private func screen(_ list: String = #"{"canInsert":true}"#) throws -> ViewerScreen {
        var screen = ViewerScreen { $0.newID = { "new" } }
        screen.show(try .numbered(0..<8, list: list))
        return screen
    }

    @Test func `what is typed behind + is proposed as an item behind the cursor's, which the cursor goes to`() throws {
        var screen = try screen()
        screen.press("j+Pay rent")
        #expect(screen.lines[2] == "▌ Pay rent", "\(screen.grid.text)")
        #expect(screen.grid.cursor == Grid.Position(column: 10, row: 2))
        #expect(screen.line("i2") == 3, "the rows below make room")
        #expect(screen.status.contains("Enter adds the row"))
        #expect(screen.requests.isEmpty)
        screen.press(.enter)
        #expect(
            screen.requests == [
                .propose(
                    operations:
                        #"[{"op":"insertItems","after":"i1","items":[{"id":"new","content":{"text":"Pay rent"}}]}]"#)
            ])
        try screen.change(.insertItems([Item(id: "new")], at: .after("i1")))
        #expect(screen.cursor == "i1")
        screen.handle(.reply(ViewerReply(request: 1, .done(revision: 2))))
        #expect(screen.cursor == "new")
        screen.press("u")
        #expect(screen.requests == [.undo(to: 1, ifRevision: 2)])
    }

    @Test func `a new row is typed where it will be: in an outline, at the end of the screen, in an empty list`() throws
    {
        var screen = ViewerScreen()
        let child = Item(id: "child", content: try Content(json: #"{"text":"Child"}"#))
        screen.show(
            try Snapshot(
                [
                    Section(
                        id: "s",
                        items: [
                            Item(
                                id: "a", content: try Content(json: #"{"text":"A"}"#), isExpanded: true,
                                children: [child]),
                            Item(id: "b", content: try Content(json: #"{"text":"B"}"#)),
                        ])
                ], content: try Content(json: #"{"canInsert":true}"#)))
        screen.press("+New")
        #expect(screen.lines.prefix(4) == ["  ▾ A", "      Child", "▌   New", "    B"], "\(screen.grid.text)")
        screen.press(.escape)
        screen.press("j+New")
        #expect(screen.lines[2] == "▌     New", "\(screen.grid.text)")
        screen = try self.screen()
        screen.show(try .numbered(0..<40, list: #"{"canInsert":true}"#))
        screen.press("G+Last")
        #expect(screen.lines[10].hasPrefix("▌ Last "), "\(screen.grid.text)")
        screen.press(.up)
        #expect(screen.lines[10].contains("Last"), "the arrows do not leave it")
        screen = ViewerScreen()
        screen.show(try .rows([], list: #"{"canInsert":true}"#))
        screen.press("+First")
        #expect(screen.lines.contains("▌ First"), "\(screen.grid.text)")
    }

    @Test func `a long text scrolls in its field`() throws {
        var screen = ViewerScreen(columns: 20) { $0.newID = { "new" } }
        screen.show(try .numbered(0..<3, list: #"{"canInsert":true}"#))
        screen.press("+abcdefghijklmnopqrstuvwxyz")
        #expect(screen.lines[1] == "▌ lmnopqrstuvwxyz", "\(screen.grid.text)")
        #expect(screen.grid.cursor == Grid.Position(column: 17, row: 1))
        screen.press(.home)
        #expect(screen.lines[1].hasPrefix("▌ abcdefg") && screen.grid.cursor == Grid.Position(column: 2, row: 1))
    }

    @Test func `a new item is of its neighbour's kind`() throws {
        var screen = ViewerScreen { $0.newID = { "new" } }
        screen.show(
            try Snapshot(
                [Section(id: "s", items: [Item(id: "a", kind: "todo")])],
                content: try Content(json: #"{"canInsert":true}"#)))
        screen.press("+x")
        screen.press(.enter)
        #expect(
            screen.requests == [
                .propose(
                    operations:
                        #"[{"op":"insertItems","after":"a","items":[{"id":"new","kind":"todo","content":{"text":"x"}}]}]"#
                )
            ])
    }

    @Test func `the item before it may go while somebody types, and a list may be empty`() throws {
        var screen = try screen()
        screen.press("j+x")
        try screen.change(.deleteItems(["i1"]))
        screen.press(.enter)
        let item = #"{"id":"new","content":{"text":"x"}}"#
        #expect(
            screen.requests == [
                .propose(operations: #"[{"op":"insertItems","section":"main","after":null,"items":[\#(item)]}]"#)
            ])
        screen = ViewerScreen { $0.newID = { "new" } }
        screen.show(try .rows([], list: #"{"canInsert":true}"#))
        screen.press("+x")
        screen.press(.enter)
        #expect(screen.requests == [.propose(operations: #"[{"op":"appendItems","items":[\#(item)]}]"#)])
    }

    @Test func `nothing is added where the list does not say so, in a picker, or without a text`() throws {
        var screen = try screen("{}")
        screen.press("+")
        #expect(screen.status.contains("No rows can be added here"))
        screen = try self.screen()
        screen.press("+ ")
        screen.press(.enter)
        #expect(screen.effects.isEmpty)
        screen.press("+x")
        screen.press(.escape)
        #expect(screen.effects.isEmpty)
        screen = ViewerScreen { $0.picking = .single }
        screen.show(try .numbered(0..<8, list: #"{"canInsert":true}"#))
        screen.press(.character("o"), .control)
        screen.press("+")
        #expect(screen.status.contains("Enter picks"))
    }

    @Test func `E shows what rows have for editing`() throws {
        let accessories =
            #"["reorder",{"type":"delete","displayed":"editing"},{"type":"detail","displayed":"notEditing"}]"#
        var screen = ViewerScreen()
        screen.show(
            try .numbered(
                0..<3,
                list: #"{"kinds":{"":{"accessories":\#(accessories)}},"trailingActions":[{"id":"x","title":"Burn"}]}"#))
        #expect(screen.lines[0].contains("ⓘ") && !screen.lines[0].contains("⊖"), "\(screen.lines[0])")
        screen.press("E")
        #expect(!screen.lines[0].contains("ⓘ") && screen.lines[0].contains("⊖"), "\(screen.lines[0])")
        #expect(screen.status.contains("editing"))
        // The sign reveals the hidden text.
        let column = screen.lines[0].prefix { $0 != "⊖" }.count
        screen.handle(.mouse(MouseEvent(.press(.left), column: column, row: 0)))
        #expect(screen.lines[0].contains("Burn"), "\(screen.lines[0])")
        screen.press(.escape)
        screen.press("E")
        #expect(!screen.lines[0].contains("⊖"))
    }

    private func added(kind: Kind? = nil, _ list: String) throws -> String? {
        var screen = ViewerScreen { $0.newID = { "new" } }
        screen.show(
            try Snapshot(
                [Section(id: "s", items: [Item(id: "a", kind: kind, content: try Content(json: #"{"name":"A"}"#))])],
                content: try Content(json: list)))
        screen.press("+x")
        screen.press(.enter)
        guard case .propose(let operations)? = screen.requests.first else { return nil }
        return operations.split(separator: #""content":"#).last.map(String.init)
    }

    @Test func `a new row of a table has its text in the first column`() throws {
        #expect(try added(#"{"canInsert":true,"layout":"table"}"#) == #"{"name":"x"}}]}]"#)
        let columns = #""columns":[{"path":"/who/a~1b~0c"},"name"]"#
        #expect(
            try added(#"{"canInsert":true,"layout":"table",\#(columns)}"#) == #"{"who":{"a/b~c":"x"}}}]}]"#)
        #expect(
            try added(#"{"canInsert":true,"layout":"table","columns":["id","name"]}"#) == #"{"text":"x"}}]}]"#,
            "an id is no content")
    }

    @Test func `a new row has its text where its kind says that it is`() throws {
        let kinds = #""kinds":{"todo":{"text":{"path":"/summary"}}}"#
        #expect(try added(kind: "todo", #"{"canInsert":true,\#(kinds)}"#) == #"{"summary":"x"}}]}]"#)
        #expect(try added(#"{"canInsert":true,\#(kinds)}"#) == #"{"text":"x"}}]}]"#)
    }

    @Test func `what is typed behind a + that was refused is not done as commands`() throws {
        var screen = try screen("{}")
        screen.press("+Give up: yes, quit")
        #expect(screen.effects.isEmpty)
        #expect(screen.status.contains("No rows can be added here"))
        #expect(screen.cursor == "i0")
        screen.press(.enter)
        screen.press("j")
        #expect(screen.cursor == "i1", "it ended with Enter")
        // After the message, any key continues.
        screen.press("+")
        screen.press(.down)
        #expect(screen.cursor == "i2")
        screen.press("+")
        screen.wait(.milliseconds(700))
        screen.press("q")
        #expect(screen.effects == [.quit(picked: nil)])
    }
}
