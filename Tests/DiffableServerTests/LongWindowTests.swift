import Diffable
import DiffableJSON
import DiffableProtocol
import Testing

@testable import DiffableServer
@testable import DiffableStore

/// Windows follow a change a few at a time. Each window of 400 rows counts 416 of the 500 that a user may have at once.
@Suite struct `Windows of a long list` {
    private final class Polls {
        var count = 0
    }

    private let polls = Polls()
    private let bench = WorkBench()
    private let background: Background
    private let laggingWindows: LaggingWindows
    private let list: FollowedList
    private let alice = UserShare(1)
    private let bob = UserShare(2)

    init() throws {
        background = bench.background
        laggingWindows = LaggingWindows(rowsMax: 500) { [polls] in polls.count }
        list = try Self.list("l", background, laggingWindows)
    }

    private static func list(
        _ name: ListName, _ background: Background, _ laggingWindows: LaggingWindows
    ) throws -> FollowedList {
        let items = try (0..<2_000).map { number in
            Item(id: try ItemID("i\(number)"), content: Content(Array("\(number)".utf8)))
        }
        let state = ListState(
            name: name, epoch: "e", revision: 1, snapshot: try Snapshot([Section(id: "s", items: items)]),
            durability: .volatile, number: 1)
        return FollowedList(state, background, UpdatePages(), laggingWindows) { _ in }
    }

    private func audience(of user: UserShare, _ window: Window, in list: FollowedList? = nil) -> Audience {
        var view = View()
        view.window = window
        var audience: Audience?
        background.served.serve(user) { audience = (list ?? self.list).audience(for: view) }
        guard let audience else { preconditionFailure("a window over the list itself needs no preparation") }
        return audience
    }

    private func windows(of user: UserShare, _ count: Int, in list: FollowedList? = nil) -> [Audience] {
        (0..<count).map { audience(of: user, Window(start: .offset($0), limit: 400), in: list) }
    }

    private func change(_ list: FollowedList? = nil, isReload: Bool = false) throws {
        let list = list ?? self.list
        let old = list.state
        let item = try ItemID("i\(old.revision % 2_000)")
        let snapshot = try old.snapshot.applying([.moveItem(item, to: .front(of: .section("s")))])
        let step = Commit.Transaction(operations: snapshot.difference(from: old.snapshot), encoded: nil)
        let revision = old.revision + 1
        list.advance(
            by: Commit(
                event: .changed(from: old.revision, transaction: step),
                state: old.moved(to: revision, snapshot, lastReloadRevision: isReload ? revision : nil)))
        list.serve()
    }

    private func poll() {
        polls.count += 1
        laggingWindows.resume()
        list.serve()
    }

    /// Checks that each window shows the rows of the state that it names. Returns the number of those that lag.
    private func lagging(_ audiences: [Audience]) -> Int {
        for audience in audiences {
            let expected = audience.view.evaluate(audience.state.snapshot)
            #expect(audience.shown.snapshot == expected.snapshot && audience.shown.extent == expected.extent)
            #expect(audience.isLagging == (audience.state !== audience.list.state))
        }
        return audiences.count { $0.isLagging }
    }

    @Test func `follow a change at once as far as their user's share goes, and the others after the next polls`() throws
    {
        let audiences = windows(of: alice, 5)
        try change()
        #expect(lagging(audiences) == 3)
        poll()
        #expect(lagging(audiences) == 1)
        poll()
        #expect(lagging(audiences) == 0 && laggingWindows.isEmpty)
    }

    @Test func `longer than their user's share are found in the background while the list changes`() throws {
        let audience = audience(of: alice, Window(start: .offset(0), limit: 600))
        let moving = self.audience(of: bob, Window(start: .anchor("i100"), limit: 600))
        try change()
        try change()
        #expect(bench.piecesBegun == 2 && lagging([audience, moving]) == 2)
        #expect(bench.doNext() && bench.doNext())
        #expect(audience.state.revision == 2 && moving.state.revision == 2 && lagging([audience, moving]) == 2)
        while bench.doNext() {}
        #expect(lagging([audience, moving]) == 0 && bench.piecesBegun == 4)
        // A newcomer does not wait for the background.
        try change()
        #expect(self.audience(of: bob, Window(start: .offset(0), limit: 600)) === audience)
        #expect(lagging([audience]) == 0)
        while bench.doNext() {}
        #expect(lagging([audience, moving]) == 0)
    }

    @Test func `of one user do not delay those of another`() throws {
        let long = windows(of: alice, 5)
        let short = audience(of: bob, Window(start: .offset(0), limit: 10))
        for _ in 0..<20 {
            try change()
            polls.count += 1
            #expect(lagging([short]) == 0)
        }
        #expect(lagging(long) > 0)
    }

    @Test func `that lag follow all changes in one step`() throws {
        let audiences = windows(of: alice, 3)
        let old = audiences[2].target
        for _ in 0..<3 { try change() }
        #expect(audiences[2].target.shown === old.shown && audiences[2].target.revision == 1)
        poll()
        #expect(audiences[2].target.revision == 4 && audiences[2].follows(old))
        poll()
        #expect(lagging(audiences) == 0)
    }

    @Test func `that lag start again after a reload`() throws {
        let audiences = windows(of: alice, 3)
        let old = audiences[2].target
        try change(isReload: true)
        try change()
        poll()
        #expect(lagging(audiences) == 1 && !audiences[2].isLagging)
        let line = try #require(
            audiences[2].encodedUpdate(
                from: old, resetReason: .initial, to: 1, .operations(lineLengthMax: 1 << 20)))
        #expect(String(decoding: line.bytes.bytes.prefix(60), as: UTF8.self).contains(#""method":"reset""#))
    }

    @Test func `that lag are up to date for a newcomer`() throws {
        let audiences = windows(of: alice, 3)
        try change()
        #expect(audiences[2].isLagging)
        #expect(audience(of: bob, Window(start: .offset(2), limit: 400)) === audiences[2])
        #expect(lagging(audiences) == 0)
    }

    @Test func `that move are up to date for a newcomer`() throws {
        _ = windows(of: alice, 2)
        let window = Window(start: .anchor("i100"), limit: 100)
        let first = audience(of: alice, window)
        try change()
        #expect(first.isLagging)
        let second = audience(of: bob, window)
        #expect(second !== first && lagging([first, second]) == 1)
        poll()
        #expect(lagging([first, second]) == 0 && first.shown.extent == second.shown.extent)
    }

    @Test func `keep their order over all lists`() throws {
        let other = try Self.list("other", background, laggingWindows)
        let constant = windows(of: alice, 5)
        let rare = windows(of: alice, 1, in: other)
        try change()
        try change(other)
        for _ in 0..<2 {
            #expect(rare[0].isLagging)
            poll()
            try change()
        }
        #expect(lagging(rare) == 0 && lagging(constant) > 0)
    }

    @Test func `are left as they are in a list that is deleted`() throws {
        let audiences = windows(of: alice, 3)
        let old = audiences[2].shown
        try change()
        list.advance(by: Commit(event: .deleted, state: list.state))
        poll()
        #expect(audiences[2].shown === old && laggingWindows.isEmpty)
    }

    @Test func `that nobody follows any more are left as they are`() throws {
        let audiences = windows(of: alice, 3)
        let old = audiences[2].shown
        try change()
        list.leave(audiences[2])
        poll()
        #expect(audiences[2].shown === old && laggingWindows.isEmpty)
    }
}
