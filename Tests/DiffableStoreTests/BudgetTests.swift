import Diffable
import Testing

@testable import DiffableStore

/// The total size of histories and request keys is bounded, and the least useful entries are dropped first.
struct BudgetTests {
    let directory = ScratchDirectory()

    /// A history as steps with a size in bytes, oldest first.
    private final class Past {
        var steps: [Int] = []
        /// The newest step ever added.
        var newest = 0
        var length: Int { steps.reduce(0, +) }
    }

    /// Applies a budget in the naive way.
    private func keep(_ pasts: [Past], within max: Int) {
        let newestOfAll = max > 0 ? pasts.last?.steps.last ?? 0 : 0
        func length() -> Int { pasts.reduce(0) { $0 + $1.length } - newestOfAll }
        for past in pasts {
            while length() > max, past.steps.count > 1 { past.steps.removeFirst() }
        }
        while length() > max {
            let others = max > 0 ? pasts.dropLast() : pasts[...]
            guard let largest = others.map(\.length).max(), largest > 0 else { return }
            others.first { $0.length == largest }?.steps.removeFirst()
        }
    }

    @Test
    func
        `the past of the list that nobody has changed for longest goes first, and newest changes last, the largest first`()
    {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("seed \(seed)")
        var generator = RandomChanges(seed: seed).generator
        for _ in 0..<100 {
            var budget = HistoryBudget<Past>()
            // Ordered by their last changes.
            var expected: [(list: Past, model: Past)] = []
            let max = Int.random(in: 0...300, using: &generator)
            for _ in 0..<200 {
                let step = Int.random(in: 1...(Bool.random(using: &generator) ? 20 : 200), using: &generator)
                let changed =
                    expected.count < 8 && Int.random(in: 0..<4, using: &generator) == 0
                    ? (list: Past(), model: Past())
                    : expected.isEmpty
                        ? (list: Past(), model: Past())
                        : expected.remove(at: Int.random(in: 0..<expected.count, using: &generator))
                expected.append(changed)
                changed.list.steps.append(step)
                changed.model.steps.append(step)
                changed.list.newest = step
                budget.noteChange(of: changed.list, cost: changed.list.length, newest: step)
                if Int.random(in: 0..<20, using: &generator) == 0 {
                    let gone = expected.removeFirst()
                    budget.remove(gone.list)
                    if expected.isEmpty { continue }
                }
                budget.keep(within: max) { past, excess, cut in
                    let rest = past.length - excess
                    while past.length > rest, past.steps.count > (cut == .newest ? 0 : 1) { past.steps.removeFirst() }
                    return past.length
                }
                keep(expected.map(\.model), within: max)
                #expect(expected.map(\.list.steps) == expected.map(\.model.steps), "seed \(seed), at most \(max)")
                for (list, _) in expected where max > 0 && list.newest * expected.count <= max {
                    #expect(list.steps.last == list.newest, "seed \(seed): small changes stay, whatever others are")
                }
                #expect(budget.cost == expected.reduce(0) { $0 + $1.list.length }, "seed \(seed)")
            }
        }
    }

    private func names(_ count: Int) -> [ListName] { (0..<count).map { ListName(stringLiteral: "list \($0)") } }

    private func costs(_ store: Store) async -> [ListName: Int] {
        await store.run { store in store.storedLists.mapValues { $0.history.cost } }
    }

    @Test func `the pasts of all lists are bounded in memory and on disk, also after a start`() async throws {
        let limits = StoreLimits(history: HistoryLimits(lengthInAllMax: 20_000))
        var store = try await directory.open(limits: limits)
        let names = names(12)
        for name in names {
            _ = try await store.creating(name, .durable).get()
            _ = try await store.transacting(name, [.appendSections([Section(id: "s")])]).get()
            for index in 0..<10 {
                _ = try await store.transacting(name, [.appendItems([Item(id: .numbered(index))])]).get()
            }
        }
        for _ in 0..<2 {
            await store.settle()
            let before = await costs(store)
            let newestOfAll = await store.run { $0.storedLists[names[11]]?.history.newestCost ?? 0 }
            #expect(before.values.reduce(0, +) <= 20_000 + newestOfAll)
            #expect(await store.sqlite.pastCost <= 20_000 + newestOfAll)
            #expect(await store.sqlite.rowsOfEachMin >= 1, "every list's newest change is kept")
            #expect(before[names[11]] ?? 0 > before[names[0]] ?? 0)
            for name in names { #expect(before[name] ?? 0 > 0) }
            await store.shutDown()
            store = try await directory.open(limits: limits)
            #expect(await store.run { $0.historyBudget.cost } <= 20_000 + newestOfAll)
        }
        for name in names {
            #expect(try await store.undoing(name).get().new.numberOfItems == 9, "\(name)")
        }
        await store.shutDown()
    }

    @Test func `a start with a smaller budget leaves what the budget leaves, in whatever order the lists were made`()
        async throws
    {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("seed \(seed)")
        var generator = RandomChanges(seed: seed).generator
        let time = TestClock()
        let store = try await directory.open(
            limits: StoreLimits(history: HistoryLimits(lengthInAllMax: 1 << 30)), clock: time.clock)
        let names = names(8)
        for name in names { _ = try await store.creating(name, .durable).get() }
        // Its history counts with the deleted lists.
        _ = try await store.creating("deleted", .durable).get()
        for index in 0..<20 {
            _ = try await store.applying("deleted", .section("s", [Item(id: .numbered(index))])).get()
        }
        _ = try await store.deleting("deleted").get()
        // Ordered by their last changes.
        var order = names
        for _ in 0..<150 {
            time.pass(seconds: 1)
            let name = order.remove(at: .random(in: 0..<order.count, using: &generator))
            order.append(name)
            let text = String(repeating: "x", count: .random(in: 0...2_000, using: &generator))
            let item = Item(id: "i", content: Content(Array("\"\(time.clock.now.running.milliseconds)\(text)\"".utf8)))
            _ = try await store.applying(name, .section("s", [item])).get()
        }
        await store.settle()
        let all = await pastCosts(store)
        await store.shutDown()
        for (lengthInAllMax, ageMax) in [
            (0, 1_000), (2_000, 1_000), (20_000, 1_000), (100_000, 1_000), (1 << 30, 1_000), (30_000, 40),
            (1 << 30, 40),
        ] {
            let limits = HistoryLimits(lengthInAllMax: lengthInAllMax, ageMax: ageMax)
            let copy = try directory.copied()
            let again = try await copy.open(limits: StoreLimits(history: limits), clock: time.clock)
            let now = await again.run { $0.clock.running }
            let pasts = order.map { name in
                let past = Past()
                past.steps = (all[name] ?? []).filter { !limits.isExpired($0.time, now: now) }.map(\.cost)
                return past
            }
            keep(pasts, within: lengthInAllMax)
            let left = await pastCosts(again)
            #expect(
                order.map { left[$0]?.map(\.cost) } == pasts.map(\.steps),
                "seed \(seed), at most \(lengthInAllMax), no older than \(ageMax)")
            // A list that is too old is deleted with the first group.
            await again.settleOnDisk()
            let deleted = await again.run { $0.deletions.values.compactMap(\.committed?.history.count) }
            #expect(deleted == (ageMax == 40 ? [] : [20]))
            await again.shutDown()
        }
    }

    /// Returns the bytes of each transaction in each history, oldest first.
    private func pastCosts(_ store: Store) async -> [ListName: [(cost: Int, time: RunningTime)]] {
        await store.run { store in
            store.storedLists.mapValues { held in
                held.history.newestRevisions(.max).reversed().map {
                    ($0.length + Revision.overheadLength, $0.moment.running)
                }
            }
        }
    }

    @Test(arguments: [Durability.durable, .volatile])
    func `a large change of one list takes no small change of another away`(durability: Durability) async throws {
        let limits = StoreLimits(history: HistoryLimits(lengthInAllMax: 60_000))
        var store = try await directory.open(limits: limits)
        _ = try await store.creating("todo", durability).get()
        for index in 0..<3 {
            _ = try await store.applying("todo", .section("s", (0...index).map { Item(id: .numbered($0)) })).get()
        }
        for name: ListName in ["large", "larger"] {
            _ = try await store.creating(name, durability).get()
            for round in 0..<4 {
                let items = (0..<2_000).map { Item(id: .numbered($0), content: Content(Array("\(round)".utf8))) }
                _ = try await store.applying(name, .section("s", items)).get()
            }
        }
        _ = try await store.applying("other", .section("s", [Item(id: "a")])).failure
        await store.settle()
        if durability == .durable {
            await store.shutDown()
            store = try await directory.open(limits: limits)
        }
        #expect(try await store.undoing("larger").get().revision == 5, "the newest change of all")
        #expect(try await store.undoing("todo").get().new.numberOfItems == 2)
        await store.shutDown()
    }

    @Test(arguments: [Durability.durable, .volatile])
    func `the newest change can be undone, however large`(durability: Durability) async throws {
        let limits = StoreLimits(history: HistoryLimits(lengthMax: 10_000, lengthInAllMax: 10_000))
        var store = try await directory.open(limits: limits)
        _ = try await store.creating("tasks", durability).get()
        let items = (0..<5_000).map { Item(id: .numbered($0)) }
        _ = try await store.applying("tasks", .whole([Section(id: "s", items: items)])).get()
        _ = try await store.applying("tasks", .whole([])).get()
        if durability == .durable {
            await store.shutDown()
            store = try await directory.open(limits: limits)
        }
        #expect(try await store.undoing("tasks").get().new.numberOfItems == 5_000)
        #expect(try await store.undoing("tasks", .forward(1)).get().new.numberOfItems == 0)
        weak let large = await store.run { $0.list("tasks", at: 3) }
        #expect(large?.snapshot.numberOfItems == 5_000)
        _ = try await store.transacting("tasks", [.appendSections([Section(id: "t")])]).get()
        await store.settle()
        #expect(await store.run { $0.list("tasks", at: 3) } == nil, "and no more when there is a newer one")
        await store.shutDown()
    }

    @Test
    func
        `the keys of all lists are bounded in memory and on disk, also after a start, and whose list has few keeps them`()
        async throws
    {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("seed \(seed)")
        var generator = RandomChanges(seed: seed).generator
        let limits = StoreLimits(requests: RequestLimits(keysMax: 30, keysInAllMax: 50))
        let time = TestClock()
        var store = try await directory.open(limits: limits, clock: time.clock)
        let names = names(4)
        for name in names { _ = try await store.creating(name, .durable).get() }
        var used: [ListName: [RequestKey]] = [:]
        for number in 0..<700 {
            if number % 140 == 139 {
                await store.shutDown()
                store = try await directory.open(limits: limits, clock: time.clock)
            }
            time.pass(seconds: 0.01)
            // The first list has four requests in all, and the last one most of them.
            let name = number % 200 == 0 ? names[0] : names[min(Int.random(in: 1..<6, using: &generator), 3)]
            let key = RequestKey(stringLiteral: "\(number)")
            _ = try await store.transacting(name, [], key: key).get()
            used[name, default: []].append(key)
            #expect(await store.run { $0.keyCount } <= 50)
        }
        for _ in 0..<2 {
            let kept = await store.run { store in
                store.storedLists.compactMapValues { held in
                    held.committed.flatMap { store.requestWindows[$0.number]?.all.map(\.key) }
                }
            }
            #expect(kept[names[0]] == used[names[0]], "seed \(seed)")
            for name in names.dropFirst() {
                let keys = kept[name] ?? []
                #expect(keys.count >= 10 && used[name]?.suffix(keys.count).elementsEqual(keys) == true, "seed \(seed)")
            }
            let count = kept.values.reduce(0) { $0 + $1.count }
            #expect((40...50).contains(count))
            #expect(await store.run { $0.keyCount } == count)
            await store.sqlite.finishMaintenance()
            // The limit plus the rows whose deletion may be delayed.
            #expect(try await store.sqlite.query("SELECT count(*) FROM request") <= 50 + 2 * 256)
            await store.shutDown()
            store = try await directory.open(limits: limits, clock: time.clock)
        }
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT count(*) FROM request") <= 50)
        await store.shutDown()
    }

    @Test func `keys are shared out as long as those who have few leave some`() {
        var generator = RandomChanges(seed: 1).generator
        for _ in 0..<2_000 {
            let counts = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                Int.random(in: 0...9, using: &generator)
            }
            let max = Int.random(in: 0...40, using: &generator)
            let level = KeyBudget.keysPerList(of: counts, within: max)
            func kept(_ level: Int) -> Int { counts.reduce(0) { $0 + min($1, level) } }
            // The largest level that fits, or one.
            #expect(kept(level) <= max || level == 1)
            #expect(level == .max || kept(level + 1) > max)
        }
    }

    /// A deleted list that can be restored keeps its share, like an existing list.
    @Test(arguments: [0, 1 << 20])
    func `the keys of a list that is deleted for good make room for others`(deletedLengthMax: Int) async throws {
        let limits = StoreLimits(
            history: HistoryLimits(deletedLengthMax: deletedLengthMax),
            requests: RequestLimits(keysMax: 100, keysInAllMax: 3))
        let store = try await directory.open(limits: limits)
        for name in names(2) { _ = try await store.creating(name, .durable).get() }
        for list: ListName in ["list 0", "list 1"] {
            for number in 0..<3 {
                _ = try await store.transacting(list, [], key: RequestKey(stringLiteral: "\(number)")).get()
            }
            // An empty list that was never changed is kept as well.
            if list == "list 0" { _ = try await store.deleting(list).get() }
        }
        let counts = await store.run { store in store.requestWindows.values.map(\.count).sorted() }
        if deletedLengthMax == 0 {
            #expect(counts == [3])
        } else {
            #expect(counts.count == 2 && counts[0] > 0 && counts.reduce(0, +) <= 3, "\(counts)")
        }
        await store.shutDown()
    }

    @Test func `of many lists each is checkpointed sooner`() async throws {
        let limits = StoreLimits(journalLengthInAllMax: 100_000, history: .none)
        let store = try await directory.open(limits: limits)
        let long = Content(Array("\"\(String(repeating: "x", count: 1_000))\"".utf8))
        for name in names(4) {
            _ = try await store.creating(name, .durable).get()
            _ = try await store.transacting(name, [.appendSections([Section(id: "s", items: [Item(id: "a")])])]).get()
        }
        for index in 0..<40 {
            let content = index % 2 == 0 ? long : nil
            _ = try await store.transacting(
                "list 0", [.reconfigureItems([ItemReconfiguration(id: "a", content: content)])]
            ).get()
        }
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT max(generation) FROM list") == 0)
        for index in 0..<40 {
            let content = index % 2 == 0 ? long : nil
            _ = try await store.transacting(
                "list 0", [.reconfigureItems([ItemReconfiguration(id: "a", content: content)])]
            ).get()
        }
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT max(generation) FROM list") >= 1)
        await store.shutDown()
    }
}

extension SQLiteJournal {
    fileprivate var pastCost: Int { historyBudget.cost }
    fileprivate var rowsOfEachMin: Int { lists.values.map(\.rowsKept).min() ?? 0 }
}
