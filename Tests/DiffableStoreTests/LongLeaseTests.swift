import Diffable
import TestSupport
import Testing

@testable import DiffableStore

/// Leases with many items end in the background, while other lists change.
@Suite struct `A long lease` {
    private let bench = Bench()
    private let work = BackgroundBench()
    private static let count = Store.leaseRoomMax + 1

    private func items(_ count: Int = Self.count, from first: Int = 0, children: [Item] = []) -> [Item] {
        (first..<first + count).map { Item(id: .numbered($0), children: children) }
    }

    /// Makes two volatile lists with a section and an item. The first has leased items too.
    private func prepare(_ leased: [Item]) async -> Lease {
        let work = work
        return await bench.store.run { store in
            for name: ListName in ["bar", "other"] {
                store.createList(name, durability: .volatile) { _ in }
                store.transact(name, [.appendSections([Section(id: "s", items: [Item(id: "own")])])]) { _ in }
            }
            let lease = store.makeLease()
            store.transact("bar", [.appendItems(leased, to: .section("s"))], lease: lease) { _ in }
            store.background = work.background(store, sizeMax: 100)
            return lease
        }
    }

    private func list(_ name: ListName = "bar") async -> [ItemID]? {
        await bench.store.list(name)?.snapshot.itemIdentifiers
    }

    /// Whether no lease has left anything.
    private var isRid: Bool {
        get async { await bench.store.run { $0.leases.isEmpty && $0.leasedLists.isEmpty && $0.overdueLeases.isEmpty } }
    }

    private func end(_ lease: Lease) async { await bench.store.run { $0.end(lease, origin: Origin(name: "end")) } }

    private func finish() async {
        await bench.store.settle()
        while work.count > 0 {
            work.doNext()
            await bench.store.settle()
        }
    }

    @Test func `ends in one change, which other changes of the list wait for`() async {
        let lease = await prepare(items())
        await end(lease)
        let again = await bench.store.run { [log = bench.log] store in
            let again = store.makeLease()
            let carrying = store.transact("bar", [.appendItems([Item(id: "7")], to: .section("s"))], lease: again) {
                log.append("bar \($0.summary)")
            }
            log.append("\(carrying)")
            store.transact("other", [.deleteItems(["own"])]) { log.append("other \($0.summary)") }
            return again
        }
        #expect(bench.log.lines == ["underway", "other at 2"])
        #expect(await list()?.count == Self.count + 1)
        await finish()
        #expect(bench.log.lines == ["underway", "other at 2", "bar at 4"])
        #expect(await list() == ["own", "7"])
        #expect(await bench.store.run { $0.history(of: "bar")?.map(\.origin?.name) }?.prefix(2) == [nil, "end"])
        await end(again)
        #expect(await list() == ["own"])
        #expect(await isRid)
    }

    @Test func `is long if many short ones end at once, or if others put much below its items`() async {
        let first = await prepare(items(10))
        await bench.store.run { store in
            store.background = nil
            let leases = [first] + (1..<100).map { _ in store.makeLease() }
            for (number, lease) in leases.enumerated().dropFirst() {
                let some = items(10, from: 10 * number)
                store.transact("bar", [.appendItems(some, to: .section("s"))], lease: lease) { _ in }
            }
            store.background = work.background(store, sizeMax: 100)
            for lease in leases { store.end(lease, origin: Origin()) }
        }
        #expect(await list()?.count ?? 0 > 400)
        #expect(work.count == 1)
        await finish()
        #expect(await list() == ["own"])
        #expect(await isRid)
        let parent = await bench.store.run { store in
            store.background = nil
            let parent = store.makeLease()
            store.transact("bar", [.appendItems([Item(id: "p")], to: .section("s"))], lease: parent) { _ in }
            store.transact("bar", [.appendItems(items(), to: .parent("p"))]) { _ in }
            store.background = work.background(store, sizeMax: 100)
            return parent
        }
        await end(parent)
        #expect(work.count == 1)
        await finish()
        #expect(await list() == ["own"])
        #expect(await isRid)
    }

    @Test func `ends in each of several lists by itself`() async {
        let lease = await prepare(items())
        await bench.store.run { store in
            store.transact("other", [.appendItems(items(20), to: .section("s"))], lease: lease) { _ in }
            store.createList("mine", durability: .volatile, lease: lease) { _ in }
        }
        await end(lease)
        #expect(await list("mine") == nil)
        #expect(await list("other") == ["own"])
        await finish()
        #expect(await list() == ["own"])
        #expect(await isRid)
    }

    @Test(arguments: [DeletedListKeeping.ifPossible, .never])
    func `ends in a list that was deleted meanwhile, when it comes back`(keeping: DeletedListKeeping) async {
        let lease = await prepare(items())
        await end(lease)
        await bench.store.run { $0.deleteList("bar", keeping: keeping) { _ in } }
        await finish()
        #expect(await list() == nil)
        guard keeping == .ifPossible else { return #expect(await isRid) }
        await bench.store.run { [log = bench.log] store in
            store.undeleteList("bar", as: "back") { log.append("back \($0.summary)") }
        }
        #expect(await list("back") == nil, "nobody sees it with what was leased")
        await finish()
        #expect(bench.log.lines == ["back at 3"])
        #expect(await list("back") == ["own"])
        #expect(await isRid)
    }

    @Test func `ends in a list that was renamed meanwhile`() async {
        let lease = await prepare(items())
        await end(lease)
        await bench.store.run { $0.renameList("bar", to: "rod") { _ in } }
        await finish()
        #expect(await list("rod") == ["own"])
        #expect(await isRid)
    }

    @Test func `is found anew if other leases of the list have changed`() async {
        let lease = await prepare(items())
        let section = await bench.store.run { store in
            store.background = nil
            let section = store.makeLease()
            store.transact("bar", [.appendSections([Section(id: "t", items: [Item(id: "x")])])], lease: section) { _ in
            }
            store.transact("bar", [.appendItems([Item(id: "guest")], to: .section("t"))]) { _ in }
            store.transact("bar", [.deleteItems(["x"])]) { _ in }
            store.background = work.background(store, sizeMax: 100)
            return section
        }
        // This lease waits for the first, and changes only leases, because the section is not empty.
        await end(lease)
        await end(section)
        await finish()
        #expect(await list() == ["own", "guest"])
        #expect(await isRid)
    }

    @Test func `ends what a long change of another client has left of it`() async {
        let lease = await prepare(items())
        await bench.store.run { [log = bench.log] store in
            store.transact("bar", [.deleteAllItems]) { log.append("deleted \($0.summary)") }
        }
        #expect(work.count == 1)
        await finish()
        #expect(bench.log.lines == ["deleted at 3"])
        #expect(await bench.store.run { $0.leases.isEmpty })
        await bench.store.run { store in
            _ = store.transact("bar", [.appendSections([Section(id: "s", items: items())])]) { _ in }
        }
        await finish()
        await end(lease)
        await finish()
        #expect(await list()?.count == Self.count, "they are somebody else's")
        #expect(await isRid)
    }

    @Test func `waits for a long change that has the list to itself`() async {
        let lease = await prepare(items())
        await bench.store.run { store in
            store.transact("bar", [.appendItems(items(200, from: 5_000), to: .section("s"))]) { _ in }
        }
        for id: ItemID in ["0", "1"] {
            await bench.store.run { store in _ = store.transact("bar", [.deleteItems([id])]) { _ in } }
            work.doNext()
            await bench.store.settle()
        }
        #expect(await bench.store.run { $0.storedLists["bar"]?.isReserved } == true)
        await end(lease)
        await bench.store.run { store in
            _ = store.transact("bar", [.appendItems([Item(id: "3")], to: .section("s"))]) { _ in }
        }
        await finish()
        #expect(await list() == ["own"] + (5_000..<5_200).map { .numbered($0) } + ["3"])
        #expect(await isRid)
    }

    // MARK: The disk

    @Test func `that met a full disk is ended when there is room`() async {
        await bench.createDurable("d")
        let (work, section) = (work, [Section(id: "s")])
        let lease = await bench.store.run { $0.makeLease() }
        bench.transact("d", [.appendSections(section)])
        bench.transact("d", [.appendItems(items(), to: .section("s"))], lease: lease)
        await bench.settleJournal()
        await bench.store.run { store in store.background = work.background(store, sizeMax: 100) }
        await end(lease)
        await finish()
        bench.journal.fail(.noSpace)
        await finish()
        #expect(await list("d")?.count == Self.count)
        bench.transact("d", bench.section("later"))
        await bench.settleJournal()
        #expect(work.count == 1)
        await finish()
        await bench.settleJournal()
        #expect(await list("d") == [])
        #expect(await isRid)
    }

    @Test func `of a daemon that stops meanwhile is ended by the next start`() async throws {
        let directory = ScratchDirectory()
        var store = try await directory.open()
        let lease = await store.run { $0.makeLease() }
        _ = try await store.creating("bar", .durable).get()
        _ = try await store.transacting("bar", [.appendSections([Section(id: "s", items: [Item(id: "own")])])]).get()
        _ = try await store.transacting("bar", [.appendItems(items(), to: .section("s"))], lease: lease).get()
        let (work, stopping) = (work, store)
        await store.run { store in
            store.background = work.background(stopping, sizeMax: 100)
            store.end(lease, origin: Origin())
        }
        #expect(work.count == 1)
        let crashed = try await store.sqlite.crash(in: directory).left
        async let stop: Void = store.shutDown()
        work.doNext()
        await stop
        for place in [directory, crashed] {
            store = try await place.open()
            #expect(await store.list("bar")?.snapshot.itemIdentifiers == ["own"])
            #expect(try await store.sqlite.query("SELECT count(*) FROM lease") == 0)
            await store.shutDown()
        }
    }

    // MARK: At random

    @Test func `changes and ends have the order in which they were asked for`() async {
        var random = SplitMix64()
        for _ in 0..<30 {
            let seed = random.next()
            if let failure = await run(seed: seed) { return _ = Issue.record("seed \(seed): \(failure)") }
        }
    }

    private func run(seed: UInt64) async -> String? {
        var random = SplitMix64(seed: seed)
        let (bench, work) = (Bench(), BackgroundBench())
        var leases = await bench.store.run { store in
            store.createList("l", durability: .volatile) { _ in }
            store.transact("l", [.appendSections([Section(id: "s")])]) { _ in }
            // The end of each lease is long, and no change is.
            store.background = work.background(store, sizeMax: 1_000)
            return (0..<3).map { _ in store.makeLease() }
        }
        var expected: [ItemID: Lease?] = [:]
        // A connection ends when its requests are answered.
        var asked: [String: Int] = [:]
        for _ in 0..<80 {
            let index = Int.random(in: 0..<leases.count, using: &random)
            let lease = Bool.random(using: &random) ? leases[index] : nil
            let id = ItemID.numbered(Int.random(in: 0..<12, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0...2:
                if expected[id] == nil { expected.updateValue(lease, forKey: id) }
                let name = "\(lease?.number ?? 0)"
                asked[name, default: 0] += 1
                await bench.store.run { [log = bench.log] store in
                    // Creating it fails if it exists.
                    store.leaseRoom = 0
                    store.transact("l", [.appendItems([Item(id: id)], to: .section("s"))], lease: lease) { _ in
                        log.append(name)
                    }
                }
            case 3:
                expected[id] = nil
                await bench.store.run { store in
                    store.transact("l", [.deleteItems([id], .isPassedOver)]) { _ in }
                }
            case 4:
                let ended = leases[index]
                let answered = bench.log.lines.count { $0 == "\(ended.number)" }
                guard answered == asked["\(ended.number)"] ?? 0 else { continue }
                expected = expected.filter { $0.value != ended }
                await bench.store.run { store in
                    store.leaseRoom = 0
                    store.end(ended, origin: Origin())
                }
                leases[index] = await bench.store.run { $0.makeLease() }
            default:
                if work.count > 0 { work.doNext() }
                await bench.store.settle()
            }
        }
        await bench.store.settle()
        while work.count > 0 {
            work.doNext()
            await bench.store.settle()
        }
        let found = await bench.store.list("l")?.snapshot.itemIdentifiers.sorted()
        if found != expected.keys.sorted() { return "\(found ?? []), not \(expected.keys.sorted())" }
        let kept = await bench.store.run { store in store.list("l").flatMap { store.leases[$0.number] } }
        for (id, lease) in expected where kept?.lease(of: id) != lease { return "the lease of \(id)" }
        return kept?.count ?? 0 == expected.values.count { $0 != nil } ? nil : "more leases"
    }
}
