import Diffable
import DiffableJSON
import DiffableProtocol
import Testing

@testable import DiffableServer
@testable import DiffableStore

/// Counts evaluations of items for many different views of a list, of which a change affects few.
@Suite struct `Many views of one list` {
    private static let viewsMax = 300
    private let list: FollowedList
    private let polls = Looks()
    private let bench = WorkBench()

    init() throws {
        let items = try (0..<Self.viewsMax * 2).map { number in
            Item(
                id: try ItemID("i\(number)"), content: Self.content(owner: number % Self.viewsMax),
                children: number == 0 ? [Item(id: "child", content: Self.content(owner: 7))] : [])
        }
        let state = ListState(
            name: "l", epoch: "e", revision: 1, snapshot: try Snapshot([Section(id: "s", items: items)]),
            durability: .volatile, number: 1)
        list = FollowedList(state, bench.background) { _ in }
    }

    private static func content(owner: Int, text: String = "") -> Content {
        Content(Array(#"{"owner":"o\#(owner)","text":"\#(text)"}"#.utf8))
    }

    /// Shows an owner's items, and counts evaluations.
    private func view(owner: Int, rest: String = "") throws -> View {
        try polls.view(#"{"where":{"path":"/owner","equals":"o\#(owner)"}\#(rest)}"#)
    }

    private func audience(for view: View) -> Audience {
        let preparation = list.preparation(for: view)
        while !preparation.isReady, bench.doNext() { list.serve() }
        defer { preparation.end() }
        return list.audience(for: view)
    }

    private func change(_ operations: [ListOperation], isReload: Bool = false) throws {
        let old = list.state
        let snapshot = try old.snapshot.applying(operations)
        let step = Commit.Transaction(operations: snapshot.difference(from: old.snapshot), encoded: nil)
        let revision = old.revision + 1
        list.advance(
            by: Commit(
                event: .changed(from: old.revision, transaction: step),
                state: old.moved(to: revision, snapshot, lastReloadRevision: isReload ? revision : nil)))
        list.serve()
    }

    private func give(_ item: ItemID, to owner: Int, text: String = "") throws {
        let content = Self.content(owner: owner, text: text)
        try change([.reconfigureItems([ItemReconfiguration(id: item, content: .some(content))])])
    }

    /// Checks that all views are right and up to date.
    private func check(_ audiences: [Audience]) {
        for audience in audiences {
            let expected = audience.view.evaluate(list.state.snapshot)
            #expect(audience.shown.snapshot == expected.snapshot && audience.shown.extent == expected.extent)
            #expect(audience.state === list.state)
        }
    }

    @Test func `are left alone by what does not concern them`() throws {
        let audiences = try (0..<Self.viewsMax).map { audience(for: try view(owner: $0)) }
        let folded = audience(for: try view(owner: 5, rest: #","expansion":"own","expanded":["i0"]"#))
        let window = audience(for: try view(owner: 6, rest: #","window":{"limit":1}"#))
        _ = polls.take()
        let shown = audiences.map(\.shown)
        try give("i8", to: 9)
        #expect(polls.take() <= 8)
        let changed = audiences.indices.filter { audiences[$0].shown !== shown[$0] }
        #expect(changed == [8, 9] && audiences[8].shown.snapshot.numberOfItems == 1)
        for operation: ListOperation in [
            .insertItems([Item(id: "new", content: Self.content(owner: 3))], at: .after("i17")),
            .deleteItems(["i5"]), .moveItem("i6", to: .after("i400")), .expandItems(["i11"]),
            .reloadItems([ItemReload(id: "i12", content: .some(nil))]),
            .reconfigureItems([ItemReconfiguration(id: "i13")]),
        ] {
            try change([operation])
            #expect(polls.take() <= 8, "\(operation)")
        }
        check(audiences + [folded, window])
    }

    @Test func `hear of a parent that they show for what is under it`() throws {
        let audiences = try (0..<20).map { audience(for: try view(owner: $0)) }
        let shown = audiences.map(\.shown)
        // No view here shows the item before or after, but one shows its child.
        try give("i0", to: 200)
        try give("i0", to: 201, text: "another")
        #expect(audiences[7].shown !== shown[7])
        #expect(audiences[7].shown.snapshot.item("i0")?.content == Self.content(owner: 201, text: "another"))
        try change([.expandItems(["i0"])])
        check(audiences)
    }

    @Test func `hear of what concerns all`() throws {
        let audiences = try (0..<20).map { audience(for: try view(owner: $0)) }
        for operation: ListOperation in [
            .reconfigureList(.some(Content(Array("1".utf8)))), .appendSections([Section(id: "t")]),
            .moveSection("t", to: .front), .deleteSections(["t"]),
        ] {
            let shown = audiences.map(\.shown)
            try change([operation])
            #expect(zip(audiences, shown).allSatisfy { $0.shown !== $1 }, "\(operation)")
        }
        let shown = audiences.map(\.shown)
        try change([.deleteItems(["i300"])], isReload: true)
        #expect(zip(audiences, shown).allSatisfy { $0.shown !== $1 }, "all begin anew")
        check(audiences)
    }

    @Test func `say the newest revision, also those that have rested`() throws {
        let audience = audience(for: try view(owner: 5))
        func line() throws -> String {
            let line = try #require(
                audience.encodedUpdate(
                    from: nil, resetReason: .initial, to: 1, .operations(lineLengthMax: 1 << 20)))
            return String(decoding: line.bytes.bytes, as: UTF8.self)
        }
        #expect(try line().contains(#""revision":1,"#))
        let sent = audience.target
        try give("i8", to: 9)
        try give("i8", to: 10)
        #expect(audience.target.revision == 3 && audience.target.shown === sent.shown)
        #expect(try line().contains(#""revision":3,"#))
        try give("i8", to: 5)
        let update = try #require(
            audience.encodedUpdate(from: sent, resetReason: .initial, to: 1, .operations(lineLengthMax: 1 << 20)))
        #expect(String(decoding: update.bytes.bytes, as: UTF8.self).contains(#""from":1,"revision":4,"#))
    }

    @Test func `of one user follow in their order, some in each tick`() throws {
        var audiences: [Audience] = []
        for number in 0..<Self.viewsMax {
            let test = #"{"not":{"path":"/owner","equals":"\#(number)"}}"#
            let view = try polls.view(#"{"where":\#(test),"expansion":"own","expanded":["i\#(number)"]}"#)
            list.background.served.serve(UserShare(1)) { audiences.append(audience(for: view)) }
        }
        var ticksLeft = 0
        list.onWorkLeft = { ticksLeft += 1 }
        func resume() {
            ticksLeft -= 1
            list.resume()
            list.serve()
        }
        func isBehind(_ audience: Audience) -> Bool { audience.state !== list.state }
        let first = list.state.revision
        try give("i8", to: 9)
        #expect(audiences.count(where: isBehind) > Self.viewsMax / 2)
        // Changes in each tick do not keep a view from following.
        for number in 0..<20 where audiences.contains(where: { $0.state.revision == first }) {
            #expect(ticksLeft == 1)
            try give("i8", to: number + 10)
            resume()
        }
        #expect(audiences.allSatisfy { $0.state.revision > first })
        for _ in 0..<20 where ticksLeft > 0 { resume() }
        check(audiences)
    }

    @Test func `come and go while the others rest`() throws {
        var audiences = try (0..<40).map { audience(for: try view(owner: $0)) }
        for audience in audiences.prefix(20) { list.leave(audience) }
        audiences.removeFirst(20)
        try give("i3", to: 25)
        audiences.append(audience(for: try view(owner: 3)))
        try give("i4", to: 3)
        check(audiences)
        for audience in audiences { list.leave(audience) }
        #expect(list.isEmpty)
    }
}
