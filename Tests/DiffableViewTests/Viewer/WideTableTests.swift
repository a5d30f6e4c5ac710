import Diffable
import DiffableJSON
import DiffableView
import Testing

@Suite struct WideTableTests {
    private func screen(columns: Int = 60, _ list: String = "") throws -> ViewerScreen {
        var screen = ViewerScreen(columns: columns)
        let members = (0..<9).map { "\"column\($0)\":\"a value of column \($0)\"" }.joined(separator: ",")
        let items = try (0..<5).map { index in
            Item(
                id: try ItemID("i\(index)"), content: try Content(json: "{\"name\":\"row \(index)\",\(members)}"),
                children: list.isEmpty || index > 0
                    ? [] : [Item(id: "child", content: try Content(json: "{\"name\":\"child\"}"))])
        }
        screen.show(
            try Snapshot([Section(id: "s", items: items)], content: try Content(json: #"{"layout":"table"}"#)))
        return screen
    }

    @Test func `the arrows go across its columns, and the first column stays`() throws {
        var screen = try screen()
        #expect(!screen.grid.text.contains("a value of column 8"))
        #expect(screen.lines[0].contains("›") && !screen.lines[0].contains("‹"), "\(screen.grid.text)")
        let titles = screen.lines[0]
        var presses = 0
        while screen.lines[0].contains("›"), presses < 20 {
            screen.press(.right)
            presses += 1
            #expect(screen.lines.contains { $0.contains("row 0") })
        }
        #expect((2..<9).contains(presses))
        #expect(screen.grid.text.contains("a value of column 8"), "\(screen.grid.text)")
        #expect(screen.lines[0].contains("‹") && !screen.grid.text.contains("column0"))
        let end = screen.grid.text
        screen.press(.right)
        #expect(screen.grid.text == end, "there is nothing beyond the last column")
        for _ in 0..<presses { screen.press("h") }
        #expect(screen.lines[0] == titles)
        #expect(screen.cursor == "i0")
    }

    @Test func `others change nothing of the columns that one has gone to`() throws {
        var screen = try screen()
        screen.press("lll")
        let titles = screen.lines[0]
        try screen.change(
            .insertItems(
                [Item(id: "new", content: try Content(json: #"{"name":"new","column0":"x"}"#))], at: .before("i0")))
        #expect(screen.lines[0] == titles)
        #expect(screen.line("new") != nil)
    }

    @Test func `in an outline Shift and the wheel go across, and the arrows in and out`() throws {
        var screen = try screen("outline")
        screen.press(.right)
        #expect(screen.line("child") != nil)
        #expect(!screen.lines[0].contains("‹"))
        screen.press(.right, .shift)
        #expect(screen.lines[0].contains("‹"))
        screen.press(.left, .shift)
        #expect(!screen.lines[0].contains("‹"))
        screen.handle(.mouse(MouseEvent(.wheel(.right), column: 5, row: 3)))
        #expect(screen.lines[0].contains("‹"))
    }

    @Test func `a table that fits has nothing beside it`() throws {
        var screen = try screen(columns: 250)
        let whole = screen.grid.text
        #expect(whole.contains("column8") && !screen.lines[0].contains("›"))
        screen.press(.right)
        #expect(screen.grid.text == whole)
    }

    @Test func `no column is cut beside the room of one that is left out`() throws {
        var screen = ViewerScreen(columns: 51)
        let others = (0..<5).map { "\"c\($0)\":\"a long value of \($0)\"" }.joined(separator: ",")
        let item = Item(id: "a", content: try Content(json: "{\"pid\":1234567890,\(others)}"))
        screen.show(
            try Snapshot(
                [Section(id: "s", items: [item])],
                content: try Content(json: #"{"layout":"table"}"#)))
        #expect(screen.lines[0].contains("c2") && !screen.lines[0].contains("c4"), "\(screen.grid.text)")
        #expect(screen.grid.text.contains("1234567890"), "\(screen.grid.text)")
    }
}
