import Diffable
import DiffableJSON
import Synchronization
import TestSupport
import Testing

@testable import DiffableStore

/// Background work that a test completes on command.
final class BackgroundBench: Sendable {
    private struct Piece {
        let work: @Sendable () -> Void
        let then: @Sendable () -> Void
    }

    private let pieces = Mutex<[Piece]>([])
    private let begun = Mutex(0)

    /// - Parameter sizeMax: most items of work that is done on the queue instead.
    func background(_ store: Store, sizeMax: Int) -> BackgroundWork {
        BackgroundWork(sizeMax: sizeMax) { [self] _, work, then in
            begun.withLock { $0 += 1 }
            pieces.withLock { $0.append(Piece(work: work, then: { store.executor.execute(then) })) }
        } free: { _, _ in
        }
    }

    var piecesBegun: Int { begun.withLock { $0 } }
    var count: Int { pieces.withLock { $0.count } }

    /// Does one of the waiting pieces, and delivers its result.
    func doNext(_ index: Int = 0) {
        let piece = pieces.withLock { $0.remove(at: index) }
        piece.work()
        piece.then()
    }
}

/// Diffs of long changes are computed in the background, while other changes continue.
struct BackgroundChangesTests {
    private let bench = Bench()
    private let work = BackgroundBench()

    private func items(_ count: Int, from first: Int = 0, _ content: String = "1") -> [Item] {
        (first..<first + count).map { Item(id: .numbered($0), content: Content(Array(content.utf8))) }
    }

    /// Makes a volatile list with a section of `count` items.
    private func makeList(_ count: Int, sizeMax: Int) async {
        let (store, work) = (bench.store, work)
        await store.run { store in
            store.background = nil
            store.createList("l", durability: .volatile) { _ in }
            store.transact("l", [.appendSections([Section(id: "s", items: items(count))])]) { _ in }
            store.background = work.background(store, sizeMax: sizeMax)
        }
    }

    @Test func `a long change lets others go first, and is made of what they leave`() async {
        await makeList(10, sizeMax: 20)
        let long = items(30, from: 100)
        await bench.store.run { [log = bench.log] store in
            let carrying = store.transact("l", [.appendItems(long, to: .section("s"))]) {
                log.append("long \($0.summary)")
            }
            log.append("\(carrying)")
            store.transact("l", [.deleteItems(["3"])]) { log.append("short \($0.summary)") }
        }
        #expect(bench.log.lines == ["underway", "short at 2"])
        work.doNext()
        await bench.store.settle()
        // The head has changed.
        #expect(bench.log.lines.count == 2 && work.count == 1)
        work.doNext()
        await bench.store.settle()
        #expect(bench.log.lines == ["underway", "short at 2", "long at 3"])
        #expect(await bench.store.list("l")?.snapshot.numberOfItems == 39)
    }

    @Test func `one that is overtaken again and again has the list to itself in the end`() async {
        await makeList(10, sizeMax: 20)
        let long = items(30, from: 100)
        await bench.store.run { [log = bench.log] store in
            store.transact("l", [.appendItems(long, to: .section("s"))]) { log.append("long \($0.summary)") }
        }
        for number in 0..<4 {
            await bench.store.run { [log = bench.log] store in
                let carrying = store.transact("l", [.deleteItems([.numbered(number)])]) {
                    log.append("\(number) \($0.summary)")
                }
                if carrying == .underway { log.append("\(number) waits") }
            }
            if work.count > 0 { work.doNext() }
            await bench.store.settle()
        }
        #expect(
            bench.log.lines == ["0 at 2", "1 at 3", "2 waits", "long at 4", "2 at 5", "3 at 6"],
            "\(bench.log.lines)")
        #expect(work.piecesBegun == 3)
    }

    @Test
    func `schemas of a long list are checked in the background, again if the list has changed, and alone in the end`()
        async throws
    {
        await makeList(30, sizeMax: 20)
        let schemas = try SchemaSet.reading(#"{"":{"type":"integer","maximum":5}}"#)
        await bench.store.run { [log = bench.log] store in
            let carrying = store.setSchemas(of: "l", schemas) { log.append("schemas \($0.summary)") }
            log.append("\(carrying)")
        }
        for number in 0..<3 {
            await bench.store.run { [log = bench.log] store in
                _ = store.transact("l", [.deleteItems([.numbered(number)])]) { log.append("\(number) \($0.summary)") }
            }
            work.doNext()
            await bench.store.settle()
        }
        #expect(bench.log.lines == ["underway", "0 at 2", "1 at 3", "schemas at 3", "2 at 4"], "\(bench.log.lines)")
        #expect(work.piecesBegun == 3)
        #expect(await bench.store.run { $0.storedLists["l"]?.headSchemas?.set } == schemas)
    }

    @Test func `an item of a long list that does not fit is found in the background`() async throws {
        await makeList(30, sizeMax: 20)
        let schemas = try SchemaSet.reading(#"{"":{"type":"string"}}"#)
        await bench.store.run { [log = bench.log] store in
            store.setSchemas(of: "l", schemas) { log.append($0.misfit == nil ? "set" : "misfit") }
        }
        #expect(bench.log.lines.isEmpty)
        work.doNext()
        await bench.store.settle()
        #expect(bench.log.lines == ["misfit"])
    }

    @Test func `long schemas make the check of a change long`() async throws {
        await makeList(3, sizeMax: 20)
        let title = String(repeating: "x", count: 10_000)
        let schemas = try SchemaSet.reading(#"{"":{"type":"integer","title":"\#(title)"}}"#)
        let carried = await bench.store.run { store in
            store.background = nil
            store.setSchemas(of: "l", schemas) { _ in }
            store.background = work.background(store, sizeMax: 20)
            return (1...2).map { count in
                store.transact("l", [.appendItems(items(count, from: 100 * count), to: .section("s"))]) { _ in }
            }
        }
        // An item counts as ten.
        #expect(carried == [.done, .underway])
    }

    @Test func `an earlier state that takes long to make again is made in the background`() async throws {
        await makeList(10, sizeMax: 20)
        let content = String(repeating: "1", count: 200)
        await bench.store.run { store in
            store.background = nil
            for number in 100..<112 {
                store.transact("l", [.appendItems(items(1, from: number, content), to: .section("s"))]) { _ in }
            }
            store.background = work.background(store, sizeMax: 20)
        }
        let isThere: @Sendable () async -> Bool = { [log = bench.log, store = bench.store] in
            await store.run { $0.unpackHistory(of: "l", for: [3]) { log.append("made") } }
        }
        #expect(await !isThere())
        #expect(work.count == 1)
        work.doNext()
        await bench.store.settle()
        #expect(bench.log.lines == ["made"])
        #expect(await isThere())
        #expect(await bench.store.run { try? $0.state(of: "l", at: 3).revision } == 3)
        // A state that is kept whole.
        #expect(await bench.store.run { $0.unpackHistory(of: "l", for: [12]) {} })
    }

    @Test func `what is wrong with a long change is answered, and the list is as it was`() async {
        await makeList(10, sizeMax: 20)
        let long = items(30, from: 5)
        await bench.store.run { [log = bench.log] store in
            store.transact("l", [.appendItems(long, to: .section("s"))]) { log.append("long \($0.summary)") }
            store.apply("l", .whole([Section(id: "s", items: long)]), ifRevision: 1) {
                log.append("apply \($0.summary)")
            }
            store.transact("l", [.deleteItems(["0"])]) { _ in }
        }
        while work.count > 0 {
            work.doNext()
            await bench.store.settle()
        }
        #expect(bench.log.lines == ["apply revisionMismatch", "long transaction"], "\(bench.log.lines)")
        #expect(await bench.store.list("l")?.revision == 2)
    }

    @Test func `a list that goes meanwhile takes nothing`() async {
        await makeList(10, sizeMax: 20)
        let long = items(30, from: 100)
        await bench.store.run { [log = bench.log] store in
            store.transact("l", [.appendItems(long, to: .section("s"))]) { log.append("long \($0.summary)") }
            store.deleteList("l") { log.append("deleted \($0.summary)") }
        }
        work.doNext()
        await bench.store.settle()
        #expect(bench.log.lines == ["deleted at 1", "long noSuchList"])
    }

    @Test func `a group that finds no room takes a long change back with it, and what follows is made of what is left`()
        async
    {
        await bench.createDurable("d")
        await bench.store.run { [work] store in store.background = work.background(store, sizeMax: 5) }
        let long = [Section(id: "s", items: items(10))]
        bench.transact("d", [.appendSections([Section(id: "first")])])
        await bench.store.settle()
        await bench.store.run { [log = bench.log] store in
            store.apply("d", .whole(long)) { log.append("long \($0.summary)") }
        }
        bench.journal.fail(.noSpace)
        await bench.store.settle()
        while work.count > 0 {
            work.doNext()
            await bench.store.settle()
        }
        bench.journal.succeed()
        await bench.store.settle()
        #expect(bench.log.lines == ["transact d: noSpace", "long at 1"], "\(bench.log.lines)")
    }

    // MARK: At random

    /// The requests of clients and their results, in order. Entries are only appended.
    private final class Chronicle: Sendable {
        struct Answer: Sendable {
            let client: Int
            let number: Int
            let request: RandomRequest
            let result: Result<Outcome, StoreError>
        }

        private let kept = Mutex<[Answer]>([])

        func append(_ answer: Answer) { kept.withLock { $0.append(answer) } }
        var answers: [Answer] { kept.withLock { $0 } }
    }

    struct RandomRequest: Sendable {
        let operations: [ListOperation]
        let isApply: Bool
        let ifRevision: Int?
    }

    @Test func `each change is made of the one before it, and each client's in its order`() async {
        var random = SplitMix64()
        for _ in 0..<40 {
            let seed = random.next()
            if let failure = await run(seed: seed) { return _ = Issue.record("seed \(seed): \(failure)") }
        }
    }

    private func run(seed: UInt64) async -> String? {
        var random = SplitMix64(seed: seed)
        let (bench, work, chronicle) = (Bench(), BackgroundBench(), Chronicle())
        await bench.store.run { store in
            store.createList("l", durability: .volatile) { _ in }
            store.transact("l", [.appendSections([Section(id: "s", items: items(8))])]) { _ in }
            store.background = work.background(store, sizeMax: 20)
        }
        let first = await bench.store.list("l")?.snapshot ?? Snapshot()
        var (asked, nextID) = ([0, 0, 0], 1_000)
        for _ in 0..<60 {
            let client = Int.random(in: 0..<3, using: &random)
            // A client sends no request while an earlier one is open.
            if chronicle.answers.count(where: { $0.client == client }) == asked[client] {
                asked[client] += 1
                let count = Bool.random(using: &random) ? 1 : 25
                let old = ItemID.numbered(Int.random(in: 0..<8, using: &random))
                let isApply = count > 1 && Bool.random(using: &random)
                var operations: [ListOperation] = [.appendItems(items(count, from: nextID), to: .section("s"))]
                if isApply {
                    operations.insert(.appendSections([Section(id: "s")]), at: 0)
                } else if Bool.random(using: &random) {
                    let move = ListOperation.moveItem(.numbered(7), to: .front(of: .section("s")))
                    operations = [.deleteItems([old], .isPassedOver), move] + operations
                }
                nextID += count
                let revision = await bench.store.list("l")?.revision ?? 0
                let request = RandomRequest(
                    operations: operations, isApply: isApply,
                    ifRevision: Int.random(in: 0..<4, using: &random) == 0 ? revision : nil)
                let number = asked[client]
                await bench.store.run { store in
                    let complete: Store.Completion<Outcome> = { result in
                        chronicle.append(.init(client: client, number: number, request: request, result: result))
                    }
                    if request.isApply {
                        store.apply(
                            "l", .operations(request.operations, section: nil), ifRevision: request.ifRevision,
                            completion: complete)
                    } else {
                        store.transact("l", request.operations, ifRevision: request.ifRevision, completion: complete)
                    }
                }
            }
            if work.count > 0, Int.random(in: 0..<3, using: &random) == 0 {
                work.doNext(Int.random(in: 0..<work.count, using: &random))
                await bench.store.settle()
            }
        }
        while work.count > 0 {
            work.doNext()
            await bench.store.settle()
        }
        guard chronicle.answers.count == asked.reduce(0, +) else { return "somebody is not answered" }
        let last = await bench.store.list("l")?.snapshot
        return check(chronicle, first, last)
    }

    /// Replays all answered requests in order.
    private func check(_ chronicle: Chronicle, _ first: Snapshot, _ last: Snapshot?) -> String? {
        var (state, revision, numbers) = (first, 1, [0, 0, 0])
        for answer in chronicle.answers {
            guard answer.number == numbers[answer.client] + 1 else { return "a client's order is another" }
            numbers[answer.client] = answer.number
            let wanted = answer.request
            let target = Target.operations(wanted.operations, section: nil)
            let expected =
                wanted.isApply
                ? try? target.snapshot(from: state, limits: SnapshotLimits()) : try? state.applying(wanted.operations)
            switch answer.result {
            case .success(let outcome):
                if wanted.ifRevision ?? revision != revision { return "ifRevision is passed over" }
                guard outcome.old == state, let expected, outcome.new == expected else {
                    return "it is made of another state"
                }
                if outcome.isChanged { revision += 1 }
                guard outcome.revision == revision else { return "a revision is \(outcome.revision), not \(revision)" }
                state = outcome.new
            case .failure(.revisionMismatch(_, let wantedRevision, let current)):
                guard wantedRevision != revision, current == revision else {
                    return "a revision is refused that is there"
                }
            case .failure(let error):
                if expected != nil { return "it is refused: \(error.summary)" }
            }
        }
        return state == last ? nil : "the list is another in the end"
    }
}
