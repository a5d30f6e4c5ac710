import Diffable
import DiffableView
import Testing

/// Tabs of more lists than fit side by side.
@Suite struct TabTests {
    private func screen(_ count: Int, columns: Int) throws -> ViewerScreen {
        ViewerScreen(columns: columns, lists: try (0..<count).map { try ListName("list-\($0).") })
    }

    @Test(arguments: [12, 20, 40, 80])
    func `the current tab is always visible, and marks say where there are more`(columns: Int) throws {
        var screen = try screen(15, columns: columns)
        for current in 0..<15 {
            let tabs = screen.lines[0]
            #expect(tabs.contains("list-\(current)."), "\(current): \(tabs)")
            #expect(tabs.hasPrefix("‹") == !tabs.contains("list-0."), "\(current): \(tabs)")
            #expect((tabs.count == columns && tabs.hasSuffix("›")) == !tabs.contains("list-14."), "\(current): \(tabs)")
            screen.press("]")
        }
        #expect(screen.lines[0].contains("list-0."), "behind the last tab comes the first one")
        screen.press("[")
        #expect(screen.lines[0].contains("list-14."))
    }

    @Test func `tabs that all fit stay where they are, without marks`() throws {
        var screen = try screen(3, columns: 80)
        let first = screen.lines[0]
        screen.press("]")
        #expect(screen.lines[0] == first && !first.contains("›") && !first.contains("‹"))
    }

    @Test func `a click on a mark goes to the nearest hidden tab, and a click on a tab goes there`() throws {
        var screen = try screen(15, columns: 40)
        screen.press("]]]]]]]]")
        func click(_ column: Int) { screen.handle(.mouse(MouseEvent(.press(.left), column: column, row: 0))) }
        let shown = (0..<15).filter { screen.lines[0].contains("list-\($0).") }
        click(0)
        #expect(screen.lines[0].contains("list-\(shown[0] - 1)."))
        let tabs = screen.lines[0]
        click(39)
        let last = (0..<15).filter { tabs.contains("list-\($0).") }.last!
        #expect(screen.lines[0].contains("list-\(last + 1)."))
    }

    @Test func `with one column too few a title is cut, and the tab is there all the same`() throws {
        for columns in 5..<20 {
            var screen = try screen(4, columns: columns)
            for _ in 0..<4 {
                #expect(screen.lines[0].contains { $0 != "‹" && $0 != "›" && $0 != " " }, "\(columns)")
                screen.press("]")
            }
        }
    }
}
