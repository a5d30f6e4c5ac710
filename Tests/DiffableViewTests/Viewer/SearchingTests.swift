import Diffable
import DiffableJSON
import DiffableView
import Testing

/// The place of the cursor after a search.
@Suite struct SearchingTests {
    private func asked(_ screen: ViewerScreen) -> String? {
        screen.effects.compactMap { if case .setView(_, let json, _) = $0 { json } else { nil } }.first
    }

    @Test func `the end of a search leaves the cursor on what was found, however far down that is`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<2_000), extent: .init(offset: 0, total: 10_000))
        screen.press("/9000")
        screen.show(try .rows(["i9000"]), extent: .init(offset: 0, total: 1), queryNumber: 1)
        screen.show(try .rows(["i9000"]), extent: .init(offset: 0, total: 1), queryNumber: 2)
        screen.press(.enter)
        #expect(screen.cursor == "i9000")
        let line = try #require(screen.line("i9000"))
        screen.press(.escape)
        #expect(asked(screen) == #"{"window":{"limit":2000,"anchor":"i9000"}}"#)
        screen.show(try .numbered(9_000..<10_000), extent: .init(offset: 9_000, total: 10_000), queryNumber: 3)
        #expect(screen.cursor == "i9000")
        #expect(screen.line("i9000") == line)
    }

    @Test func `of a search that is typed faster than it is read only the end is asked for`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<2_000), extent: .init(offset: 0, total: 10_000))
        screen.press("/")
        for letter in "90" {
            screen.handle(.keysWait)
            screen.press(String(letter))
            #expect(asked(screen) == nil)
        }
        screen.press("0")
        #expect(asked(screen)?.isSearch(for: "900") == true)
        screen.show(try .rows(["i900"]), extent: .init(offset: 0, total: 1), queryNumber: 1)
        // An unfinished key sequence delays nothing, and neither does one that was announced and never arrived.
        screen.handle(.keysWait)
        screen.press("1")
        #expect(asked(screen) == nil)
        screen.wait(.milliseconds(50))
        #expect(asked(screen)?.isSearch(for: "9001") == true)
        #expect(screen.viewer.deadline.map { $0 > screen.time } ?? true)
    }

    @Test func `a list that has become short meanwhile is asked for as a whole`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<2_000), extent: .init(offset: 0, total: 10_000))
        screen.press("/9")
        screen.show(try .rows(["i900"]), extent: .init(offset: 0, total: 1), queryNumber: 1)
        screen.press(.enter)
        screen.press(.escape)
        screen.showJustNow(try .numbered(900..<1_000), extent: .init(offset: 900, total: 1_000), queryNumber: 2)
        #expect(asked(screen) == #"{"window":{"limit":2000,"offset":0,"allSections":true}}"#)
        screen.show(try .numbered(0..<1_000), extent: .init(offset: 0, total: 1_000), queryNumber: 3)
        #expect(screen.cursor == "i900")
        screen.press("k")
        #expect(screen.effects.isEmpty)
    }

    @Test func `whoever leaves a search before it is finished is where he was, and only then`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<40))
        for _ in 0..<20 { screen.press("j") }
        screen.press("/3")
        screen.show(try .rows(["i3", "i13", "i33"]), queryNumber: 1)
        screen.press(.escape)
        screen.show(try .numbered(0..<40), queryNumber: 2)
        #expect(screen.cursor == "i20")
        // Without a jump, there is nothing to return to.
        screen.press("/")
        screen.press(.escape)
        screen.press("g/33")
        screen.show(try .rows(["i33"]), queryNumber: 3)
        screen.show(try .rows(["i33"]), queryNumber: 4)
        screen.press(.enter)
        screen.press(.escape)
        screen.show(try .numbered(0..<40), queryNumber: 5)
        #expect(screen.cursor == "i33")
    }

    @Test func `Esc ends the search before it drops what was marked in it`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<8, list: #"{"selection":"multiple"}"#))
        screen.press("j ")
        screen.press("/3")
        screen.show(try .rows(["i3"], list: #"{"selection":"multiple"}"#), queryNumber: 1)
        screen.press(.enter)
        screen.press(" ")
        // Items that do not match still exist.
        try screen.change(.reconfigureItems([ItemReconfiguration(id: "i3", content: try Content(json: "3"))]))
        #expect(screen.viewer.marks == ["i1", "i3"])
        screen.press(.escape)
        screen.show(try .numbered(0..<8, list: #"{"selection":"multiple"}"#), queryNumber: 2)
        #expect(screen.viewer.marks == ["i1", "i3"])
        screen.press(.escape)
        #expect(screen.viewer.marks == [])
    }
}
