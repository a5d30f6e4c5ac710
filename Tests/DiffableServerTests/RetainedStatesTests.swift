import DiffableStore
import TestSupport
import Testing

@testable import Diffable
@testable import DiffableServer

@Suite struct `The states that slow clients keep` {
    private typealias Measured = RetainedStates.Measured

    private static func content(_ random: inout SplitMix64) -> Content {
        Content(Array("\"\(String(repeating: "x", count: Int.random(in: 0..<4_000, using: &random)))\"".utf8))
    }

    /// Returns states of a list, each after a few random changes of the previous one.
    private static func states(_ count: Int, _ random: inout SplitMix64) throws -> [Snapshot] {
        var snapshot = try Snapshot([Section(id: "s")])
        var itemsMade = 0
        var states: [Snapshot] = []
        while states.count < count {
            for _ in 0...Int.random(in: 0..<8, using: &random) {
                let ids = snapshot.itemIdentifiers
                var operation: ListOperation
                switch (Int.random(in: 0..<6, using: &random), ids.randomElement(using: &random)) {
                case (0, let id?): operation = .deleteItems([id])
                case (1, let id?):
                    let change = ItemReconfiguration(id: id, content: .some(content(&random)))
                    operation = .reconfigureItems([change])
                case (2, let id?) where ids.count > 1 && id != ids[0]: operation = .moveItem(id, to: .before(ids[0]))
                default:
                    itemsMade += 1
                    let item = Item(id: try ItemID("\(itemsMade)"), content: content(&random))
                    operation = .appendItems([item], to: .section("s"))
                }
                snapshot = try snapshot.applying([operation])
            }
            states.append(snapshot)
        }
        return states
    }

    private static func records(_ snapshot: Snapshot) -> [ObjectIdentifier: Int] {
        var lengths: [ObjectIdentifier: Int] = [:]
        for id in snapshot.itemIdentifiers {
            guard let handle = snapshot.handle(id) else { continue }
            let record = snapshot.forest.record(handle)
            lengths[ObjectIdentifier(record.buffer)] = record.lengthCounted
        }
        return lengths
    }

    /// Counts the records of some states that the newest state does not share.
    private static func naiveLength(_ states: [Snapshot], besides newest: Snapshot) -> Int {
        let known = records(newest)
        var lengths: [ObjectIdentifier: Int] = [:]
        for state in states { lengths.merge(records(state)) { $1 } }
        return lengths.reduce(0) { known[$1.key] == nil ? $0 + $1.value : $0 }
    }

    private static func origin(_ revision: Int, _ rows: RetainedStates.Rows = .all) -> RetainedStates.Origin {
        RetainedStates.Origin(list: "l", epoch: "e", rows: rows, revision: revision)
    }

    /// Most bytes of one state's own pages: a change of a few items copies a few pages.
    private static let pagesMax = 40 << 10

    @Test func `together count as much as they take, and the oldest are let go, in random histories`() throws {
        var random = SplitMix64()
        for _ in 0..<150 {
            let seed = random.next()
            var random = SplitMix64(seed: seed)
            let states = try Self.states(Int.random(in: 1..<40, using: &random), &random)
            let newest = try #require(states.last)
            // Holders are numbered, because several clients may have stopped at one state.
            let held = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                Int.random(in: 0..<states.count, using: &random)
            }
            var account = RetainedStates()
            for (holder, revision) in held.enumerated() {
                account.add(states[revision], Self.origin(revision), of: holder) { RetainedStates.Newest(rows: newest) }
            }
            var measured = account.measured()
            let naive = Self.naiveLength(Set(held).map { states[$0] }, besides: newest)
            let pages = Set(held).count * Self.pagesMax
            #expect((naive...naive + pages).contains(measured.length), "seed \(seed): \(measured.length), not \(naive)")

            let max = Int.random(in: 0...measured.length + 1, using: &random)
            let before = measured
            let gone = measured.shorten(to: max)
            let left = held.indices.filter { !gone.contains($0) }
            if before.length <= max { #expect(gone.isEmpty, "seed \(seed)") }
            #expect(measured.length <= max, "seed \(seed): \(measured.length) of \(max)")
            let freed = before.chains.joined().filter { gone.contains($0.holder) }.reduce(0) { $0 + $1.length }
            #expect(measured.length == before.length - freed, "seed \(seed)")
            // The remaining states are newer, and count independently of removed ones.
            if let oldest = left.map({ held[$0] }).min(), let last = gone.map({ held[$0] }).max() {
                #expect(last <= oldest, "seed \(seed)")
            }
            #expect(Self.naiveLength(left.map { states[held[$0]] }, besides: newest) <= measured.length, "seed \(seed)")
        }
    }

    @Test func `count once for all who stopped at the same state, and nothing while it is the newest`() throws {
        var random = SplitMix64()
        let states = try Self.states(30, &random)
        var account = RetainedStates()
        for holder in 0..<100 { account.add(states[3], Self.origin(3), of: holder) { .init(rows: states[29]) } }
        let once = states[3].lengthUnshared(with: states[29])
        #expect(account.measured().length == once && once > 0)
        #expect(states[29].lengthUnshared(with: states[29]) == 0)
        var measured = account.measured()
        #expect(measured.shorten(to: once).isEmpty)
        #expect(measured.shorten(to: once - 1).count == 100 && measured.length == 0)
    }

    @Test func `of a list that has gone count whole, and rows count without the records that the list has`() throws {
        var random = SplitMix64()
        let list = try #require(try Self.states(60, &random).last)
        #expect(list.lengthUnshared(with: Snapshot()) > list.lengthCounted)
        // A window has pages of its own, and shares the list's records.
        let rows = Window(start: .offset(3), limit: 10).extract(from: list).snapshot
        var account = RetainedStates()
        account.add(rows, Self.origin(1, .ofAudience(1)), of: 0) { RetainedStates.Newest(list: list) }
        #expect((1...Self.pagesMax).contains(account.measured().length))
        var other = RetainedStates()
        other.add(rows, Self.origin(1, .ofReply(1)), of: 0) { RetainedStates.Newest() }
        #expect(other.measured().length >= account.measured().length + rows.lengthCounted - 200)
    }

    @Test func `of the list with the most are let go first`() {
        var measured = Measured(chains: [
            [.init(holder: 0, length: 5), .init(holder: 1, length: 5)],
            [.init(holder: 2, length: 20), .init(holder: 3, length: 0), .init(holder: 4, length: 9)],
        ])
        #expect(measured.shorten(to: 20) == [2])
        #expect(measured.length == 19)
        #expect(measured.shorten(to: 9) == [0, 1])
        #expect(measured.shorten(to: 0) == [3, 4] && measured.length == 0)
    }
}
