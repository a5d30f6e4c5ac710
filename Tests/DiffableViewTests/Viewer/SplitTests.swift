import Diffable
import DiffableJSON
import Testing

@testable import DiffableView

/// Lists side by side, a sidebar, and a text about the selected item.
@Suite struct SplitTests {
    private func split(columns: Int = 80, rows: Int = 10, list: String = "{}") throws -> SplitScreen {
        var screen = SplitScreen(columns: columns, rows: rows)
        screen.show(try .rows(["a1", "a2", "a3"], list: list), list: 0)
        screen.show(try .rows(["b1", "b2", "b3"], list: list), list: 1)
        return screen
    }

    // MARK: - Side by side

    @Test func `two lists are side by side, each with its title, rows and selection`() throws {
        var screen = try split()
        #expect(screen.lines[0].hasPrefix("  a") && screen.lines[0].contains("│  b"), "\(screen.grid.text)")
        #expect(screen.lines[1].contains("Row a1") && screen.lines[1].contains("│"), "\(screen.grid.text)")
        #expect(screen.lines[1].contains("Row b1"))
        #expect(screen.status.contains("1/3"))
        screen.press("j")
        screen.press(.tab)
        screen.press("jj")
        #expect(screen.viewer.viewers.map(\.cursor) == [.item("a2"), .item("b3")])
        #expect(screen.status.hasPrefix(" b ") && screen.status.contains("3/3"), "\(screen.status)")
        screen.press(.tab)
        #expect(screen.status.hasPrefix(" a ") && screen.status.contains("2/3"))
    }

    @Test func `each side searches and acts by itself, and replies find their list`() throws {
        let actions = #"{"kinds":{"":{"actions":[{"id":"run","title":"Run","style":"primary"}]}}}"#
        var screen = try split(list: actions)
        screen.press(.tab)
        screen.press(.enter)
        let request = try #require(screen.requests.first)
        #expect(
            request.list == 1 && request.kind == .perform(action: "run", items: ["b1"], section: nil, arguments: nil))
        screen.handle(.reply(ViewerReply(request: request.number, .done(revision: nil, answer: "b1 runs"))))
        #expect(screen.status.hasPrefix(" b1 runs"))
        screen.press("/3")
        let lists = screen.effects.compactMap { if case .setView(let list, _, _) = $0 { list } else { nil } }
        #expect(lists == [1])
        #expect(screen.status.hasPrefix(" /3"))
        #expect(screen.grid.cursor == Grid.Position(column: 3, row: 9))
        #expect(screen.lines[3].contains("Row a3"), "the other side shows all rows")
    }

    @Test func `rows that are cut in one list are copied into the other one, and moved in their own`() throws {
        var screen = try split(list: #"{"canReorder":true}"#)
        screen.press(.character("x"), .control)
        screen.press(.tab)
        screen.press(.character("v"), .control)
        let copy = try #require(screen.requests.first)
        guard case .transact(let operations) = copy.kind else { return #expect(Bool(false), "\(copy)") }
        #expect(copy.list == 1 && operations.contains(#""after":"b1""#) && operations.contains(#""id":"a1""#))
        screen.press(.tab)
        screen.press("j")
        screen.press(.character("v"), .control)
        let move = try #require(screen.requests.first)
        #expect(move.list == 0)
        #expect(move.kind == .propose(operations: #"[{"op":"moveItem","item":"a1","after":"a2"}]"#))
    }

    @Test func `on a narrow screen only the focused list is shown`() throws {
        var screen = try split(columns: 60)
        #expect(screen.grid.text.contains("Row a1") && !screen.grid.text.contains("Row b1"))
        screen.press(.tab)
        #expect(!screen.grid.text.contains("Row a1") && screen.grid.text.contains("Row b1"))
        screen.handle(.resized(columns: 61, rows: 10))
        #expect(screen.grid.text.contains("Row a1") && screen.grid.text.contains("Row b1"))
    }

    @Test func `a click goes to the other list, and the wheel scrolls the list under it`() throws {
        var screen = SplitScreen()
        screen.show(try .numbered(0..<30), list: 0)
        screen.show(try .rows(["b1", "b2", "b3"]), list: 1)
        try screen.click("Row b2")
        #expect(screen.viewer.focused == 1 && screen.viewer.viewers[1].cursor == .item("b2"))
        try screen.click("Row i2", .wheel(.down))
        #expect(screen.viewer.focused == 1)
        #expect(screen.lines[1].contains("Row i3"), "\(screen.grid.text)")
    }

    @Test func `the help has the whole screen`() throws {
        var screen = try split()
        screen.press("?")
        #expect(!screen.grid.text.contains("│  b") && screen.grid.text.contains("go up or down a row"))
        screen.press("q")
        #expect(screen.lines[0].contains("│  b"))
    }

    // MARK: - Sidebars

    private func sidebar() throws -> SplitScreen {
        var screen = SplitScreen(lists: ["side"], .sidebar)
        let items = try [("in", "inbox"), ("out", "sent"), ("none", nil)].map { id, list in
            try Item(
                id: ItemID(id),
                content: Content(json: list.map { #"{"text":"\#(id)","list":"\#($0)"}"# } ?? #"{"text":"nothing"}"#))
        }
        screen.show(try Snapshot([Section(id: "main", items: items)]), list: 0)
        return screen
    }

    private func followed(_ screen: SplitScreen) -> [ListName] {
        screen.effects.compactMap { if case .follow(let name, _) = $0 { name } else { nil } }
    }

    @Test func `the selected row of a sidebar chooses the list beside it, and Enter goes there`() throws {
        var screen = try sidebar()
        #expect(SplitScreen(lists: ["side"], .sidebar).viewer.firstLists.map(\.name) == ["side", nil])
        #expect(followed(screen) == ["inbox"])
        screen.show(try .rows(["mail"]), list: 3)
        #expect(screen.lines[0].contains("│  inbox") && screen.lines[1].contains("Row mail"), "\(screen.grid.text)")
        screen.press("j")
        #expect(followed(screen) == ["sent"] && screen.lines[0].contains("│  sent"), "\(screen.grid.text)")
        screen.press("j")
        #expect(followed(screen) == [] && screen.lines[0].contains("│  sent"), "a row without a list changes nothing")
        screen.press("kk")
        #expect(followed(screen) == [], "a list that is known is followed already")
        #expect(screen.lines[1].contains("Row mail"))
        screen.press(.enter)
        #expect(screen.viewer.focused == 1 && screen.viewer.viewers[0].panes.count == 1)
    }

    @Test func `without a sidebar, Enter opens the list of a row in a tab`() throws {
        var screen = ViewerScreen()
        screen.show(
            try Snapshot(
                [Section(id: "main", items: [Item(id: "x", content: Content(json: #"{"inbox":"mail"}"#))])],
                content: Content(json: #"{"kinds":{"":{"list":{"path":"/inbox"}}}}"#)))
        screen.press(.enter)
        #expect(screen.effects == [.follow("mail", list: 1)])
    }

    // MARK: - The members of an item

    private static let long = "It has so many words that they do not fit on a line of this screen at all"

    private func details(columns: Int = 80, rows: Int = 16) throws -> SplitScreen {
        var screen = SplitScreen(columns: columns, rows: rows, lists: ["a"], .single)
        let contents = [
            #"{"text":"One","note":"\#(Self.long)","size":4096,"tags":["x","y"],"owner":{"name":"Ada","id":7},"done":false}"#,
            #"{"text":"Two","lines2":"first\nsecond"}"#,
        ]
        let items = try contents.enumerated().map { Item(id: try ItemID("i\($0)"), content: try Content(json: $1)) }
        screen.show(try Snapshot([Section(id: "main", items: items)]), list: 0)
        return screen
    }

    @Test func `I shows all members of the selected item, and goes with the selection`() throws {
        var screen = try details()
        screen.press("I")
        let text = screen.grid.text
        #expect(screen.lines[0].contains("│ One"), "\(text)")
        for line in [
            "│ text     One", "│ size     4096", "│ tags     x, y", "│   name   Ada", "│ done     false",
            "│ id       i0",
        ] {
            #expect(text.contains(line), "\(line) in\n\(text)")
        }
        #expect(
            text.contains("│ note     It has so many words") && text.contains("│          they do not fit"), "\(text)")
        screen.press("j")
        #expect(
            screen.grid.text.contains("│ lines2   first") && screen.grid.text.contains("│          second"),
            "\(screen.grid.text)")
        screen.press("I")
        #expect(!screen.grid.text.contains("│"))
    }

    @Test func `the members are those of now`() throws {
        var screen = try details()
        screen.press("I")
        screen.show(
            try Snapshot([Section(id: "main", items: [Item(id: "i0", content: Content(json: #"{"size":5000}"#))])]),
            list: 0)
        #expect(screen.grid.text.contains("│ size     5000"), "\(screen.grid.text)")
    }

    @Test func `the members are below the rows of a narrow screen, and Tab goes there to scroll`() throws {
        var screen = try details(columns: 50, rows: 12)
        screen.press("I")
        #expect(screen.lines[6].hasPrefix(" One") && screen.lines[7].hasPrefix(" text"), "\(screen.grid.text)")
        screen.press(.tab)
        screen.press("G")
        #expect(screen.lines[10].contains("section"), "\(screen.grid.text)")
        screen.press("g")
        #expect(screen.lines[7].hasPrefix(" text"))
        screen.press("jj")
        #expect(screen.lines[7].contains("fit on a line"), "\(screen.grid.text)")
        #expect(screen.viewer.viewers[0].cursor == .item("i0"))
        screen.press("q")
        #expect(
            !screen.grid.text.contains("section") && screen.effects.isEmpty, "q closes the text, and not the viewer")
    }

    @Test func `an action with an output shows the answer beside the rows`() throws {
        let action = #"{"id":"log","title":"Log","style":"primary","output":"pane"}"#
        var screen = SplitScreen(lists: ["a"], .single)
        screen.show(try .rows(["a1", "a2"], list: #"{"kinds":{"":{"actions":[\#(action)]}}}"#), list: 0)
        screen.press(.enter)
        let request = try #require(screen.requests.first)
        screen.handle(.reply(ViewerReply(request: request.number, .done(revision: nil, answer: "first\nsecond"))))
        #expect(screen.lines[0].contains("│ Log: Row a1"), "\(screen.grid.text)")
        #expect(screen.lines[1].contains("│ first") && screen.lines[2].contains("│ second"))
        screen.press("j")
        #expect(screen.lines[1].contains("│ first"), "it stays beside other rows")
        screen.press(.tab)
        screen.press(.escape)
        #expect(!screen.grid.text.contains("│"))
    }

    // MARK: - Commands

    private static let commands = [
        UserCommand(key: KeyPress(.function(3)), title: "less", output: .terminal),
        UserCommand(key: KeyPress(.character("L")), title: "journalctl", output: .pane),
    ]

    private func commands() throws -> SplitScreen {
        var screen = SplitScreen(lists: ["a"], .single) { $0.commands = Self.commands }
        screen.show(try .rows(["a1", "a2", "a3"]), list: 0)
        return screen
    }

    @Test func `a key of the user runs the command for the selected row`() throws {
        var screen = try commands()
        #expect(screen.status.contains("F3 less  L journalctl"), "\(screen.status)")
        screen.press("j")
        screen.press(.function(3))
        let items = screen.effects.compactMap { if case .run(0, let item) = $0 { item.item.id } else { nil } }
        #expect(items == ["a2"])
        screen.handle(.failed("less ended with status 1"))
        #expect(screen.status.contains("! less ended with status 1"))
    }

    @Test func `the output of a command for a row stays at its end until its key is pressed again`() throws {
        var screen = try commands()
        screen.press("L")
        guard case .start(command: 1, let item, let number)? = screen.effects.first else {
            return #expect(Bool(false), "\(screen.effects)")
        }
        #expect(item.item.id == "a1" && screen.lines[0].contains("│ journalctl: Row a1"), "\(screen.grid.text)")
        for line in 0..<30 { screen.handle(.output(Array("line \(line)\n".utf8), number: number)) }
        #expect(screen.lines[8].contains("│ line 29"), "\(screen.grid.text)")
        screen.handle(.output(Array("of another one\n".utf8), number: number - 1))
        #expect(screen.lines[8].contains("│ line 29"))
        screen.press("j")
        #expect(screen.lines[0].contains("Row a1"), "the output is still that of the first row")
        screen.press(.tab)
        screen.press(.pageUp)
        screen.handle(.output(Array("line 30\n".utf8), number: number))
        #expect(screen.lines[1].contains("│ line 15"), "reading stays in its place\n\(screen.grid.text)")
        screen.press("G")
        #expect(screen.lines[8].contains("│ line 30"))
        screen.press(.tab)
        screen.press("kL")
        #expect(screen.effects == [.stop] && !screen.grid.text.contains("line"))
    }

    @Test func `a command that fails says so in the status line, below its output`() throws {
        var screen = try commands()
        screen.press("L")
        guard case .start(_, _, let number)? = screen.effects.first else { return #expect(Bool(false)) }
        screen.handle(.output(Array("No such unit".utf8), number: number))
        screen.handle(.outputEnded(problem: "journalctl ended with status 1", number: number))
        #expect(screen.status.contains("! journalctl ended with status 1"))
        #expect(screen.lines[1].contains("│ No such unit"))
    }

    @Test func `content names no command, and takes no key from one`() throws {
        var screen = SplitScreen(lists: ["a"], .single) { $0.commands = Self.commands }
        screen.show(
            try .rows(
                ["a1"],
                list:
                    #"{"kinds":{"":{"actions":[{"id":"x","title":"X","key":"L","run":"rm","output":"pane"}]}},"commands":["rm"]}"#
            ),
            list: 0)
        screen.press("L")
        #expect(screen.requests.isEmpty)
        guard case .start(command: 1, _, _)? = screen.effects.first else {
            return #expect(Bool(false), "\(screen.effects)")
        }
    }
}
