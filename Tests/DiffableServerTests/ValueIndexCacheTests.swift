import Diffable
import DiffableJSON
import DiffableProtocol
import Testing

@testable import DiffableServer
@testable import DiffableStore

/// Sorted orders of a list's items, reused for new followers.
@Suite struct KeptOrdersTests {
    private let bench = WorkBench()
    private let background: Background
    private let state: ListState

    init() throws {
        background = bench.background
        let items = try (0..<6_000).map { number in
            Item(id: try ItemID("i\(number)"), content: Self.content(owner: number))
        }
        state = ListState(
            name: "l", epoch: "e", revision: 1, snapshot: try Snapshot([Section(id: "s", items: items)]),
            durability: .volatile, number: 1)
    }

    private static func content(owner: Int) -> Content { Content(Array(#"{"owner":"o\#(owner)"}"#.utf8)) }

    private func view(owner: Int) throws -> View {
        let json = #"{"where":{"path":"/owner","equals":"o\#(owner)"}}"#
        return try Array(json.utf8).withUnsafeBytes { try View(json: $0) }
    }

    private func path(_ number: Int) throws -> ComparedPath {
        let json = #"{"where":{"path":"/p\#(number)","equals":1}}"#
        let view = try Array(json.utf8).withUnsafeBytes { try View(json: $0) }
        return try #require(view.criterion?.comparedPaths.first)
    }

    private func ask(_ orders: inout ValueIndexCache, _ number: Int, times: Int = 1) throws -> String {
        var answer = ValueIndexCache.Answer.isNotWorthIt
        for _ in 0..<times { answer = orders.index(at: try path(number), for: state, background, whenThere: {}) }
        return switch answer {
        case .isNotWorthIt: "not worth it"
        case .awaited: "awaited"
        case .known: "known"
        }
    }

    @Test func `for one more than may be kept, the one goes that was used least recently`() throws {
        var orders = ValueIndexCache()
        for number in 0..<background.turn.ordersMax {
            #expect(try ask(&orders, number, times: 2) == "not worth it")
            #expect(try ask(&orders, number) == "awaited")
            while bench.doNext() {}
            #expect(try ask(&orders, number) == "known")
        }
        #expect(try ask(&orders, 0) == "known")
        let more = background.turn.ordersMax
        #expect(more == 4)
        #expect(try ask(&orders, more, times: 3) == "awaited")
        while bench.doNext() {}
        for number in [0, 2, 3, more] { #expect(try ask(&orders, number) == "known", "\(number)") }
        #expect(try ask(&orders, 1) == "not worth it")
    }

    @Test func `while as many are being made as may be kept, no other is begun`() throws {
        var orders = ValueIndexCache()
        let max = background.turn.ordersMax
        for number in 0..<max { #expect(try ask(&orders, number, times: 3) == "awaited") }
        #expect(try ask(&orders, max, times: 5) == "not worth it")
        while bench.doNext() {}
        #expect(try ask(&orders, max) == "awaited")
        #expect(try ask(&orders, 0) == "not worth it")
    }

    @Test func `who waits for one asks once, whatever happens to the list meanwhile`() throws {
        let list = FollowedList(state, background) { _ in }
        let views = try (0..<4).map { try view(owner: $0) }
        let preparations = views.map { view in
            let preparation = list.preparation(for: view)
            list.serve()
            return preparation
        }
        let selections = try #require(list.selections)
        let asked = selections.orders.timesAsked
        #expect(asked == 4)
        for number in 10..<20 {
            let old = list.state
            let content = Self.content(owner: number + 1)
            let snapshot = try old.snapshot.applying([
                .reconfigureItems([ItemReconfiguration(id: try ItemID("i\(number)"), content: .some(content))])
            ])
            let step = Commit.Transaction(operations: snapshot.difference(from: old.snapshot), encoded: nil)
            let new = old.moved(to: old.revision + 1, snapshot)
            list.advance(by: Commit(event: .changed(from: old.revision, transaction: step), state: new))
            list.serve()
        }
        #expect(selections.orders.timesAsked == asked)
        while bench.doNext() { list.serve() }
        for preparation in preparations { #expect(preparation.isReady) }
        for (view, preparation) in zip(views, preparations) {
            #expect(list.audience(for: view).shown.snapshot == view.evaluate(list.state.snapshot).snapshot)
            preparation.end()
        }
    }
}

/// Followers with the same view: a leaving one costs the others nothing.
@Suite struct UnorderedGroupTests {
    private final class Member {
        var timesMoved = 0
        var place: Int? { didSet { timesMoved += 1 } }
    }

    @Test func `of a thousand one leaves, and no more than one other is moved`() {
        var group = UnorderedBag(\Member.place)
        let members = (0..<1_000).map { _ in Member() }
        for member in members { group.add(member) }
        for number in [0, 500, 998, 3, 999] {
            for member in members { member.timesMoved = 0 }
            group.remove(members[number])
            #expect(members[number].place == nil)
            #expect(members.enumerated().reduce(0) { $0 + ($1.offset == number ? 0 : $1.element.timesMoved) } <= 1)
            group.remove(members[number])
        }
        var seen: Set<ObjectIdentifier> = []
        group.forEach { seen.insert(ObjectIdentifier($0)) }
        let rest = members.filter { $0.place != nil }
        #expect(group.count == 995 && seen == Set(rest.map(ObjectIdentifier.init)))
        #expect(Set(rest.compactMap(\.place)) == Set(0..<995))
    }
}
