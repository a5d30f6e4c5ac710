import Diffable
import DiffableJSON
import DiffableView
import Testing

/// A viewer that returns the picked items.
@Suite struct PickingTests {
    private func screen(_ picking: ViewerOptions.Picking, _ list: String = "{}") throws -> ViewerScreen {
        var screen = ViewerScreen { $0.picking = picking }
        screen.show(try .numbered(0..<8, list: list))
        return screen
    }

    @Test func `one Enter picks what a search has found, however lately it was found`() throws {
        var screen = try screen(.single)
        screen.press("/5")
        screen.showJustNow(try .rows(["i5", "i6"]), queryNumber: 1)
        screen.press(.enter)
        #expect(screen.effects == [.quit(picked: ["i5"])])
    }

    @Test func `the only row that a search finds after Enter is picked then, and of several none`() throws {
        for (found, picked) in [(["i5"], true), (["i5", "i6"], false), ([], false)] {
            var screen = try screen(.single)
            screen.press("/5")
            screen.press(.enter)
            #expect(screen.effects.isEmpty)
            screen.showJustNow(try .rows(found), queryNumber: 1)
            #expect(screen.effects.contains(.quit(picked: ["i5"])) == picked, "\(found)")
            #expect(picked || screen.status.contains("match"), "\(screen.status)")
        }
        // Another key does not finish picking.
        var screen = try screen(.single)
        screen.press("/5")
        screen.press(.enter)
        screen.press("j")
        screen.showJustNow(try .rows(["i5"]), queryNumber: 1)
        #expect(screen.effects.isEmpty)
    }

    @Test func `what was searched for before the list was there is picked when it comes`() throws {
        var screen = ViewerScreen { $0.picking = .single }
        screen.press("/5")
        screen.press(.enter)
        screen.showJustNow(try .numbered(0..<8))
        #expect(!screen.effects.contains { if case .quit = $0 { true } else { false } })
        screen.showJustNow(try .rows(["i5"]), queryNumber: 1)
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
        var screen = try screen(
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
        var screen = try screen(.multiple)
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
        var screen = try screen(.multiple)
        screen.press("/5")
        screen.showJustNow(try .rows(["i5", "i15"]), queryNumber: 1)
        screen.press(.tab)
        #expect(screen.viewer.marks == ["i5"])
        #expect(screen.cursor == "i15")
        #expect(screen.status.contains("1 marked"), "\(screen.status)")
        screen.press(.backspace)
        screen.press("7")
        screen.showJustNow(try .numbered(0..<8), queryNumber: 2)
        screen.showJustNow(try .rows(["i7"]), queryNumber: 3)
        // Another client's change while the list is hidden.
        screen.showJustNow(try .rows(["i7", "i17"]), queryNumber: 3)
        screen.press(.tab)
        screen.press(.enter)
        #expect(screen.effects == [.quit(picked: ["i5", "i7"])])
        var single = try self.screen(.single)
        single.press("/5")
        single.showJustNow(try .rows(["i5", "i15"]), queryNumber: 1)
        single.press(.tab)
        #expect(single.viewer.marks == [])
    }
}
