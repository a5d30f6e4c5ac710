import Diffable
import DiffableJSON
import DiffableView
import Testing

/// Sorting a table by its columns.
@Suite struct ColumnSortTests {
    private func screen() throws -> ViewerScreen {
        var screen = ViewerScreen()
        let items = try ["ada", "grace"].map { name in
            Item(id: try ItemID(name), content: try Content(json: "{\"name\":\"\(name)\",\"memory\":12345}"))
        }
        screen.show(try Snapshot([Section(id: "s", items: items)], content: try Content(json: #"{"layout":"table"}"#)))
        return screen
    }

    private static let ascending = #"{"sort":[{"path":"/memory","numeric":true}],"window":"#
    private static let descending = #"{"sort":[{"path":"/memory","numeric":true,"descending":true}],"window":"#

    @Test func `a click on a title sorts upwards, another one downwards, and a third one not at all`() throws {
        var screen = try screen()
        let column = try #require(screen.lines[0].split(separator: "memory").first).count
        for (view, sign) in [(Self.ascending, "memory▲"), (Self.descending, "memory▼"), (#"{"window":"#, "memory")] {
            screen.handle(.mouse(MouseEvent(.press(.left), column: column + 2, row: 0)))
            screen.handle(.mouse(MouseEvent(.release(.left), column: column + 2, row: 0)))
            let taken = screen.takeQuestion()
            let question = try #require(taken)
            #expect(question.json.hasPrefix(view), "\(question.json)")
            screen.show(screen.snapshot, queryNumber: question.number)
            #expect(screen.lines[0].contains(sign), "\(screen.lines[0])")
        }
        #expect(!screen.lines[0].contains("▲") && !screen.lines[0].contains("▼"))
    }

    @Test func `S chooses the column in a menu`() throws {
        var screen = try screen()
        screen.press("S")
        #expect(screen.grid.text.contains("Sort by") && screen.grid.text.contains("▌ name"), "\(screen.grid.text)")
        screen.press("j")
        screen.press(.enter)
        let taken = screen.takeQuestion()
        let question = try #require(taken)
        #expect(question.json.hasPrefix(Self.ascending))
        screen.show(screen.snapshot, queryNumber: question.number)
        screen.press("S")
        #expect(screen.grid.text.contains("memory ▲"))
        screen.press(.escape)
        #expect(screen.status.contains("sort by memory ▲"), "\(screen.status)")
    }

    @Test func `a list without columns says so`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<3))
        screen.press("S")
        #expect(screen.status.contains("There are no columns here"))
    }

    @Test func `a path that is typed is marked at its column`() throws {
        var screen = try screen()
        screen.press("smemory")
        screen.press(.enter)
        #expect(screen.lines[0].contains("▲"), "\(screen.lines[0])")
    }
}
