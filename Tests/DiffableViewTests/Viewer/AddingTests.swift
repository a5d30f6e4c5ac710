import Diffable
import DiffableJSON
import DiffableView
import Testing

/// New items that are typed.
@Suite struct AddingTests {
    private func screen(_ list: String = #"{"canInsert":true}"#) throws -> ViewerScreen {
        var screen = ViewerScreen { $0.newID = { "new" } }
        screen.show(try .numbered(0..<8, list: list))
        return screen
    }

    @Test func `what is typed behind + is proposed as an item behind the cursor's, which the cursor goes to`() throws {
        var screen = try screen()
        screen.press("j+Pay rent")
        #expect(screen.status.contains("new: Pay rent"), "\(screen.status)")
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
        // The sign lays open what it stands for.
        let column = screen.lines[0].prefix { $0 != "⊖" }.count
        screen.handle(.mouse(MouseEvent(.press(.left), column: column, row: 0)))
        #expect(screen.lines[0].contains("Burn"), "\(screen.lines[0])")
        screen.press(.escape)
        screen.press("E")
        #expect(!screen.lines[0].contains("⊖"))
    }
}
