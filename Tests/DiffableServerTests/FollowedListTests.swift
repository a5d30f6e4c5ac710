import Diffable
import DiffableJSON
import Testing

@testable import DiffableServer
@testable import DiffableStore

/// Counts how often an item is evaluated for the views of a list.
struct FollowedListTests {
    private static let itemsMax = 1_000
    private static let even = Content(Array("even".utf8))
    private static let odd = Content(Array("odd".utf8))
    private let list: FollowedList
    private let polls = Looks()
    private let bench = WorkBench()

    init() throws {
        let items = try (0..<Self.itemsMax).map { number in
            Item(
                id: try ItemID("i\(number)"), content: number % 2 == 0 ? Self.even : Self.odd,
                children: [Item(id: try ItemID("c\(number)"), content: Self.even)])
        }
        let snapshot = try Snapshot([Section(id: "s", items: items)])
        let state = ListState(
            name: "l", epoch: "e", revision: 1, snapshot: snapshot, durability: .volatile, number: 1)
        list = FollowedList(state, bench.background) { _ in }
    }

    /// Shows the even items, and counts evaluations.
    private func view(_ expansion: Selection.Expansion = .all, _ window: Window? = nil) -> View {
        var view = View()
        view.matching = Selection(isMatch: { [polls] item in
            polls.add()
            return item.content == Self.even
        })
        view.matchingText = Array("even".utf8)
        view.expansion = expansion
        view.window = window
        return view
    }

    private func change(_ operation: ListOperation) throws {
        let old = list.state
        let snapshot = try old.snapshot.applying([operation])
        let step = Commit.Transaction(operations: snapshot.difference(from: old.snapshot), encoded: nil)
        list.advance(
            by: Commit(
                event: .changed(from: old.revision, transaction: step), state: old.moved(to: old.revision + 1, snapshot)
            ))
        list.serve()
    }

    /// The followers of a view, which may need work in the background first.
    private func audience(for view: View) -> Audience {
        let preparation = list.preparation(for: view)
        while !preparation.isReady, bench.doNext() {}
        let audience = list.audience(for: view)
        preparation.end()
        return audience
    }

    @Test func `equal views are one audience`() {
        let audience = self.audience(for: view(.shared, Window(start: .offset(5), limit: 10)))
        #expect(audience === self.audience(for: view(.shared, Window(start: .offset(5), limit: 10))))
        #expect(audience !== self.audience(for: view(.shared, Window(start: .offset(6), limit: 10))))
        #expect(audience.shown.snapshot.numberOfItems == 10)
    }

    @Test func `views that match alike look at each item once, and at what changes once`() throws {
        var audiences: [Audience] = []
        for number in 0..<50 {
            audiences.append(self.audience(for: view(.all, Window(start: .offset(number), limit: 10))))
            audiences.append(self.audience(for: view(.own([try ItemID("i\(number)")]))))
        }
        let first = polls.take()
        #expect((1...2 * Self.itemsMax).contains(first), "\(first) looks at \(2 * Self.itemsMax) items")

        try change(.reconfigureItems([ItemReconfiguration(id: "c7", content: .some(Self.odd))]))
        #expect((1...4).contains(polls.take()))
        try change(.deleteItems(["i8"]))
        #expect(polls.take() <= 4)
        #expect(audiences.allSatisfy { !$0.shown.snapshot.contains("i8" as ItemID) })
    }

    @Test func `a change that a view does not show leaves it as it is, and it has heard of it`() throws {
        try change(.deleteItems(["c1", "c3"]))
        let matching = self.audience(for: view())
        let window = self.audience(for: view(.all, Window(start: .offset(0), limit: 4)))
        let folded = self.audience(for: view(.own([])))
        let whole = self.audience(for: View())
        let shown = [matching, window, folded, whole].map(\.shown)
        try change(.reconfigureItems([ItemReconfiguration(id: "i1", content: .some(Content(Array("odder".utf8))))]))
        #expect(matching.shown === shown[0] && window.shown === shown[1] && folded.shown === shown[2])
        #expect(whole.shown !== shown[3])
        #expect(list.shownState.revision == 3)

        // A matching item has changed, but none that these views show.
        try change(.reconfigureItems([ItemReconfiguration(id: "i999", content: .some(Self.even))]))
        try change(.expandItems(["i997"]))
        #expect(matching.shown !== shown[0] && window.shown === shown[1])
    }

    @Test func `a window is told of rows beyond it by their number alone`() throws {
        let audience = self.audience(for: view(.all, Window(start: .offset(2), limit: 4)))
        let old = audience.shown
        try change(.appendItems([Item(id: "new", content: Self.even)], to: .section("s")))
        #expect(audience.shown.extent == Window.Extent(offset: 2, total: 2 * Self.itemsMax + 1))
        #expect(audience.shown.snapshot == old.snapshot)
    }

    @Test func `what was shown at an earlier revision is found by what differs`() throws {
        let audience = self.audience(for: view(.own(["i4"])))
        let (then, old) = (audience.shown.snapshot, list.state)
        try change(.deleteItems(["i4"]))
        _ = polls.take()
        let preparation = list.preparation(for: audience.view, of: (old, audience.view))
        while bench.doNext() {}
        let found = audience.shown(at: old, try #require(preparation.found).rows)
        #expect(found.snapshot == then && audience.shown.snapshot != then)
        #expect(polls.take() < 10)
    }

    @Test func `the item that takes the place of an anchor replaces it`() throws {
        let window = Window(start: .anchor("i500"), limit: 3)
        let first = self.audience(for: view(.own([]), window))
        #expect(first.shown.extent == Window.Extent(offset: 500, total: 1000))
        try change(.deleteItems(["i500"]))
        #expect(first.shown.extent?.offset == 500 && first.shown.extent?.anchor == "i501")
        let second = self.audience(for: view(.own([]), window))
        #expect(
            second.shown.extent?.offset == 0 && second.shown.extent?.anchor == "i0", "a newcomer begins at the front")
        #expect(second === self.audience(for: view(.own([]), window)), "those who are shown the same are one audience")
        try change(.deleteItems(["i0"]))
        #expect(first.shown.extent?.offset == 499 && second.shown.extent?.anchor == "i1")
        try change(.insertItems([Item(id: "i500", content: Self.even)], at: .after("i20")))
        #expect(first.shown.extent?.anchor == "i501" && second.shown.extent?.anchor == "i1", "it is replaced for good")
        #expect(self.audience(for: view(.own([]), window)).shown.extent?.offset == 20)
        list.leave(first)
        list.leave(second)
        list.leave(self.audience(for: view(.own([]), window)))
        #expect(list.isEmpty)
    }

    @Test func `a window whose list was empty begins with its anchor again`() throws {
        let audience = self.audience(for: view(.own([]), Window(start: .anchor("i500"), limit: 3)))
        let all = list.state.snapshot.sections
        try change(.deleteSections(["s"]))
        #expect(audience.shown.extent == Window.Extent(offset: 0, total: 0))
        try change(.appendSections(all))
        while bench.doNext() { list.serve() }
        #expect(audience.shown.extent == Window.Extent(offset: 500, total: 1000))
    }

    @Test func `those who were sent other rows have a window of their own`() throws {
        var window = Window(start: .offset(10), limit: 5)
        window.keep = ["i12"]
        let view = view(.own([]), window)
        let first = self.audience(for: view)
        let old = first.shown
        let new = (0..<100).map { number in Item(id: ItemID(stringLiteral: "n\(number)"), content: Self.even) }
        try change(.insertItems(new, at: .front(of: .section("s"))))
        #expect(first.shown.extent?.offset == 110 && first.shown.snapshot.contains("i12" as ItemID))
        let second = self.audience(for: view)
        #expect(second.shown.extent?.offset == 10 && second !== first)
        #expect(self.list.audience(for: view, after: old) === first)
        // The window counts from its own offset for clients that ask for it again.
        #expect(self.list.audience(for: view, after: first.shown, isSameView: false).shown.extent?.offset == 10)
    }

    @Test func `who comes back to a window without its anchor is not resumed`() throws {
        let view = view(.own([]), Window(start: .anchor("i6"), limit: 3))
        try change(.deleteItems(["i6"]))
        let old = list.state
        let preparation = list.preparation(for: view, of: (old, view))
        while bench.doNext() { list.serve() }
        defer { preparation.end() }
        #expect(try #require(preparation.found).rows.lacksAnchor)
    }

    @Test func `what cancels out in one turn is not shown as a change`() throws {
        let whole = self.audience(for: View())
        let shown = whole.shown
        let old = list.state
        let other = try old.snapshot.applying([.deleteItems(["i1"])])
        for (snapshot, before) in [(other, old.snapshot), (old.snapshot.restored(after: other), other)] {
            let step = Commit.Transaction(operations: snapshot.difference(from: before), encoded: nil)
            let revision = list.state.revision
            list.advance(
                by: Commit(
                    event: .changed(from: revision, transaction: step),
                    state: list.state.moved(to: revision + 1, snapshot)))
        }
        list.serve()
        #expect(whole.shown === shown && whole.state.revision == old.revision + 2)
    }

    @Test func `nothing is kept for a view that nobody has`() {
        let audience = self.audience(for: view(.own([])))
        #expect(!list.isEmpty)
        list.leave(audience)
        #expect(list.isEmpty)
        _ = polls.take()
        _ = self.audience(for: view())
        #expect(polls.take() >= Self.itemsMax, "what matches is looked for again")
    }
}
