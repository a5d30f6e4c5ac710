import Diffable
import DiffableJSON
import DiffableView
import Testing

/// Actions at a row's ends that need more room than the row has.
@Suite struct SwipeTests {
    private func list(_ titles: [String], _ member: String = "trailingActions") -> String {
        let actions = titles.enumerated().map { index, title in
            #"{"id":"a\#(index)","title":"\#(title)","key":"\#(index)","patch":{"n":\#(index)}}"#
        }
        return "{\"\(member)\":[\(actions.joined(separator: ","))]}"
    }

    private let titles = (0..<9).map { "Action number \($0)" }

    @Test(arguments: ["trailingActions", "leadingActions"], [24, 40, 60, 80])
    func `the chosen action is always visible, and it is the one that runs`(member: String, columns: Int) throws {
        let key = member == "trailingActions" ? "<" : ">"
        for steps in 0..<9 {
            var screen = ViewerScreen(columns: columns)
            screen.show(try .numbered(0..<4, list: list(titles, member)))
            screen.press(key)
            for _ in 0..<steps { screen.press(.right) }
            let line = screen.lines[try #require(screen.line("i0"))]
            #expect(line.contains("▌Action number \(steps)"), "\(line)")
            #expect(line.contains("‹") == !line.contains("number 0"), "\(line)")
            #expect(line.contains("›") == !line.contains("number 8"), "\(line)")
            screen.press(.enter)
            #expect(requested(screen) == "\(steps)")
        }
    }

    /// Returns the value of `n` in the only request.
    private func requested(_ screen: ViewerScreen) -> String? {
        guard case .transact(let operations)? = screen.requests.first, screen.requests.count == 1 else { return nil }
        return operations.firstMatch(of: #/"n":(\d+)/#).map { String($0.output.1) }
    }

    @Test func `the key of an action that is out of sight shows it, and does it when it is pressed again`() throws {
        var screen = ViewerScreen(columns: 40)
        screen.show(try .numbered(0..<4, list: list(titles)))
        screen.press("<7")
        #expect(screen.requests.isEmpty)
        #expect(screen.lines[try #require(screen.line("i0"))].contains("▌Action number 7"))
        screen.press("7")
        #expect(requested(screen) == "7")
    }

    @Test func `a press on an action does that one, also in a strip that has scrolled`() throws {
        var screen = ViewerScreen(columns: 40)
        screen.show(try .numbered(0..<4, list: list(titles)))
        screen.press("<")
        for _ in 0..<5 { screen.press(.right) }
        let row = try #require(screen.line("i0"))
        let line = screen.lines[row]
        let place = try #require(line.firstRange(of: "number 4"))
        let column = line.distance(from: line.startIndex, to: place.lowerBound)
        screen.handle(.mouse(MouseEvent(.press(.left), column: column, row: row)))
        #expect(requested(screen) == "4")
    }

    @Test func `where no action fits there is the menu`() throws {
        var screen = ViewerScreen(columns: 6)
        screen.show(try .numbered(0..<4, list: list(titles)))
        screen.press("<")
        screen.press(.escape)
        #expect(screen.requests.isEmpty)
        screen.press("<")
        screen.handle(.resized(columns: 40, rows: 12))
        #expect(screen.grid.text.contains("Action number 3"), "a menu has one line for each")
    }

    @Test func `actions that changed while they lay open are not done`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<4, list: list(["Keep", "Wait"])))
        screen.press("<")
        try screen.change(
            .reconfigureItems([ItemReconfiguration(id: "i0", content: try Content(json: list(["Burn", "Wait"])))]))
        #expect(screen.grid.text.contains("Burn"))
        screen.press(.enter)
        #expect(screen.requests.isEmpty)
        #expect(screen.status.contains("have just changed: nothing was done"), "\(screen.grid.text)")
    }
}
