import Diffable
import DiffableJSON
import DiffableView
import Testing

@Suite struct StatusLineTests {
    @Test func `the status line says which part of the list is shown, and in which order`() throws {
        var screen = ViewerScreen(columns: 120) { options in
            options.filter.sections = ["home", "work"]
            options.filter.condition = #"{"path":"/cpu","greaterThan":10}"#
            options.filter.conditionWords = "cpu>10"
            options.filter.sort = ["\"/due\""]
            options.filter.sortWords = "-.due"
        }
        screen.show(try .numbered(0..<3))
        screen.wait(.seconds(20))
        #expect(screen.status.contains("list  in home, work  where cpu>10  sort by -.due"), "\(screen.status)")
        screen.press("/milk")
        screen.press(.enter)
        screen.press("wn=1")
        screen.press(.enter)
        screen.press("sname")
        screen.press(.enter)
        #expect(screen.status.contains("in home, work  /milk  where n=1  sort by name"), "\(screen.status)")
        // Without a user's search, the initial text returns.
        screen.press("w")
        screen.press(.enter)
        #expect(screen.status.contains("where cpu>10"), "\(screen.status)")
    }

    private func refuse(_ screen: inout ViewerScreen, _ text: String) {
        screen.press(.up, .alt)
        screen.handle(.reply(ViewerReply(request: 1, .refused(text))))
    }

    @Test func `a message has as many lines as it takes, but none over the row under the cursor`() throws {
        let text = "The list may be changed by its owner alone. Ask somebody with `diffablectl access list`."
        var screen = ViewerScreen(columns: 40)
        screen.show(try .numbered(0..<40, list: #"{"canReorder":true}"#))
        screen.press("jj")
        refuse(&screen, text)
        let words = screen.grid.text.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains("The list may be changed"), "\(screen.grid.text)")
        #expect(words.contains("`diffablectl access list`."), "\(screen.grid.text)")
        #expect(screen.line("i10") != nil)
        screen = ViewerScreen(columns: 40)
        screen.show(try .numbered(0..<40, list: #"{"canReorder":true}"#))
        screen.press("jjjjjjjjjj")
        #expect(screen.line("i10") == 10)
        refuse(&screen, text)
        #expect(screen.lines[10].contains("Row i10"), "\(screen.grid.text)")
        #expect(screen.status.contains("The list may be changed"))
    }

    @Test func `rows under collapsed ones are not counted`() throws {
        var screen = ViewerScreen()
        let parent = Item(id: "p", children: [Item(id: "c", children: [Item(id: "d")]), Item(id: "e")])
        screen.show(try Snapshot([Section(id: "s", items: [parent, Item(id: "q")])]))
        screen.press("j")
        #expect(screen.cursor == "q" && screen.status.contains("2/2"), "\(screen.status)")
        screen.press("k")
        screen.press(.right)
        screen.press("G")
        #expect(screen.status.contains("4/4"), "\(screen.status)")
    }

    @Test func `a question says which keys answer it`() throws {
        var screen = ViewerScreen()
        let action = #"{"id":"x","title":"X","key":"x","confirm":true}"#
        screen.show(try .numbered(0..<3, list: #"{"kinds":{"":{"actions":[\#(action)]}}}"#))
        screen.press("x")
        #expect(screen.status.contains("y confirms"), "\(screen.status)")
    }

    @Test func `what is to be said of the row under the cursor stands in the status line and in plain lines`() throws {
        let look = #"{"kinds":{"":{"icon":"☁","accessibilityLabel":"cloudy, two warnings","tooltip":"since noon"}}}"#
        let list = try Snapshot.numbered(0..<3, list: look)
        var screen = ViewerScreen(columns: 100)
        screen.show(list)
        screen.press("j")
        #expect(screen.status.contains("cloudy, two warnings  since noon"), "\(screen.status)")
        #expect(screen.lines[1].contains("☁  Row i1"), "\(screen.grid.text)")
        let options = ViewerOptions(condition: { $0 }, sortKey: { $0 })
        let lines = PlainText.lines(of: list, options, columns: 60)
        #expect(lines.count { $0.contains("cloudy, two warnings") } == 3, "\(lines)")
        #expect(!lines.contains { $0.contains("Row i") || $0.contains("☁") }, "\(lines)")
    }

    private static let actions = #"""
        {"kinds":{"":{"actions":[{"id":"open","title":"Open","style":"primary"},
        {"id":"done","title":"Done","key":"d","patch":{"done":true}}],
        "trailingActions":[{"id":"drop","title":"Drop"}]}},"actions":[{"id":"tidy","title":"Tidy up","key":"c"}]}
        """#

    @Test func `the status line names the keys that work on this row, and drops whole ones on a narrow screen`() throws
    {
        var screen = ViewerScreen(columns: 80)
        screen.show(try .numbered(0..<3, list: Self.actions))
        #expect(screen.status.contains("Enter Open  d Done  < more  / search  1/3  ? help"), "\(screen.status)")
        screen = ViewerScreen(columns: 50)
        screen.show(try .numbered(0..<3, list: Self.actions))
        #expect(screen.status.contains("Enter Open  d Done  < more  1/3  ? help"), "\(screen.status)")
        screen = ViewerScreen(columns: 20)
        screen.show(try .numbered(0..<3, list: Self.actions))
        #expect(screen.status.split(separator: " ") == ["list", "1/3"], "\(screen.status)")
        screen = ViewerScreen(columns: 80)
        screen.show(try .numbered(0..<3))
        screen.press("/1")
        screen.showJustNow(try .rows(["i1"]), queryNumber: 1)
        screen.press(.enter)
        #expect(screen.status.contains("/1") && screen.status.contains("Esc all"), "\(screen.status)")
    }

    @Test func `what was done is said for three seconds, with the key that undoes it`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<3, list: Self.actions))
        screen.press("d")
        screen.handle(.reply(ViewerReply(request: 1, .done(revision: 2))))
        #expect(screen.status.hasPrefix(" Done: Row i0 · u undoes"), "\(screen.status)")
        screen.wait(.seconds(3))
        #expect(!screen.status.contains("undoes"), "\(screen.status)")
        screen.press(.enter)
        screen.handle(.reply(ViewerReply(request: 2, .done(revision: nil))))
        #expect(screen.lines.last { !$0.isEmpty } == " Open: Row i0", "\(screen.status)")
        screen.press("c")
        screen.handle(.reply(ViewerReply(request: 3, .done(revision: nil, answer: "All tidy"))))
        #expect(screen.status.hasPrefix(" All tidy"), "the handler's words come before ours: \(screen.status)")
    }

    @Test func `an error is red and has a sign, and a long one is in a box that any key closes`() throws {
        var screen = ViewerScreen(columns: 60)
        screen.show(try .numbered(0..<40, list: #"{"canReorder":true}"#))
        screen.press("j")
        refuse(&screen, "Not today")
        #expect(screen.status == " ! Not today", "\(screen.status)")
        let style = screen.grid[screen.grid.rows - 1, 3].style
        #expect(style.ink == .tint(.red))
        screen.press("j")
        #expect(!screen.status.contains("Not today"))
        let text = (0..<40).map { "word\($0)" }.joined(separator: " ")
        screen.press(.up, .alt)
        screen.handle(.reply(ViewerReply(request: 2, .refused(text))))
        let words = screen.grid.text.split { $0.isWhitespace || $0 == "│" }.joined(separator: " ")
        #expect(words.contains(text.split(separator: " ").prefix(30).joined(separator: " ")), "\(screen.grid.text)")
        #expect(screen.grid.text.contains("OK"))
        screen.press("q")
        #expect(!screen.grid.text.contains("word0") && screen.effects.isEmpty)
    }

    @Test func `the terminal's cursor is hidden while no text is typed, unless it is kept for screen readers`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<3, list: Self.actions))
        #expect(screen.grid.cursor == nil)
        screen.press(".")
        #expect(screen.grid.cursor == nil)
        screen.press(.escape)
        screen.press("/ab")
        #expect(screen.grid.cursor == Grid.Position(column: 4, row: 11))
        var kept = ViewerScreen { $0.showsCursor = true }
        kept.show(try .numbered(0..<3, list: Self.actions))
        kept.press("j")
        #expect(kept.grid.cursor?.row == 1)
    }

    @Test func `? begins with the row's own keys, and / finds keys`() throws {
        var screen = ViewerScreen(rows: 40)
        screen.show(try .numbered(0..<3, list: Self.actions))
        screen.press("?")
        let help = screen.lines.map { $0.split { $0 == " " || $0 == "│" }.joined(separator: " ") }
        #expect(
            Array(help[1...8]) == ["“Row i0”", "Enter Open", "d Done", ". Drop", "", "list", "c Tidy up", ""], "\(help)"
        )
        #expect(help.contains("↑ ↓ k j go up or down a row"))
        screen.press("/half")
        #expect(screen.status.hasPrefix(" /half"), "\(screen.status)")
        #expect(
            screen.grid.text.contains("scroll half a screen") && !screen.grid.text.contains("Open"),
            "\(screen.grid.text)")
        screen.press(.enter)
        screen.press("j")
        #expect(screen.grid.text.contains("scroll half a screen"), "\(screen.grid.text)")
        screen.press("/")
        screen.press(.escape)
        #expect(screen.grid.text.contains("Open"))
        screen.press("q")
        #expect(!screen.grid.text.contains("“Row i0”") && screen.effects.isEmpty)
    }
}
