import Diffable
import DiffableJSON
import DiffableView
import Testing

/// Texts that change with time.
@Suite struct AgeTests {
    private static let start = 1_795_456_800_000

    private func screen(_ list: String, since times: [Int]) throws -> ViewerScreen {
        var screen = ViewerScreen()
        screen.start(at: Self.start)
        screen.show(
            try Snapshot(
                [
                    Section(
                        id: "main",
                        items: try times.enumerated().map { index, time in
                            Item(id: try ItemID("i\(index)"), content: try Content(json: "{\"since\":\(time)}"))
                        })
                ], content: try Content(json: list)))
        screen.wait(.seconds(2))
        return screen
    }

    @Test(arguments: [
        #"{"kinds":{"":{"secondaryText":{"path":"/since","format":"age"}}}}"#,
        #"{"layout":"table","columns":["id",{"path":"since","format":"age"}]}"#,
        #"{"layout":"grid","kinds":{"":{"badge":{"path":"/since","format":"age"}}}}"#,
    ])
    func `an age counts on by itself, as often as its text changes`(list: String) throws {
        var screen = try screen(list, since: [Self.start - 40_000])
        #expect(screen.grid.text.contains("42 s"), "\(screen.grid.text)")
        let wait = try #require(screen.viewer.deadline) - screen.time
        #expect(wait > .zero && wait <= .seconds(1))
        screen.wait(wait)
        #expect(screen.grid.text.contains("43 s"), "\(screen.grid.text)")
        screen.wait(.seconds(60))
        #expect(screen.grid.text.contains("1 min"), "\(screen.grid.text)")
        #expect(try #require(screen.viewer.deadline) - screen.time > .seconds(15))
    }

    @Test func `an age that is not on the screen wakes nobody`() throws {
        let list = #"{"kinds":{"":{"secondaryText":{"path":"/since","format":"age"}}}}"#
        var screen = try screen(list, since: Array(repeating: 1, count: 100) + [Self.start])
        #expect(try #require(screen.viewer.deadline) - screen.time > .seconds(3_600))
        screen.press("G")
        #expect(try #require(screen.viewer.deadline) - screen.time <= .seconds(1))
        screen = try self.screen("{}", since: [Self.start])
        #expect(screen.viewer.deadline == nil)
    }

    @Test func `a search does not look at a value that is drawn in a format`() throws {
        let list = #"{"kinds":{"":{"secondaryText":{"path":"/since","format":"age"},"tooltip":{"path":"/due"}}}}"#
        var screen = try screen(list, since: [Self.start])
        screen.press("/x")
        let question = screen.takeQuestion()
        let view = try #require(question).json
        #expect(view.contains("/due") && !view.contains("/since"), "\(view)")
    }
}
