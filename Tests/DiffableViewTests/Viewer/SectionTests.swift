import Diffable
import DiffableJSON
import DiffableView
import Testing

/// Distinguishing sections, and moving between them.
@Suite struct SectionTests {
    private func section(_ name: String, _ count: Int, _ content: String) throws -> Section {
        Section(
            id: try SectionID(name), content: try Content(json: content),
            items: try (0..<count).map { Item(id: try ItemID("\(name)\($0)")) })
    }

    @Test func `Tab shows the next section from its header on, and Shift-Tab the first one from the title on`() throws {
        var screen = ViewerScreen()
        screen.show(
            try Snapshot(
                ["a", "b"].map { try section($0, 20, #"{"header":"Section \#($0)"}"#) },
                content: try Content(json: #"{"title":"All"}"#)))
        screen.press(.tab)
        #expect(screen.cursor == "b0")
        #expect(screen.lines[0].contains("Section b"), "\(screen.grid.text)")
        #expect(screen.line("b0") == 1)
        screen.press(.tab, .shift)
        #expect(screen.cursor == "a0")
        #expect(screen.lines[0].contains("All"), "\(screen.grid.text)")
        // Visible rows stay in place.
        screen.press("jjj")
        let line = screen.line("a0")
        screen.press(.tab, .shift)
        #expect(screen.cursor == "a0" && screen.line("a0") == line)
    }

    @Test func `Tab to a section that begins on the last line shows more of it`() throws {
        var screen = ViewerScreen()
        screen.show(
            try Snapshot([try section("a", 8, #"{"header":"A"}"#), try section("b", 20, #"{"header":"Section B"}"#)]))
        #expect(screen.line("b0") == 10)
        screen.press(.tab)
        #expect(screen.cursor == "b0")
        #expect(screen.lines[0].contains("Section B"), "\(screen.grid.text)")
    }

    @Test func `Alt with an arrow moves a row into the next section that allows it, and back`() throws {
        var screen = ViewerScreen()
        screen.show(
            try Snapshot([
                try section("a", 2, #"{"canReorder":true}"#), try section("b", 0, #"{"header":"B","canReorder":true}"#),
                try section("c", 1, #"{"header":"C"}"#),
            ]))
        screen.press("j")
        screen.press(.down, .alt)
        #expect(
            screen.requests == [
                .propose(operations: #"[{"op":"moveItem","item":"a1","section":"b","after":null}]"#)
            ])
        screen.press(.down, .alt)
        try screen.change(.moveItem("a1", to: .front(of: .section("b"))))
        #expect(screen.cursor == "a1")
        screen.handle(.reply(ViewerReply(request: 1, .done(revision: 2))))
        #expect(screen.requests.isEmpty && screen.status.contains("already the last"), "c does not allow it")
        screen.press(.up, .alt)
        #expect(screen.requests == [.propose(operations: #"[{"op":"moveItem","item":"a1","section":"a"}]"#)])
    }

    @Test func `a blank line tells sections without headers from each other`() throws {
        var screen = ViewerScreen()
        screen.show(
            try Snapshot([
                try section("a", 2, "{}"), try section("empty", 0, "{}"), try section("b", 1, "{}"),
                try section("c", 1, #"{"header":"C","footer":"The end of C"}"#), try section("d", 1, "{}"),
            ]))
        #expect(screen.line("a0") == 0 && screen.line("a1") == 1)
        #expect(screen.line("b0") == 3)
        #expect(screen.line("c0") == 5, "a header does it too")
        #expect(screen.line("d0") == 8, "and so does a footer, which has a blank line of its own")
    }
}
