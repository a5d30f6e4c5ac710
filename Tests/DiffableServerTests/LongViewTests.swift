import Diffable
import DiffableJSON
import TestSupport
import Testing

@testable import DiffableServer
@testable import DiffableStore

/// Long work does not run on the event loop: counts the evaluations of items there.
@Suite struct `A view of a long list` {
    private static let itemsMax = 20_000
    private let bench = WorkBench()
    private let list: FollowedList
    private let polls = Looks()

    init() throws {
        let items = try (0..<Self.itemsMax).map { number in
            Item(id: try ItemID("i\(number)"), content: Content(Array("\(number * 7919 % 1000)".utf8)))
        }
        let state = ListState(
            name: "l", epoch: "e", revision: 1, snapshot: try Snapshot([Section(id: "s", items: items)]),
            durability: .volatile, number: 1)
        list = FollowedList(state, bench.background) { _ in }
    }

    private func view(_ name: String = "sorted", limit: Int? = nil) -> View {
        var view = View()
        view.matching = Selection(appendKey: { [polls] item, key in
            polls.add()
            item.content?.bytes.withUnsafeBytes { key.append($0) }
        })
        view.matchingText = Array(name.utf8)
        view.window = limit.map { Window(start: .offset(0), limit: $0) }
        return view
    }

    private func change(_ operations: [ListOperation]) throws {
        let old = list.state
        let snapshot = try old.snapshot.applying(operations)
        let step = Commit.Transaction(operations: snapshot.difference(from: old.snapshot), encoded: nil)
        list.advance(
            by: Commit(
                event: .changed(from: old.revision, transaction: step), state: old.moved(to: old.revision + 1, snapshot)
            ))
        list.serve()
    }

    private func reconfigure(_ numbers: Range<Int>, to content: String) throws {
        try change([
            .reconfigureItems(
                try numbers.map {
                    ItemReconfiguration(id: try ItemID("i\($0)"), content: .some(Content(Array(content.utf8))))
                })
        ])
    }

    /// Runs the background work, with an iteration of the loop after each piece.
    private func finish() { while bench.doNext() { list.serve() } }

    private func audience(for view: View) -> Audience {
        let preparation = list.preparation(for: view)
        finish()
        defer { preparation.end() }
        return list.audience(for: view)
    }

    /// Checks that the shown items are right for the reported state.
    private func check(_ audience: Audience) {
        let expected = audience.view.evaluate(audience.state.snapshot)
        #expect(audience.shown.snapshot == expected.snapshot && audience.shown.extent == expected.extent)
        _ = polls.take()
    }

    @Test func `is found in the background, and follows what changed meanwhile`() throws {
        let preparation = list.preparation(for: view())
        #expect(!preparation.isReady && polls.take() == 0 && bench.piecesBegun == 1)
        for number in 0..<20 { try reconfigure(number..<number + 1, to: "5000") }
        try change([.deleteItems(["i77"])])
        #expect(polls.take() == 0)

        var isTold = false
        preparation.whenReady = { isTold = true }
        finish()
        let found = polls.take()
        #expect(found <= Self.itemsMax + IterationLimits().workMax)
        #expect(preparation.isReady && isTold)
        let audience = list.audience(for: view())
        #expect(audience.state === list.state && bench.piecesBegun == 1)
        check(audience)
    }

    @Test func `is found once for all who ask while it is looked for`() throws {
        let preparations = (0..<10).map { list.preparation(for: view(limit: $0 + 1)) }
        finish()
        #expect(preparations.allSatisfy { $0.isReady })
        #expect(bench.piecesBegun == 1 && polls.take() == Self.itemsMax)
    }

    @Test func `is told of a change once, also when the next one takes long`() throws {
        let audience = audience(for: view())
        try reconfigure(3..<4, to: "7")
        let (shown, state) = (audience.shown, audience.state)
        try reconfigure(0..<Self.itemsMax / 2, to: "500")
        #expect(audience.shown === shown && audience.state === state)
        finish()
        check(audience)
    }

    @Test func `stays as it was until a long change is found in the background`() throws {
        let audience = audience(for: view())
        let window = self.audience(for: view(limit: 10))
        let (shown, state) = (audience.shown, audience.state)
        _ = polls.take()
        try reconfigure(0..<Self.itemsMax / 2, to: "500")
        #expect(polls.take() <= IterationLimits().workMax)
        #expect(audience.shown === shown && audience.state === state && window.state === state)
        try reconfigure(3..<4, to: "1")
        #expect(polls.take() == 0, "what comes next waits for what comes before")
        finish()
        #expect(audience.state === list.state && window.state === list.state)
        check(audience)
        check(window)
    }

    @Test func `is followed by whole lists and windows over them at once`() throws {
        let sorted = audience(for: view())
        let whole = list.audience(for: View())
        try reconfigure(0..<Self.itemsMax, to: "500")
        #expect(sorted.state.revision == 1 && whole.state.revision == 2)
        finish()
        #expect(sorted.state.revision == 2)
    }

    @Test func `takes part of a turn, with however many others`() throws {
        let audiences = (0..<20).map { self.audience(for: view("sorted \($0)")) }
        _ = polls.take()
        for number in 0..<5 {
            try reconfigure(number * 100..<number * 100 + 20, to: "3")
            #expect(polls.take() <= 2 * IterationLimits().workMax)
        }
        finish()
        for audience in audiences {
            #expect(audience.state === list.state)
            check(audience)
        }
    }

    @Test func `of which nobody waits any more is not looked for`() throws {
        let first = list.preparation(for: view("first"))
        let second = list.preparation(for: view("second"))
        second.end()
        finish()
        #expect(first.isReady && bench.piecesBegun == 1)
        first.end()
        #expect(list.isEmpty)
    }

    @Test func `is not waited for when the list is deleted`() throws {
        let preparation = list.preparation(for: view())
        list.advance(by: Commit(event: .deleted, state: list.state))
        list.serve()
        #expect(preparation.isReady)
    }

    @Test func `of an earlier state is found in the background`() throws {
        let old = list.state
        try reconfigure(0..<Self.itemsMax, to: "500")
        let preparation = ViewPreparation(old, through: view(), list, bench.background) { true }
        #expect(!preparation.isReady && polls.take() == 0)
        finish()
        let found = try #require(preparation.found)
        #expect(found.rows.snapshot == view().evaluate(old.snapshot).snapshot)
    }

    @Test func `is freed in the background, when this turn is over`() throws {
        let audience = audience(for: view())
        let begun = bench.piecesBegun
        list.leave(audience)
        #expect(list.isEmpty && bench.piecesBegun == begun + 1)
        #expect(bench.doNext() && bench.piecesBegun == begun + 2)
        finish()
        // An order of few items is not worth keeping.
        list.background.free(Snapshot())
        #expect(bench.piecesBegun == begun + 2)
    }

    @Test func `that is short goes before one that is long`() throws {
        var order: [Int] = []
        for size in [5, 3, 1, 2] {
            list.background.compute(size: size, while: { true }, { size }, use: { order.append($0) })
        }
        finish()
        #expect(order == [5, 1, 2, 3], "what was begun is finished")
    }

    @Test func `that is long is not passed by short ones for ever`() throws {
        var order: [Int] = []
        func find(_ size: Int) {
            list.background.compute(size: size, while: { true }, { size }, use: { order.append($0) })
        }
        find(1)
        find(100)
        for _ in 0..<20 {
            find(2)
            _ = bench.doNext()
        }
        #expect(order.firstIndex(of: 100) == 1 + FairQueue<Int>.timesPassedMax)
    }

    // MARK: Many followers

    @Test func `that compares what others compare is found by its values`() throws {
        var audiences: [Audience] = []
        var random = SplitMix64()
        for number in 0..<40 {
            let width = number % 3
            let json = #"{"where":{"path":"","atLeast":\#(number * 10),"atMost":\#(number * 10 + width)}}"#
            audiences.append(audience(for: try polls.view(json)))
            // Two followers evaluate all items, and the third creates their order.
            let most = number < 2 ? Self.itemsMax : 1_000
            let taken = polls.take()
            #expect(taken <= most, "\(taken) looks of the view number \(number)")
            for _ in 0..<3 {
                let item = Int.random(in: 0..<Self.itemsMax, using: &random)
                try reconfigure(item..<item + 1, to: "\(Int.random(in: 0..<400, using: &random))")
            }
        }
        finish()
        for audience in audiences { check(audience) }
        // An order is not reused if most of the list has changed.
        try reconfigure(0..<Self.itemsMax, to: "5")
        finish()
        let last = audience(for: try polls.view(#"{"where":{"path":"","equals":5}}"#))
        #expect(last.shown.snapshot.numberOfItems == Self.itemsMax)
        check(last)
        for audience in audiences { check(audience) }
        for audience in audiences + [last] { list.leave(audience) }
        finish()
        #expect(list.isEmpty)
    }

    @Test func `that searches for more of the same looks at what was found`() throws {
        for number in 0..<1_000 { try reconfigure(number * 20..<number * 20 + 1, to: "\"Name-\(number)\"") }
        finish()
        var audience = self.audience(for: try polls.view(#"{"search":"name","sort":[""],"window":{"limit":5}}"#))
        #expect(audience.shown.extent?.total == 1_000)
        _ = polls.take()
        for (text, total, looksMax) in [
            ("NAME-1", 111, 1_010), ("name-12", 11, 121), ("name-123 2", 1, 21), ("e-2", 111, 20_010),
        ] {
            let view = try polls.view(#"{"search":"\#(text)","sort":[""],"window":{"limit":5}}"#)
            let preparation = list.preparation(for: view, besides: audience)
            finish()
            let next = list.audience(for: view)
            preparation.end()
            list.leave(audience)
            audience = next
            #expect(audience.shown.extent?.total == total)
            let taken = polls.take()
            #expect(taken <= looksMax, "\(taken) looks for \(text)")
            check(audience)
            try reconfigure(20..<21, to: "\"Name-12 \(text)\"")
            check(audience)
            try reconfigure(20..<21, to: "\"Name-1\"")
        }
    }
}
