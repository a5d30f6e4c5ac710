import Diffable
import DiffableJSON
import Testing

@testable import DiffableView

/// A viewer that returns the picked items.
@Suite struct PickingTests {
    /// A picker in its search, with eight rows.
    private func screen(_ picking: ViewerOptions.Picking, _ list: String = "{}") throws -> ViewerScreen {
        var screen = ViewerScreen { $0.picking = picking }
        screen.show(try .numbered(0..<8, list: list))
        return screen
    }

    /// A picker whose keys act on the rows.
    private func rows(_ picking: ViewerOptions.Picking, _ list: String = "{}") throws -> ViewerScreen {
        var screen = try screen(picking, list)
        screen.press(.character("o"), .control)
        return screen
    }

    /// A picker of a list that is too long to be held, so that the daemon searches it.
    private func longList(_ picking: ViewerOptions.Picking) throws -> ViewerScreen {
        var screen = ViewerScreen { $0.picking = picking }
        screen.show(try .numbered(0..<100), extent: Window.Extent(offset: 0, total: Viewer.locallyQueriedRowsMax + 1))
        return screen
    }

    @Test func `a picker starts in the search, ranks while you type, and Enter picks the best match`() throws {
        var screen = ViewerScreen { $0.picking = .single }
        screen.show(try .rows(["a-milk-x", "milk", "bread"]))
        #expect(screen.status.contains("Enter picks"), "\(screen.status)")
        screen.press("mlk")
        #expect(screen.takeQuestion() == nil, "the list is held, so the daemon is not asked")
        #expect(screen.lines[0].contains("Row milk") && screen.lines[1].contains("Row a-milk-x"), "\(screen.grid.text)")
        #expect(screen.cursor == "milk")
        #expect(screen.status.contains("1/2"), "\(screen.status)")
        screen.press(.enter)
        #expect(screen.effects == [.quit(picked: ["milk"])])
    }

    @Test func `Ctrl-N and Ctrl-P move in the search, and another letter goes to the best match`() throws {
        var screen = try screen(.single)
        screen.press("Row")
        screen.press(.character("n"), .control)
        screen.press(.character("n"), .control)
        screen.press(.character("p"), .control)
        #expect(screen.cursor == "i1")
        screen.press(" i")
        #expect(screen.cursor == "i0")
    }

    @Test func `Esc, q and Ctrl-C end a picker with nothing`() throws {
        var searching = try screen(.single)
        searching.press("5")
        searching.press(.escape)
        #expect(searching.effects == [.quit(picked: nil)])
        var interrupted = try screen(.single)
        interrupted.press(.character("c"), .control)
        #expect(interrupted.effects == [.quit(picked: nil)])
        var left = try rows(.single)
        left.press("q")
        #expect(left.effects == [.quit(picked: nil)])
    }

    @Test func `--query starts with a search, and the found letters are highlighted`() throws {
        var screen = ViewerScreen(rows: 4) {
            $0.picking = .single
            $0.filter.search = "rw3"
            $0.prompt = "host> "
        }
        screen.showJustNow(try .numbered(0..<8))
        #expect(screen.status.hasPrefix(" host> rw3"), "\(screen.status)")
        #expect(screen.lines[0].contains("Row i3") && !screen.lines[1].contains("Row"), "\(screen.grid.text)")
        let sought = (0..<screen.grid.columns).filter { screen.grid[0, $0].style.attributes.contains(.underline) }
        #expect(sought.map { screen.grid.text(of: screen.grid[0, $0]) } == ["R", "w", "3"])
    }

    @Test func `a key of --expect picks too, and is told`() throws {
        var screen = ViewerScreen {
            $0.picking = .single
            $0.pickingKeys = [KeyPress(.character("y"), .control)]
        }
        screen.show(try .numbered(0..<8))
        screen.press("5")
        screen.press(.character("y"), .control)
        #expect(screen.effects == [.quit(picked: ["i5"])])
        #expect(screen.viewer.pickingKey == KeyPress(.character("y"), .control))
        #expect(screen.viewer.picked.map(\.item.id) == ["i5"])
    }

    @Test func `others' changes are ranked too, and the cursor stays on its row`() throws {
        var screen = ViewerScreen { $0.picking = .single }
        screen.show(try .rows(["xab", "b"]))
        screen.press("ab")
        #expect(screen.cursor == "xab")
        screen.show(try .rows(["xab", "b", "ab"]))
        #expect(screen.lines[0].contains("Row ab") && screen.lines[1].contains("Row xab"), "\(screen.grid.text)")
        #expect(screen.cursor == "xab")
    }

    @Test func `a list of more rows than are shown at once is loaded whole, ranked, and scrolled through`() throws {
        var screen = ViewerScreen { $0.picking = .single }
        let list = try Snapshot.numbered(0..<5_000)
        screen.show(try .numbered(0..<2_000), extent: Window.Extent(offset: 0, total: 5_000))
        #expect(screen.takeQuestion()?.json == "{}")
        screen.press("4999")
        screen.showJustNow(list, queryNumber: 1)
        #expect(screen.cursor == "i4999")
        for _ in 0..<4 { screen.press(.backspace) }
        screen.press("row")
        #expect(screen.takeQuestion() == nil)
        #expect(screen.status.contains("/5000"), "\(screen.status)")
        screen.press(.character("o"), .control)
        screen.press("G")
        #expect(screen.cursor == "i4999")
        #expect(screen.drawnText.contains("Row i4998"))
    }

    @Test func `rows of standard input are searched without a daemon, and nothing can be changed`() throws {
        let list = try Snapshot.numbered(
            0..<3_000, list: #"{"canReorder":true,"actions":[{"id":"x","title":"X","key":"x"}]}"#)
        var picker = ViewerScreen(lists: ["stdin"]) {
            $0.picking = .single
            $0.rows = list
        }
        picker.press("2999")
        #expect(picker.takeQuestion() == nil)
        #expect(picker.cursor == "i2999")
        picker.press(.enter)
        #expect(picker.effects == [.quit(picked: ["i2999"])])
        var view = ViewerScreen(lists: ["stdin"]) { $0.rows = list }
        view.press("G")
        #expect(view.drawnText.contains("Row i2999"))
        view.press("/17")
        #expect(view.lines[0].contains("Row i17"))
        view.press(.escape)
        view.press("g")
        for key in ["x", "+", "e"] {
            view.press(key)
            #expect(view.effects.isEmpty)
            #expect(view.status.contains("apply makes a list of them"), "\(key): \(view.status)")
        }
    }

    @Test func `one Enter picks what the daemon has found, however lately it was found`() throws {
        var screen = try longList(.single)
        screen.press("5")
        #expect(screen.takeQuestion()?.json.isSearch(for: "5") == true)
        screen.showJustNow(try .rows(["i5", "i6"]), queryNumber: 1)
        screen.press(.enter)
        #expect(screen.effects == [.quit(picked: ["i5"])])
    }

    @Test func `the only row that a search finds after Enter is picked then, and of several none`() throws {
        for (found, picked) in [(["i5"], true), (["i5", "i6"], false), ([], false)] {
            var screen = try longList(.single)
            screen.press("5")
            screen.press(.enter)
            #expect(screen.effects.isEmpty)
            screen.showJustNow(try .rows(found), queryNumber: 1)
            #expect(screen.effects.contains(.quit(picked: ["i5"])) == picked, "\(found)")
            #expect(picked || screen.status.contains("match"), "\(screen.status)")
        }
        // Another key does not finish picking.
        var screen = try longList(.single)
        screen.press("5")
        screen.press(.enter)
        screen.press(.down)
        screen.showJustNow(try .rows(["i5"]), queryNumber: 1)
        #expect(screen.effects.isEmpty)
    }

    @Test func `what was searched for before the list was there is picked when it comes`() throws {
        var screen = ViewerScreen { $0.picking = .single }
        screen.press("5")
        screen.press(.enter)
        #expect(screen.effects.isEmpty)
        screen.showJustNow(try .numbered(0..<8))
        #expect(screen.effects.contains(.quit(picked: ["i5"])))
    }

    @Test func `who acts elsewhere than in a picker is still kept from a row that a search has just brought`() throws {
        var screen = try screen(.none, #"{"kinds":{"":{"actions":[{"id":"open","title":"Open","style":"primary"}]}}}"#)
        screen.press("jj/5")
        screen.showJustNow(try .rows(["i5"]), queryNumber: 1)
        screen.press(.enter)
        screen.press(.enter)
        #expect(screen.requests.isEmpty)
    }

    @Test(arguments: [ViewerOptions.Picking.single, .multiple])
    func `a picker changes nothing, whatever the list offers`(picking: ViewerOptions.Picking) throws {
        let offer = #"{"id":"x","title":"X","key":"x","operations":[{"op":"deleteItems","items":["$item"]}]}"#
        var screen = try rows(
            picking,
            #"{"canReorder":true,"leadingActions":[\#(offer)],"trailingActions":[\#(offer)],"actions":[{"id":"all","title":"All","key":"c"}]}"#
        )
        screen.press("j")
        for key: KeyPress in [
            KeyPress(.character("x")), KeyPress(.character("c")), KeyPress(.character(".")), KeyPress(.character(":")),
            KeyPress(.character("<")), KeyPress(.character(">")), KeyPress(.down, .alt), KeyPress(.character("e")),
            KeyPress(.delete),
        ] {
            screen.press(key.key, key.modifiers)
            #expect(screen.effects.isEmpty, "\(key)")
            #expect(screen.status.contains("Enter picks"), "\(key): \(screen.status)")
            screen.press(.enter, .alt)
            #expect(screen.effects.isEmpty, "nothing lies open: \(key)")
        }
        for action: MouseEvent.Action in [.press(.right), .press(.left), .drag(.left)] {
            screen.handle(.mouse(MouseEvent(action, column: 5, row: 2)))
        }
        screen.handle(.mouse(MouseEvent(.drag(.left), column: 5, row: 4)))
        screen.handle(.mouse(MouseEvent(.release(nil), column: 5, row: 4)))
        #expect(screen.requests.isEmpty)
        screen.wait(.seconds(1))
        screen.press(.enter)
        #expect(screen.effects == [.quit(picked: ["i2"])])
    }

    @Test func `what is picked comes in the order of marking, a range in the list's`() throws {
        var screen = try rows(.multiple)
        screen.press("G ")
        screen.press("gjj ")
        screen.press("jjvkk")
        #expect(screen.viewer.marks == ["i7", "i2", "i3", "i4", "i5"])
        screen.press(.enter)
        #expect(screen.effects == [.quit(picked: ["i7", "i2", "i3", "i4", "i5"])])
        // Order follows the last time of marking.
        screen.press("gjj ")
        screen.press("k ")
        screen.press(.enter)
        #expect(screen.effects == [.quit(picked: ["i7", "i3", "i4", "i5", "i2"])])
    }

    @Test func `Space goes to the next row where several can be marked, and stays where one can`() throws {
        var several = try screen(.none, #"{"selection":"multiple"}"#)
        several.press(" ")
        #expect(several.cursor == "i1")
        var one = try screen(.none)
        one.press(" ")
        #expect(one.cursor == "i0")
        #expect(one.viewer.marks == ["i0"])
    }

    @Test func `while a search is typed Tab marks what it has found, which stays marked behind another one`() throws {
        var screen = try longList(.multiple)
        screen.press("5")
        screen.showJustNow(try .rows(["i5", "i15"]), queryNumber: 1)
        screen.press(.tab)
        #expect(screen.viewer.marks == ["i5"])
        #expect(screen.cursor == "i15")
        #expect(screen.status.contains("1 marked"), "\(screen.status)")
        screen.press(.backspace)
        screen.press("7")
        screen.showJustNow(
            try .numbered(0..<100), extent: Window.Extent(offset: 0, total: Viewer.locallyQueriedRowsMax + 1),
            queryNumber: 2)
        screen.showJustNow(try .rows(["i7"]), queryNumber: 3)
        // Another client's change while the list is hidden.
        screen.showJustNow(try .rows(["i7", "i17"]), queryNumber: 3)
        screen.press(.tab)
        screen.press(.enter)
        #expect(screen.effects == [.quit(picked: ["i5", "i7"])])
        #expect(screen.viewer.picked.map(\.item.id) == ["i5", "i7"])
        var held = try self.screen(.multiple)
        held.press("5")
        held.press(.tab)
        held.press(.backspace)
        held.press("3")
        held.press(.tab)
        held.press(.enter)
        #expect(held.effects == [.quit(picked: ["i5", "i3"])])
        var single = try self.screen(.single)
        single.press("5")
        single.press(.tab)
        #expect(single.viewer.marks == [])
    }
}
