import Diffable
import DiffableJSON
import DiffableView
import Testing

/// Boxes that the viewer switches, and sections without rows.
@Suite struct ToggleTests {
    private func screen(
        _ list: String = #"{"kinds":{"":{"toggle":"/state/done"}}}"#, _ change: (inout ViewerOptions) -> Void = { _ in }
    ) throws -> ViewerScreen {
        var screen = ViewerScreen { options in
            options.newID = { "new" }
            change(&options)
        }
        screen.show(
            try Snapshot(
                fixture: """
                    {"content":\(list),"sections":[
                      {"id":"a","content":{"header":{"text":"Today","badge":{"count":{"where":{"path":"/state/done","equals":true}}}}},
                       "items":[{"id":"milk","content":{"text":"Milk"}},{"id":"bread","content":{"text":"Bread","state":{"done":true}}}]},
                      {"id":"b","content":{"header":{"text":"Later","badge":{"count":true}}}}]}
                    """))
        return screen
    }

    private func proposal(_ item: String, _ isDone: Bool) -> [ViewerRequest.Kind] {
        [
            .propose(
                operations:
                    #"[{"op":"patchItems","items":[{"id":"\#(item)","content":{"state":{"done":\#(isDone)}}}]}]"#)
        ]
    }

    @Test func `Enter, Space and a click on its box switch a row`() throws {
        var screen = try screen()
        #expect(screen.lines[1].contains("☐ Milk") && screen.lines[2].contains("☑ Bread"), "\(screen.grid.text)")
        screen.press(.enter)
        #expect(screen.requests == proposal("milk", true))
        screen.press(" ")
        #expect(screen.requests == proposal("milk", true))
        let column = try #require(screen.lines[2].firstIndex(of: "☑")?.utf16Offset(in: screen.lines[2]))
        screen.handle(.mouse(MouseEvent(.press(.left), column: column, row: 2)))
        #expect(screen.requests == proposal("bread", false))
        #expect(screen.cursor == "bread")
    }

    @Test func `a primary action takes Enter, a picker picks, and a row that is disabled is not switched`() throws {
        let action = #""actions":[{"id":"open","style":"primary"}]"#
        var screen = try screen(#"{"kinds":{"":{"toggle":"/state/done",\#(action)}}}"#)
        screen.press(.enter)
        #expect(screen.requests == [.perform(action: "open", items: ["milk"], section: nil, arguments: nil)])
        screen = try self.screen { $0.picking = .multiple }
        screen.press(.tab)
        #expect(screen.requests.isEmpty && screen.viewer.marks == ["milk"])
        screen = try self.screen(#"{"kinds":{"":{"toggle":"/state/done","enabled":false}}}"#)
        screen.press(.enter)
        #expect(screen.requests.isEmpty && screen.status.contains("disabled"))
    }

    @Test func `a header counts its rows, and stays when they have gone`() throws {
        var screen = try screen()
        #expect(screen.lines[0].contains("Today") && screen.lines[0].contains("1"), "\(screen.grid.text)")
        #expect(screen.lines[3].contains("Later") && screen.lines[3].contains("0"), "\(screen.grid.text)")
        try screen.change(.deleteItems(["milk", "bread"]))
        #expect(screen.grid.text.contains("Today") && screen.grid.text.contains("Later"), "\(screen.grid.text)")
        screen = try self.screen(#"{"hidesWhenEmpty":true}"#)
        #expect(!screen.grid.text.contains("Later"))
    }

    @Test func `+ in an empty section adds an item of the template`() throws {
        let template = #"{"kind":"todo","content":{"state":{"done":false},"text":"?"}}"#
        var screen = try screen(#"{"canInsert":\#(template),"kinds":{"todo":{"text":{"path":"/state/words"}}}}"#)
        screen.press("G+Soap")
        screen.press(.enter)
        let content = #"{"text":"?","state":{"done":false,"words":"Soap"}}"#
        #expect(
            screen.requests == [
                .propose(
                    operations:
                        #"[{"op":"insertItems","section":"b","after":null,"items":[{"id":"new","kind":"todo","content":\#(content)}]}]"#
                )
            ])
    }
}
