import Diffable
import DiffableJSON
import DiffableView
import Testing

/// Dragging rows across, up and down, and into another list.
@Suite struct DraggingTests {
    private static let actions =
        #""leadingActions":[{"id":"pin","title":"Pin"}],"trailingActions":[{"id":"bin","title":"Bin"}]"#

    private func drag(
        _ screen: inout ViewerScreen, from: (column: Int, row: Int), to places: (column: Int, row: Int)...
    ) {
        screen.handle(.mouse(MouseEvent(.press(.left), column: from.column, row: from.row)))
        for place in places { screen.handle(.mouse(MouseEvent(.drag(.left), column: place.column, row: place.row))) }
        screen.handle(.mouse(MouseEvent(.release(.left), column: places.last!.column, row: places.last!.row)))
    }

    @Test(arguments: [(20, 30, "Pin"), (30, 20, "Bin")])
    func `a row that is dragged across lays open its actions`(from: Int, to: Int, title: String) throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<8, list: "{\(Self.actions)}"))
        drag(&screen, from: (from, 3), to: (from, 3), (to, 3), (to, 4))
        #expect(screen.lines[3].contains(title), "\(screen.grid.text)")
        #expect(screen.cursor == "i3")
        #expect(screen.requests.isEmpty)
        // Repeating the same event is not a second press.
        screen.press(.escape)
        drag(&screen, from: (from, 3), to: (to, 3))
        #expect(screen.requests.isEmpty)
        #expect(screen.lines[3].contains(title), "\(screen.grid.text)")
        screen.press(.enter)
        #expect(
            screen.requests == [.perform(action: title.lowercased(), items: ["i3"], section: nil, arguments: nil)])
    }

    @Test func `a hand that is not steady lays nothing open, nor does a row without actions`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<8, list: "{\(Self.actions)}"))
        drag(&screen, from: (20, 3), to: (22, 3))
        #expect(!screen.grid.text.contains("Pin"))
        screen = ViewerScreen()
        screen.show(try .numbered(0..<8))
        drag(&screen, from: (20, 3), to: (40, 3))
        #expect(screen.status.contains("? help"))
    }

    @Test func `a row is dropped between others, and one that stays says so`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<8, list: #"{"canReorder":true}"#))
        drag(&screen, from: (5, 1), to: (5, 2), (5, 4))
        #expect(screen.requests == [.propose(operations: #"[{"op":"moveItem","item":"i1","after":"i4"}]"#)])
        screen.handle(.reply(ViewerReply(request: 1, .refused("Not there."))))
        #expect(screen.line("i1") == 1 && screen.status.contains("Not there."))
        drag(&screen, from: (5, 4), to: (5, 2))
        #expect(screen.requests == [.propose(operations: #"[{"op":"moveItem","item":"i4","before":"i2"}]"#)])
        screen = ViewerScreen(lists: ["one", "two"])
        screen.show(try .numbered(0..<8))
        drag(&screen, from: (5, 1), to: (5, 3))
        #expect(screen.requests.isEmpty)
        #expect(screen.status.contains("This row cannot be moved"))
    }

    @Test func `a row that is dragged over another list's tab is copied where it is dropped there`() throws {
        var screen = ViewerScreen(lists: ["one", "two"])
        screen.showJustNow(try .numbered(0..<8))
        screen.showJustNow(try .rows(["a", "b", "c"]), list: 1)
        screen.wait(.seconds(1))
        let column = try #require((0..<80).last { screen.viewer.scene.hit(at: .init(column: $0, row: 0)) == .tab(1) })
        drag(&screen, from: (5, 3), to: (column, 0), (5, 2))
        #expect(
            screen.requests == [
                .transact(
                    operations:
                        #"[{"op":"insertItems","after":"b","items":[{"id":"i2","content":{"text":"Row i2"}}]}]"#)
            ])
        #expect(screen.line("a") != nil, "the other list is seen")
        // Dropping it outside of any row does nothing.
        screen.press("1")
        drag(&screen, from: (5, 3), to: (column, 0))
        #expect(screen.requests.isEmpty)
    }

    @Test func `a line is where the row would be dropped, and the row is dimmed`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<8, list: #"{"canReorder":true}"#))
        func underlined() -> [Int] {
            (0..<screen.grid.rows).filter { row in
                screen.grid.row(row).dropFirst().dropLast().allSatisfy { $0.style.attributes.contains(.underline) }
            }
        }
        func dimmed() -> [Int] {
            (0..<screen.grid.rows).filter { screen.grid[$0, 2].style.attributes.contains(.dim) }
        }
        screen.handle(.mouse(MouseEvent(.press(.left), column: 5, row: 3)))
        screen.handle(.mouse(MouseEvent(.drag(.left), column: 5, row: 5)))
        #expect(underlined() == [5] && dimmed() == [3], "after it")
        screen.handle(.mouse(MouseEvent(.drag(.left), column: 5, row: 2)))
        #expect(underlined() == [1], "before it")
        screen.handle(.mouse(MouseEvent(.drag(.left), column: 5, row: 3)))
        #expect(underlined().isEmpty, "it stays")
        screen.handle(.mouse(MouseEvent(.drag(.left), column: 5, row: 0)))
        #expect(screen.lines[0].hasPrefix("▸"), "there is no row above")
        screen.press(.escape)
        #expect(underlined().isEmpty && dimmed().isEmpty)
    }

    @Test func `the line of a grid is between its cards`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<6, list: #"{"canReorder":true,"layout":{"type":"grid","columns":3}}"#))
        let first = try #require(screen.viewer.scene.frame(of: .item("i0"))?.rectangle)
        let second = try #require(screen.viewer.scene.frame(of: .item("i1"))?.rectangle)
        screen.handle(.mouse(MouseEvent(.press(.left), column: first.column + 3, row: 1)))
        screen.handle(.mouse(MouseEvent(.drag(.left), column: second.column + 3, row: 1)))
        let column = second.columns.upperBound
        #expect(second.rows.allSatisfy { screen.grid.text(of: screen.grid[$0, column]) == "┃" }, "\(screen.grid.text)")
    }

    @Test func `the wheel goes on while a row is dragged`() throws {
        var screen = ViewerScreen(rows: 10)
        screen.show(try .numbered(0..<40, list: #"{"canReorder":true}"#))
        screen.handle(.mouse(MouseEvent(.press(.left), column: 5, row: 1)))
        screen.handle(.mouse(MouseEvent(.drag(.left), column: 5, row: 2)))
        for _ in 0..<4 { screen.handle(.mouse(MouseEvent(.wheel(.down), column: 5, row: 2))) }
        screen.handle(.mouse(MouseEvent(.drag(.left), column: 5, row: 3)))
        let target = try #require(screen.viewer.scene.id(at: .init(column: 5, row: 3))?.item)
        screen.handle(.mouse(MouseEvent(.release(.left), column: 5, row: 3)))
        #expect(screen.line("i1") == nil)
        #expect(
            screen.requests == [.propose(operations: #"[{"op":"moveItem","item":"i1","after":"\#(target)"}]"#)])
    }

    @Test func `a row is dropped on what the wheel has brought under it`() throws {
        var screen = ViewerScreen(rows: 10)
        screen.show(try .numbered(0..<40, list: #"{"canReorder":true}"#))
        screen.handle(.mouse(MouseEvent(.press(.left), column: 5, row: 1)))
        screen.handle(.mouse(MouseEvent(.drag(.left), column: 5, row: 2)))
        for _ in 0..<2 { screen.handle(.mouse(MouseEvent(.wheel(.down), column: 5, row: 2))) }
        let target = try #require(screen.viewer.scene.id(at: .init(column: 5, row: 2))?.item)
        #expect(target != "i2")
        screen.handle(.mouse(MouseEvent(.release(.left), column: 5, row: 2)))
        #expect(
            screen.requests == [.propose(operations: #"[{"op":"moveItem","item":"i1","after":"\#(target)"}]"#)])
    }

    @Test func `a row is not copied into a list that has an item of its id`() throws {
        var screen = ViewerScreen(lists: ["one", "two"])
        screen.showJustNow(try .numbered(0..<8))
        screen.showJustNow(try .rows(["a", "i2", "c"]), list: 1)
        screen.wait(.seconds(1))
        let column = try #require((0..<80).last { screen.viewer.scene.hit(at: .init(column: $0, row: 0)) == .tab(1) })
        drag(&screen, from: (5, 3), to: (column, 0), (5, 1))
        #expect(screen.requests.isEmpty)
        #expect(screen.status.contains("two already has an item i2: nothing was copied"), "\(screen.status)")
    }
}
