import Diffable
import DiffableJSON
import DiffableView
import Testing

@Suite struct RenamingTests {
    private func screen(_ content: String, list: String = "{}") throws -> ViewerScreen {
        var screen = ViewerScreen()
        screen.show(
            try Snapshot(
                [Section(id: "s", items: [Item(id: "a", content: try Content(json: content))])],
                content: try Content(json: list)))
        return screen
    }

    private func operation(_ content: String, list: String = "{}", typing text: String = "!") throws -> String? {
        var screen = try screen(content, list: list)
        screen.press("R" + text)
        screen.press(.enter)
        guard case .propose(let operations)? = screen.requests.first else { return nil }
        return operations
    }

    @Test func `a row is renamed in its place`() throws {
        var screen = try screen(#"{"text":"Milk","secondaryText":"from the farm"}"#)
        screen.press(.function(2))
        #expect(screen.grid.cursor == Grid.Position(column: 6, row: 0))
        screen.press("shake")
        #expect(screen.lines[0].hasPrefix("▌ Milkshake") && screen.lines[0].contains("from the farm"))
        #expect(screen.status.contains("Enter renames the row"))
        screen.press(.escape)
        #expect(screen.lines[0].hasPrefix("▌ Milk ") && screen.requests.isEmpty)
        screen.press("R")
        screen.press(.enter)
        #expect(screen.requests.isEmpty, "its text is the same")
    }

    @Test(arguments: [
        (#"{"text":"Milk"}"#, "{}", #"{"text":"Milk!"}"#), (#"{"name":"Milk"}"#, "{}", #"{"name":"Milk!"}"#),
        (#"{"n":1,"what":"Milk"}"#, "{}", #"{"what":"Milk!"}"#), (#"{"n":1}"#, "{}", #"{"text":"!"}"#),
        (#"{"a":{"b":"Milk"}}"#, #"{"kinds":{"":{"text":{"path":"/a/b"}}}}"#, #"{"a":{"b":"Milk!"}}"#),
        (#"{"n":12,"what":"Milk"}"#, #"{"layout":"table","columns":["what"]}"#, #"{"what":"Milk!"}"#),
    ]) func `the text is changed where it is`(content: String, list: String, patch: String) throws {
        #expect(
            try operation(content, list: list) == #"[{"op":"patchItems","items":[{"id":"a","content":\#(patch)}]}]"#)
    }

    @Test func `a number stays a number, and a content that is itself the text is replaced`() throws {
        #expect(
            try operation(#"{"n":12}"#, list: #"{"layout":"table"}"#, typing: "3")
                == #"[{"op":"patchItems","items":[{"id":"a","content":{"n":123}}]}]"#)
        #expect(
            try operation(#""Milk""#) == #"[{"op":"reconfigureItems","items":[{"id":"a","content":"Milk!"}]}]"#)
    }

    @Test func `a text that is made of another value cannot be typed`() throws {
        var screen = try screen(
            #"{"time":1795456800}"#, list: #"{"kinds":{"":{"text":{"path":"/time","format":"date"}}}}"#)
        screen.press("R")
        #expect(screen.status.contains("cannot be typed here"))
        screen.press("q")
        #expect(screen.effects == [.quit(picked: nil)])
    }

    @Test func `others' changes of the order wait while a row is renamed`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<4))
        screen.press("jR!")
        try screen.change(.deleteItems(["i0"]))
        #expect(screen.line("i1") == 1 && screen.lines[1].hasPrefix("▌ Row i1!"), "\(screen.grid.text)")
        screen.press(.enter)
        #expect(screen.line("i1") == 0)
        #expect(
            screen.requests == [
                .propose(operations: #"[{"op":"patchItems","items":[{"id":"i1","content":{"text":"Row i1!"}}]}]"#)
            ])
    }
}
