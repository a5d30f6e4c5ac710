import Testing

@testable import Diffable

@Suite struct `A list's own content` {
    @Test func `is replaced, patched and taken away`() throws {
        let list = try Snapshot([Section(id: "s")]).applying([.reconfigureList("1")])
        #expect(list.content == "1")
        #expect(try list.applying([.patchList(ListPatch { Content($0!.bytes + $0!.bytes) })]).content == "11")
        let patched = try Snapshot().applying([.patchList(ListPatch { $0 ?? "new" })])
        #expect(patched.content == "new")
        #expect(try list.applying([.reconfigureList(nil)]).content == nil)
        #expect(list.content == "1")
    }

    @Test func `counts where lists are compared, and comes first in their difference`() throws {
        let bare = try Snapshot(outline: "s: a; t: b")
        let list = try bare.applying([.reconfigureList("1")])
        #expect(bare != list && list.difference(from: bare).lines == ["reconfigureList =1"])
        #expect(bare.difference(from: list).lines == ["reconfigureList =none"])
        let other = try Snapshot(outline: "t: a").applying([.reconfigureList("2")])
        #expect(
            other.difference(from: list).lines == [
                "reconfigureList =2", "moveItem a in t at the front", "deleteItems b", "deleteSections s",
            ])
        #expect(try list.applying(other.difference(from: list)) == other)
    }

    /// Both use the list's handle: content must not be taken for a section or for nothing.
    @Test func `is there without sections, and whether they come or go`() throws {
        let empty = try Snapshot().applying([.reconfigureList("1")])
        let list = try empty.applying([.appendSections([Section(id: "s")])])
        #expect(empty.isEmpty && empty.numberOfSections == 0)
        #expect(list.difference(from: empty).lines == ["insertSections s: at the front"])
        #expect(empty.difference(from: list).lines == ["deleteSections s"])
        #expect(Snapshot().difference(from: list).lines == ["reconfigureList =none", "deleteSections s"])
        #expect(try list.applying([.deleteAllItems]) == empty)
    }

    @Test func `is kept by a state that says nothing of it`() throws {
        let list = try Snapshot(outline: "s: a").applying([.reconfigureList("1")])
        #expect(try Snapshot([], expansionFrom: list).content == "1")
        #expect(try Snapshot([], content: "2", expansionFrom: list).content == "2")
        #expect(try Snapshot([], content: .some(nil), expansionFrom: list).content == nil)
        #expect(try list.replacingItems(inSection: "s", with: []).content == "1")
    }

    @Test func `is shown whatever a view leaves out`() throws {
        let list = try Snapshot(outline: "s: a(b); t: c").applying([.reconfigureList("1")])
        let next = try list.applying([.reconfigureList("2")])
        let selections = [
            Selection(sections: []), Selection(isMatch: { _ in false }), Selection(.shared), Selection(.own([])),
        ]
        for selection in selections {
            let shown = selection.evaluate(list)
            #expect(shown.content == "1")
            let advanced = selection.advance(shown, from: list, to: next, by: next.difference(from: list))
            #expect(advanced.difference(from: shown).lines == ["reconfigureList =2"])
        }
        let window = Window(start: .offset(7), limit: 0)
        #expect(window.extract(from: list).snapshot.content == "1")
    }

    @Test func `counts as any other does`() throws {
        let bare = try Snapshot(outline: "s: a")
        let list = try bare.applying([.reconfigureList("12345")])
        #expect(list.lengthCounted == bare.lengthCounted + 64 + 5)
        #expect(try list.applying([.reconfigureList(nil)]).lengthCounted == bare.lengthCounted)
        let long = Content([UInt8](repeating: 0x37, count: 10_000))
        let change = [ListOperation.reconfigureList(long)]
        #expect(list.lengthKept(after: change) > 10_000)
        #expect(try list.applying(change).lengthKept(after: [.reconfigureList(nil)]) > 10_000)
        let limits = SnapshotLimits(patchedLengthMax: 9)
        #expect(throws: TransactionError(index: 1, reason: .tooMuchPatched(max: 9))) {
            try list.applying([.patchList(ListPatch { $0 }), .patchList(ListPatch { $0 })], limits: limits)
        }
    }

    @Test func `keeps its record when it is said again`() throws {
        let list = try Snapshot(outline: "s: a").applying([.reconfigureList("1")])
        let again = try list.applying([.reconfigureList("1")])
        #expect(try #require(again.listRecord).isShared(with: try #require(list.listRecord)))
        let handedOver = try Snapshot(list.sections, content: "1", expansionFrom: list)
        #expect(try #require(handedOver.listRecord).isShared(with: try #require(list.listRecord)))
    }
}
