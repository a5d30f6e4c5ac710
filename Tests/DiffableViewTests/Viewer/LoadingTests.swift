import Diffable
import DiffableView
import Testing

@Suite struct LoadingTests {
    @Test func `a list is called empty only when it is known to be empty`() throws {
        var screen = ViewerScreen(lists: ["one", "two"])
        #expect(!screen.grid.text.contains("Nothing"))
        #expect(screen.status.contains("Loading one"))
        screen.showJustNow(Snapshot())
        #expect(screen.grid.text.contains("Nothing here"))
        screen.press("]")
        #expect(!screen.grid.text.contains("Nothing"))
        #expect(screen.status.contains("Loading two"))
        screen.showJustNow(try .numbered(0..<3), list: 1)
        #expect(screen.grid.text.contains("Row i2"))
        #expect(screen.cursor == "i0")
    }

    @Test func `a search at the start says that nothing matches only when it is answered`() {
        var screen = ViewerScreen { $0.filter.search = "milk" }
        #expect(!screen.grid.text.contains("Nothing"))
        screen.show(Snapshot())
        #expect(screen.grid.text.contains("Nothing matches"))
    }
}
