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
}
