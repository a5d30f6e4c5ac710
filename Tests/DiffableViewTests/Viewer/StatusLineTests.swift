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
        // Without a word of one's own it is again what it was at the start.
        screen.press("w")
        screen.press(.enter)
        #expect(screen.status.contains("where cpu>10"), "\(screen.status)")
    }
}
