import Diffable
import DiffableJSON
import DiffableView
import Testing

@Suite struct ActingTests {
    private static let actions = """
        {"kinds":{"":{"actions":[
          {"id":"open","title":"Open","style":"primary"},
          {"id":"flag","title":"Flag","key":"f","patch":{"flag":true},"multiple":true},
          {"id":"delete","title":"Delete","key":"d","style":"destructive","multiple":true,
           "operations":[{"op":"deleteItems","items":["$item"]}]},
          {"id":"quit","title":"Never","key":"q"},
          {"id":"off","title":"Off","key":"o","enabled":false}]}},
         "actions":[{"id":"clear","title":"Clear","key":"c","arguments":{"all":true}}]}
        """

    private func screen() throws -> ViewerScreen {
        var screen = ViewerScreen(rows: 16)
        screen.show(try .numbered(0..<8, list: Self.actions))
        return screen
    }

    @Test func `Enter performs the primary action of the row`() throws {
        var screen = try screen()
        screen.press("j")
        screen.press(.enter)
        #expect(screen.requests == [.perform(action: "open", items: ["i1"], section: nil, arguments: nil)])
    }

    @Test func `a patch and operations are sent as the viewer's own change, for each marked row`() throws {
        var screen = try screen()
        screen.press("  ")
        screen.press("f")
        #expect(
            screen.requests == [
                .transact(
                    operations:
                        #"[{"op":"patchItems","items":[{"id":"i0","content":{"flag":true}},{"id":"i1","content":{"flag":true}}]}]"#
                )
            ])
        screen.press("kk  ")
        screen.press("d")
        #expect(screen.requests.isEmpty, "it asks first")
        #expect(screen.lines.contains { $0.contains("Delete 2 items?") }, "\(screen.grid.text)")
        screen.press(.enter)
        #expect(screen.requests.isEmpty, "the first answer is to leave it")
        screen.press("d")
        screen.press(.right)
        screen.press(.enter)
        #expect(
            screen.requests == [
                .transact(
                    operations: #"[{"op":"deleteItems","items":["i0"]},{"op":"deleteItems","items":["i1"]}]"#)
            ])
    }

    @Test func `a question names the text, and is moot when somebody else was faster`() throws {
        var screen = try screen()
        screen.press("jj")
        screen.press("d")
        #expect(screen.lines.contains { $0.contains("Delete “Row i2”?") }, "\(screen.grid.text)")
        try screen.change(.deleteItems(["i2"]))
        screen.press("y")
        #expect(screen.requests.isEmpty)
        #expect(screen.status.contains("nothing was done"))
        #expect(screen.cursor == "i3")
    }

    @Test func `no content takes a key of the viewer away`() throws {
        var screen = try screen()
        screen.press("q")
        #expect(screen.effects == [.quit(picked: nil)])
    }

    @Test func `the list's own actions are done with no row`() throws {
        var screen = try screen()
        screen.press("c")
        #expect(screen.requests == [.perform(action: "clear", items: [], section: nil, arguments: #"{"all":true}"#)])
        screen.press("o")
        #expect(screen.requests.isEmpty)
        #expect(screen.status.contains("“Off” is not available now"))
    }

    @Test func `a row that others put under the cursor is not acted on for a moment`() throws {
        var screen = try screen()
        screen.press("jj")
        screen.showJustNow(try screen.snapshot.applying([.deleteItems(["i2"])]))
        #expect(screen.cursor == "i3")
        screen.press(.enter)
        #expect(screen.requests.isEmpty)
        #expect(screen.status.contains("nothing was done"))
        screen.wait(.milliseconds(199))
        screen.press("f")
        #expect(screen.requests.isEmpty)
        screen.wait(.milliseconds(1))
        screen.press(.enter)
        #expect(screen.requests == [.perform(action: "open", items: ["i3"], section: nil, arguments: nil)])
    }

    @Test func `the first row of a list can be acted on as soon as it is there`() throws {
        var screen = ViewerScreen()
        screen.showJustNow(try .numbered(0..<8, list: Self.actions))
        screen.press(.enter)
        #expect(screen.requests == [.perform(action: "open", items: ["i0"], section: nil, arguments: nil)])
    }

    @Test func `a tab takes its list's title while another list is seen`() throws {
        var screen = ViewerScreen(lists: ["one", "two"])
        screen.showJustNow(try .rows(["a"], list: #"{"title":"First"}"#))
        screen.showJustNow(try .rows(["b"], list: #"{"title":"Second"}"#), list: 1)
        #expect(screen.lines[0].contains("First") && screen.lines[0].contains("Second"))
        #expect(screen.line("a") != nil && screen.line("b") == nil)
    }

    @Test func `a row that is not seen is not acted on`() throws {
        var screen = ViewerScreen(rows: 6)
        screen.show(try .numbered(0..<40, list: Self.actions))
        for _ in 0..<5 { screen.handle(.mouse(MouseEvent(.wheel(.down), column: 3, row: 3))) }
        #expect(screen.line("i0") == nil)
        screen.press(.enter)
        #expect(screen.requests.isEmpty)
        #expect(screen.line("i0") != nil, "it is shown first")
        screen.press(.enter)
        #expect(screen.requests.count == 1)
    }

    @Test func `without a connection nothing is done or kept for later, and a banner says so`() throws {
        var screen = try screen()
        screen.handle(.connection(isUp: false))
        screen.press(.enter)
        #expect(screen.requests.isEmpty)
        screen.wait(.milliseconds(299))
        #expect(!screen.lines[0].contains("connection"))
        let line = screen.line("i3")
        screen.wait(.milliseconds(1))
        #expect(screen.lines[0].contains("The connection to the daemon is lost"))
        #expect(screen.line("i3") == line.map { $0 + 1 } || screen.line("i3") == line)
        screen.handle(.connection(isUp: true))
        #expect(!screen.lines[0].contains("connection"))
        #expect(screen.requests.isEmpty)
        screen.press(.enter)
        #expect(screen.requests.count == 1)
    }

    @Test func `a mirror that is not live says so above its rows, which stay`() throws {
        var screen = try screen()
        let list = try Snapshot.numbered(0..<8, list: Self.actions)
        let line = screen.line("i3")
        for (notice, revision) in [("This list is not live", 2), (nil, 3)] {
            screen.handle(.update(ViewedState(list, revision: revision, notice: notice), list: 0))
            #expect(screen.lines[0].contains("not live") == (notice != nil))
        }
        #expect(screen.line("i3") == line)
    }

    @Test func `undo undoes one's own newest change, unless somebody else has changed the list since`() throws {
        var screen = try screen()
        screen.press("u")
        #expect(screen.requests.isEmpty)
        screen.press("f")
        try screen.change(.reloadItems([ItemReload(id: "i0", content: try Content(json: #"{"flag":true}"#))]))
        screen.handle(.reply(ViewerReply(request: 1, .done(revision: 2))))
        screen.press("u")
        #expect(screen.requests == [.undo(to: 1, ifRevision: 2)])
        try screen.change(.reloadItems([ItemReload(id: "i0", content: try Content(json: "{}"))]))
        screen.handle(.reply(ViewerReply(request: 2, .done(revision: 3))))
        screen.press("f")
        try screen.change(.reloadItems([ItemReload(id: "i0", content: try Content(json: #"{"flag":true}"#))]))
        screen.handle(.reply(ViewerReply(request: 3, .done(revision: 4))))
        try screen.change(.deleteItems(["i7"]))
        try screen.change(.deleteItems(["i6"]))
        screen.press("u")
        #expect(screen.requests.isEmpty)
        #expect(screen.status.contains("nothing was undone"))
    }

    @Test func `a row that has no children yet is expanded by asking for them, with a spinner when it takes time`()
        throws
    {
        var screen = ViewerScreen()
        let section = Section(
            id: "s",
            items: [Item(id: "a", content: try Content(json: #"{"text":"A","hasChildren":true}"#)), Item(id: "b")])
        screen.show(try Snapshot([section]))
        let before = screen.lines[0]
        screen.press(.right)
        #expect(screen.requests == [.expand("a")])
        #expect(screen.lines[0] == before)
        screen.press(.right)
        #expect(screen.requests.isEmpty, "it is asked for once")
        screen.wait(.milliseconds(150))
        #expect(screen.lines[0] != before, "it spins")
        #expect(screen.viewer.deadline != nil)
        try screen.change(.appendItems([Item(id: "a1")], to: .parent("a")))
        #expect(screen.line("a1") == nil)
        screen.handle(.reply(ViewerReply(request: 1, .done(revision: nil))))
        #expect(screen.line("a1") != nil)
        screen.wait(.seconds(10))
        #expect(screen.viewer.deadline == nil, "nothing wakes up while nothing happens")
    }

    @Test func `a picker gives what is under the cursor, or what is marked`() throws {
        var screen = ViewerScreen { $0.picking = .single }
        screen.show(try .numbered(0..<8))
        screen.press(.character("o"), .control)
        screen.press("jj")
        screen.press(.enter)
        #expect(screen.effects == [.quit(picked: ["i2"])])
        screen = ViewerScreen { $0.picking = .multiple }
        screen.show(try .numbered(0..<8))
        screen.press(.character("o"), .control)
        screen.press("jj kk ")
        screen.press(.enter)
        #expect(screen.effects == [.quit(picked: ["i2", "i1"])], "in the order of marking")
        screen.press(.escape)
        screen.press(.escape)
        #expect(screen.effects == [.quit(picked: nil)])
    }

    @Test func `a range marks what is between its ends, and Esc takes it back`() throws {
        var screen = try screen()
        screen.press("jjvjj")
        #expect(screen.viewer.marks == ["i2", "i3", "i4"])
        screen.press("kkk")
        #expect(screen.viewer.marks == ["i1", "i2"])
        screen.press(.escape)
        #expect(screen.viewer.marks == [])
        screen.press(.down, .shift)
        screen.press(.enter)
        #expect(screen.viewer.marks == ["i1", "i2"])
    }

    @Test func `a search is asked for as it is typed, the newest last, and Esc takes it back`() throws {
        var screen = try screen()
        screen.press("/a")
        guard case .setView(0, let json, let number)? = screen.effects.first else {
            Issue.record("nothing was asked for: \(screen.effects)")
            return
        }
        #expect(json.isSearch(for: "a"))
        screen.press("bc")
        #expect(screen.effects.isEmpty)
        #expect(screen.line("i5") != nil, "old rows stay until the answer")
        screen.showJustNow(try .rows(["i5"]), queryNumber: number)
        #expect(screen.cursor == "i5")
        guard case .setView(0, let next, _)? = screen.effects.first else {
            Issue.record("nothing was asked for: \(screen.effects)")
            return
        }
        #expect(next.isSearch(for: "abc"))
        screen.press(.escape)
        screen.showJustNow(try .rows(["i5"]), queryNumber: number + 1)
        guard case .setView(0, let last, _)? = screen.effects.first else {
            Issue.record("nothing was asked for: \(screen.effects)")
            return
        }
        #expect(last == #"{"window":{"limit":2000,"offset":0}}"#)
    }

    @Test func `who ends a search without taking it is back where the search began`() throws {
        var screen = ViewerScreen()
        let list = try Snapshot.numbered(0..<40)
        screen.show(list)
        for _ in 0..<20 { screen.press("j") }
        let line = screen.line("i20")
        screen.press("/3")
        screen.showJustNow(try .rows(["i3", "i13"]), queryNumber: 1)
        #expect(screen.cursor == "i3")
        screen.press(.escape)
        screen.showJustNow(list, queryNumber: 2)
        #expect(screen.cursor == "i20")
        #expect(screen.line("i20") == line)
    }

    @Test func `actions lie open at a row's ends`() throws {
        var screen = ViewerScreen()
        screen.show(
            try .numbered(
                0..<4,
                list:
                    #"{"leadingActions":[{"id":"pin","title":"Pin"}],"trailingActions":[{"id":"a","title":"A"},{"id":"b","title":"B"}]}"#
            ))
        screen.press("j<")
        #expect(screen.lines.contains { $0.contains(" A ") || $0.contains("A ") })
        screen.press(.right)
        screen.press(.enter)
        #expect(screen.requests == [.perform(action: "b", items: ["i1"], section: nil, arguments: nil)])
        screen.press(">>")
        #expect(screen.requests == [.perform(action: "pin", items: ["i1"], section: nil, arguments: nil)])
    }

    @Test func `a picker of several gives what is marked in all lists, in the order of the lists`() throws {
        var screen = ViewerScreen(lists: ["one", "two"]) { $0.picking = .multiple }
        screen.showJustNow(try .rows(["a", "b"]))
        screen.showJustNow(try .rows(["c", "d"]), list: 1)
        screen.wait(.seconds(1))
        screen.press(.character("o"), .control)
        screen.press("2")
        screen.press(" 1")
        screen.press(" ")
        screen.press(.enter)
        #expect(screen.effects == [.quit(picked: ["a", "c"])])
    }

    @Test func `a row that is not enabled is not acted on by Enter, not picked and not marked for picking`() throws {
        let list = try Snapshot.numbered(0..<4, list: Self.actions).applying([
            .reloadItems([ItemReload(id: "i1", content: try Content(json: #"{"text":"Off","enabled":false}"#))])
        ])
        var screen = ViewerScreen(rows: 16)
        screen.show(list)
        screen.press("j")
        screen.press(.enter)
        #expect(screen.requests.isEmpty)
        #expect(screen.status.contains("“Off” is disabled"))
        screen = ViewerScreen(rows: 16) { $0.picking = .multiple }
        screen.show(list)
        screen.press(.character("o"), .control)
        screen.press("j")
        screen.press(.enter)
        #expect(screen.effects.isEmpty)
        screen.press(" ")
        #expect(screen.viewer.marks.isEmpty)
        screen.press("kvjj")
        screen.press(.enter)
        #expect(screen.effects == [.quit(picked: ["i0", "i2"])])
    }

    @Test func `g and G go to the ends of carousels`() throws {
        var screen = ViewerScreen(columns: 60)
        screen.show(try .numbered(0..<30, list: #"{"layout":{"type":"carousel","itemWidth":20}}"#))
        for _ in 0..<20 { screen.press("l") }
        #expect(screen.cursor == "i20")
        screen.press("g")
        #expect(screen.cursor == "i0")
        #expect(screen.line("i0") != nil)
        screen.press("G")
        #expect(screen.cursor == "i29")
        #expect(screen.line("i29") != nil)
    }

    @Test func `while a search is not answered it says so, and nothing is done with the rows of the one before`() throws
    {
        var screen = try screen()
        screen.press("/i5")
        screen.press(.enter)
        #expect(screen.status.contains("searching…"))
        for key in ["f", "d", ".", "<", "y", " ", "v", "e"] {
            screen.press(key)
            #expect(screen.effects.isEmpty, "\(key)")
            #expect(screen.status.contains("still being searched"), "\(key): \(screen.status)")
        }
        screen.press(.enter)
        #expect(screen.requests.isEmpty)
        #expect(screen.viewer.marks.isEmpty)
        screen.show(try .rows(["i5"], list: Self.actions), queryNumber: 1)
        screen.press("/")
        screen.press(.enter)
        screen.show(try .rows(["i5"], list: Self.actions), queryNumber: 2)
        #expect(!screen.status.contains("searching"))
        screen.press(.enter)
        #expect(screen.requests == [.perform(action: "open", items: ["i5"], section: nil, arguments: nil)])
    }

    @Test func `an action at a row's end that takes several is done with all that is marked`() throws {
        var screen = ViewerScreen()
        screen.show(
            try .numbered(
                0..<4,
                list:
                    #"{"trailingActions":[{"id":"a","title":"A","multiple":true},{"id":"b","title":"B"}]}"#
            ))
        screen.press("  ")
        screen.press("<")
        screen.press(.enter)
        #expect(screen.requests == [.perform(action: "a", items: ["i0", "i1"], section: nil, arguments: nil)])
        screen.press("k ")
        screen.press("<")
        screen.press(.right)
        screen.press(.enter)
        #expect(screen.requests == [.perform(action: "b", items: ["i2"], section: nil, arguments: nil)])
    }

    @Test func `where nothing matches a search it says so, and not what the list says when it is empty`() throws {
        let list = #"{"empty":"All done!"}"#
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<3, list: list))
        screen.press("/x")
        screen.show(try .rows([], list: list), queryNumber: 1)
        #expect(screen.grid.text.contains("Nothing matches"))
        #expect(!screen.grid.text.contains("All done!"))
        screen.press(.escape)
        screen.show(try .rows([], list: list), queryNumber: 2)
        #expect(screen.grid.text.contains("All done!"))
        #expect(!screen.grid.text.contains("Nothing matches"))
    }

    @Test func `a menu shows the keys that its actions have, and none that the viewer takes itself`() throws {
        for scalar in UInt8(ascii: " ")...UInt8(ascii: "~") {
            let key = String(UnicodeScalar(scalar))
            let name = key == "\"" || key == "\\" ? "\\\(key)" : key
            var screen = ViewerScreen()
            screen.show(
                try .numbered(0..<1, list: #"{"kinds":{"":{"actions":[{"id":"a","title":"A","key":"\#(name)"}]}}}"#))
            screen.press(key)
            let isTaken = screen.requests.isEmpty
            screen = ViewerScreen()
            screen.show(
                try .numbered(0..<1, list: #"{"kinds":{"":{"actions":[{"id":"a","title":"A","key":"\#(name)"}]}}}"#))
            screen.press(".")
            let line = try #require(screen.lines.first { $0.contains("▌ A") })
            let shown = line.drop { $0 != "A" }.dropFirst().filter { !" │".contains($0) }
            #expect(shown.isEmpty == isTaken, "\(key): \(line)")
        }
    }

    @Test func `undo goes back one own change after the other, edits too, and says which`() throws {
        var screen = try screen()
        func change(_ request: Int, _ revision: Int) throws {
            try screen.change(.reloadItems([ItemReload(id: "i0", content: try Content(json: "{\"n\":\(revision)}"))]))
            screen.handle(.reply(ViewerReply(request: request, .done(revision: revision))))
        }
        screen.press("f")
        try change(1, 2)
        try screen.change(.reloadItems([ItemReload(id: "i1", content: try Content(json: #"{"text":"E"}"#))]))
        screen.handle(.edited(list: 0, "i1", revision: 3))
        screen.press("u")
        #expect(screen.requests == [.undo(to: 2, ifRevision: 3)])
        screen.press("u")
        #expect(screen.requests.isEmpty, "the first one is under way")
        try change(2, 4)
        #expect(screen.status.contains("Undone: Edit “E”"), "\(screen.status)")
        screen.press("u")
        #expect(screen.requests == [.undo(to: 1, ifRevision: 4)])
        try change(3, 5)
        #expect(screen.status.contains("Undone: Flag “Row i0”"), "\(screen.status)")
        screen.press("u")
        #expect(screen.requests.isEmpty)
        #expect(screen.status.contains("You have made no change here"))
        screen.press("f")
        try change(4, 6)
        screen.press("u")
        #expect(screen.requests == [.undo(to: 5, ifRevision: 6)], "a change after an undo is undone like any")
    }

    @Test func `redo makes the changes again that were undone here, until something else is changed`() throws {
        var screen = try screen()
        func change(_ request: Int, _ revision: Int) throws {
            try screen.change(.reloadItems([ItemReload(id: "i0", content: try Content(json: "{\"n\":\(revision)}"))]))
            screen.handle(.reply(ViewerReply(request: request, .done(revision: revision))))
        }
        screen.press("U")
        #expect(screen.requests.isEmpty && screen.status.contains("You have undone nothing here"))
        screen.press("f")
        try change(1, 2)
        screen.press("f")
        try change(2, 3)
        screen.press("u")
        try change(3, 4)
        screen.press("u")
        try change(4, 5)
        _ = screen.requests
        screen.press("U")
        #expect(screen.requests == [.redo(to: 2, ifRevision: 5)])
        screen.press("U")
        #expect(screen.requests.isEmpty && screen.status.contains("still being redone"))
        try change(5, 6)
        #expect(screen.status.contains("Redone: Flag “Row i0”"), "\(screen.status)")
        screen.press("U")
        #expect(screen.requests == [.redo(to: 3, ifRevision: 6)])
        try change(6, 7)
        screen.press("u")
        #expect(screen.requests == [.undo(to: 2, ifRevision: 7)], "what was redone is undone again")
        try change(7, 8)
        try screen.change(.deleteItems(["i7"]))
        screen.press("U")
        #expect(screen.requests.isEmpty && screen.status.contains("nothing was redone"))
    }

    @Test func `a change that a handler made for an action is undone and redone as a whole`() throws {
        var screen = ViewerScreen()
        screen.show(
            try .numbered(0..<8, list: #"{"kinds":{"":{"actions":[{"id":"tidy","title":"Tidy","key":"t"}]}}}"#))
        screen.press("t")
        #expect(screen.requests == [.perform(action: "tidy", items: ["i0"], section: nil, arguments: nil)])
        try screen.change(.deleteItems(["i7"]))
        try screen.change(.deleteItems(["i6"]))
        screen.handle(.reply(ViewerReply(request: 1, .done(revision: nil))))
        let performed = ViewerRequest.Kind.perform(action: "tidy", items: ["i0"], section: nil, arguments: nil)
        screen.handle(
            .handled(ViewerRequest(number: 1, list: 0, revision: 1, performed, title: "Tidy “Row i0”"), revision: 3))
        screen.press("u")
        #expect(screen.requests == [.undo(to: 1, ifRevision: 3)])
        try screen.change(.appendItems([Item(id: "i6"), Item(id: "i7")]))
        screen.handle(.reply(ViewerReply(request: 2, .done(revision: 4))))
        #expect(screen.status.contains("Undone: Tidy “Row i0”"), "\(screen.status)")
        screen.press("U")
        #expect(screen.requests == [.redo(to: 3, ifRevision: 4)])
    }

    @Test func `where a key can do nothing, it says why`() throws {
        var screen = ViewerScreen { $0.filter.sections = ["main", "mian"] }
        screen.showJustNow(try .numbered(0..<3, list: #"{"canReorder":true}"#))
        #expect(screen.status.contains("list has no items in these sections: mian"))
        screen.wait(.seconds(1))
        screen.press(.enter)
        #expect(screen.status.contains("Enter does nothing here"))
        screen.press(.up, .alt)
        #expect(screen.status.contains("This row is already the first"))
        screen.press("jj")
        screen.press(.down, .alt)
        #expect(screen.effects.isEmpty)
        #expect(screen.status.contains("This row is already the last"))
        screen.press("sn")
        screen.press(.enter)
        screen.show(try .numbered(0..<3, list: #"{"canReorder":true}"#), queryNumber: 1)
        screen.press(.up, .alt)
        #expect(screen.effects.isEmpty)
        #expect(screen.status.contains("cannot be moved while they are sorted"))
    }
}
