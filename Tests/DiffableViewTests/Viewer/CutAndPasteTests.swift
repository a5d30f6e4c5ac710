import Diffable
import DiffableJSON
import DiffableView
import Testing

@Suite struct CutAndPasteTests {
    private func press(_ character: Unicode.Scalar, _ screen: inout ViewerScreen) {
        screen.press(.character(character), .control)
    }

    @Test func `a row moves behind another one by a proposal, and the cursor stays`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<8, list: #"{"canReorder":true}"#))
        screen.press("j")
        press("x", &screen)
        #expect(screen.requests.isEmpty)
        #expect(screen.status.contains("“Row i1”: ^V puts it after the selected row"))
        screen.press("jjj")
        press("v", &screen)
        #expect(screen.requests == [.propose(operations: #"[{"op":"moveItem","item":"i1","after":"i4"}]"#)])
        #expect(screen.cursor == "i4")
        press("v", &screen)
        #expect(screen.requests.isEmpty, "it is put once")
    }

    @Test func `marked rows move in their order, each behind the one before`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<8, list: #"{"selection":"multiple","canReorder":true}"#))
        screen.press("jj gg ")
        press("x", &screen)
        #expect(screen.viewer.marks == [])
        screen.press("G")
        press("v", &screen)
        #expect(
            screen.requests == [
                .propose(
                    operations:
                        #"[{"op":"moveItem","item":"i0","after":"i7"},{"op":"moveItem","item":"i2","after":"i0"}]"#)
            ])
    }

    @Test func `in another list they are copied, with what is under them`() throws {
        var screen = ViewerScreen(lists: ["one", "two"])
        let parent = Item(
            id: "p", content: try Content(json: #"{"text":"P"}"#), isExpanded: true, children: [Item(id: "c")])
        screen.showJustNow(try Snapshot([Section(id: "s", items: [parent, Item(id: "q")])]))
        screen.showJustNow(try .rows(["a", "b"]), list: 1)
        screen.wait(.seconds(1))
        press("x", &screen)
        screen.press("2")
        screen.wait(.seconds(1))
        press("v", &screen)
        #expect(
            screen.requests == [
                .transact(
                    operations:
                        #"[{"op":"insertItems","after":"a","items":[{"id":"p","content":{"text":"P"},"expanded":true,"children":[{"id":"c"}]}]}]"#
                )
            ])
    }

    @Test func `no row is put behind itself or under itself, and nothing where nothing was taken`() throws {
        var screen = ViewerScreen()
        let parent = Item(id: "p", isExpanded: true, children: [Item(id: "c")])
        screen.show(try Snapshot([Section(id: "s", items: [parent, Item(id: "q")])]))
        press("v", &screen)
        #expect(screen.status.contains("Nothing to put here"))
        press("x", &screen)
        press("v", &screen)
        #expect(screen.status.contains("cannot be moved next to itself"))
        screen.press("j")
        press("v", &screen)
        #expect(screen.requests.isEmpty)
        #expect(screen.status.contains("cannot be moved next to itself"))
    }

    @Test func `what stays where it is, by the list's word or an order, is not moved`() throws {
        var screen = ViewerScreen()
        screen.show(try .numbered(0..<3))
        press("x", &screen)
        screen.press("j")
        press("v", &screen)
        #expect(screen.status.contains("This row cannot be moved"))
        screen = ViewerScreen { $0.filter.sort = ["\"/n\""] }
        screen.show(try .numbered(0..<3, list: #"{"canReorder":true}"#))
        press("x", &screen)
        screen.press("j")
        press("v", &screen)
        #expect(screen.status.contains("cannot be moved while they are sorted"))
        #expect(screen.requests.isEmpty)
    }

    @Test func `without a connection nothing is taken or put, and a picker does neither`() throws {
        var screen = ViewerScreen { $0.picking = .single }
        screen.show(try .numbered(0..<3))
        screen.press(.character("o"), .control)
        press("x", &screen)
        press("v", &screen)
        #expect(screen.status.contains("Enter picks"))
        screen = ViewerScreen()
        screen.show(try .numbered(0..<3))
        screen.handle(.connection(isUp: false))
        press("x", &screen)
        #expect(screen.status.contains("There is no connection"))
    }
}
