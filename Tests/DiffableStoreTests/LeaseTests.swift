import Diffable
import Testing

@testable import DiffableStore

/// The items that are deleted when their client disconnects.
@Suite struct `A lease` {
    private let bench = Bench()
    private let origin = Origin(name: "lease ended: bar", processID: 7)

    private func prepare(_ durability: Durability = .volatile) async throws -> (Lease, Lease) {
        let store = bench.store
        if durability == .durable {
            await bench.createDurable("bar")
        } else {
            _ = try await store.creating("bar", .volatile).get()
        }
        bench.transact("bar", bench.section("mine"))
        await bench.settleJournal()
        bench.log.clear()
        return (await store.run { $0.makeLease() }, await store.run { $0.makeLease() })
    }

    private func insert(_ items: [Item], under parent: ItemID? = nil, _ lease: Lease? = nil) async throws {
        let container: Container = parent.map { .parent($0) } ?? .section("mine")
        _ = try await bench.store.transacting("bar", [.appendItems(items, to: container)], lease: lease).get()
    }

    private var items: [String]? {
        get async { await bench.store.list("bar")?.snapshot.itemIdentifiers.map(\.description) }
    }

    private func end(_ lease: Lease) async { await bench.store.run { $0.end(lease, origin: origin) } }

    @Test func `takes what was inserted under it, in one transaction, and nothing else`() async throws {
        let (a, b) = try await prepare()
        try await insert([Item(id: "0")])
        try await insert([Item(id: "1", children: [Item(id: "2")]), Item(id: "3")], a)
        try await insert([Item(id: "4")], b)
        try await insert([Item(id: "5")])
        await end(a)
        #expect(await items == ["0", "4", "5"])
        #expect(await bench.store.list("bar")?.revision == 6)
        let newest = try #require(await bench.store.run { $0.history(of: "bar")?.first })
        #expect(newest.origin == origin)
        await end(b)
        await end(b)
        #expect(await items == ["0", "5"])
        #expect(await bench.store.run { $0.leases.isEmpty && $0.leasedLists.isEmpty })
    }

    @Test func `keeps what others moved and changed, and loses what they deleted`() async throws {
        let (a, _) = try await prepare()
        try await insert([Item(id: "1"), Item(id: "2"), Item(id: "3"), Item(id: "4")], a)
        let store = bench.store
        _ = try await store.transacting("bar", bench.section("other")).get()
        _ = try await store.transacting("bar", [.moveItem("1", to: .end(of: .section("other")))]).get()
        _ = try await store.transacting(
            "bar", [.reconfigureItems([ItemReconfiguration(id: "2", content: .some(Content(Array("1".utf8))))])]
        ).get()
        _ = try await store.transacting("bar", [.deleteItems(["3"])]).get()
        try await insert([Item(id: "3")])
        // An item that is deleted and inserted in one transaction was moved.
        _ = try await store.transacting(
            "bar", [.deleteItems(["4"]), .appendItems([Item(id: "4")], to: .section("other"))]
        ).get()
        await end(a)
        #expect(await items == ["3"])
        #expect(await store.list("bar")?.snapshot.sectionIdentifiers == ["mine", "other"])
    }

    @Test func `takes descendants along, whosever they are, and not those that were moved away`() async throws {
        let (a, b) = try await prepare()
        try await insert([Item(id: "1", children: [Item(id: "2"), Item(id: "3")])], a)
        try await insert([Item(id: "4")], under: "1", b)
        try await insert([Item(id: "5")], under: "1")
        let store = bench.store
        _ = try await store.transacting("bar", [.moveItem("3", to: .end(of: .section("mine")))]).get()
        _ = try await store.transacting("bar", [.moveItem("5", to: .end(of: .section("mine")))]).get()
        // Another client deletes the parent: descendants that were moved out stay, and stay leased.
        _ = try await store.transacting("bar", [.deleteItems(["1"])]).get()
        #expect(await items == ["3", "5"])
        try await insert([Item(id: "2"), Item(id: "4")])
        await end(a)
        #expect(await items == ["5", "2", "4"])
        await end(b)
        #expect(await items == ["5", "2", "4"])
    }

    @Test func `of a section ends it when it is empty then`() async throws {
        let (a, _) = try await prepare()
        let store = bench.store
        let sections = ["x", "y", "z"].map {
            Section(id: SectionID(stringLiteral: $0), items: [Item(id: .init(stringLiteral: $0))])
        }
        _ = try await store.transacting("bar", [.appendSections(sections)], lease: a).get()
        _ = try await store.transacting("bar", [.appendItems([Item(id: "guest")], to: .section("y"))]).get()
        _ = try await store.transacting("bar", [.moveItem("x", to: .end(of: .section("mine")))]).get()
        _ = try await store.transacting("bar", [.deleteSections(["z"])]).get()
        _ = try await store.transacting("bar", bench.section("z")).get()
        await end(a)
        #expect(await store.list("bar")?.snapshot.sectionIdentifiers == ["mine", "y", "z"])
        #expect(await items == ["guest"])
    }

    @Test func `of an apply is of what it inserted`() async throws {
        let (a, _) = try await prepare()
        try await insert([Item(id: "0")])
        let target = Target.section("mine", [Item(id: "1"), Item(id: "0")])
        _ = try await bench.store.applying("bar", target, lease: a).get()
        await end(a)
        #expect(await items == ["0"])
    }

    @Test func `of a list deletes it, and of one that was there nothing`() async throws {
        let (a, b) = try await prepare()
        let store = bench.store
        _ = try await store.creating("temporary", .volatile, lease: a).get()
        _ = try await store.creating("temporary", .volatile, existing: .isKept, lease: b).get()
        await end(b)
        #expect(await store.list("temporary") != nil)
        await end(a)
        #expect(await store.list("temporary") == nil)
        #expect(await store.list("bar") != nil)
        // Another list with that name is not the leased one.
        let c = await store.run { $0.makeLease() }
        _ = try await store.creating("temporary", .volatile, lease: c).get()
        _ = try await store.deleting("temporary").get()
        _ = try await store.creating("temporary", .volatile).get()
        await end(c)
        #expect(await store.list("temporary") != nil)
    }

    // MARK: The disk

    @Test func `that met a full disk is ended when there is room`() async throws {
        let (a, _) = try await prepare(.durable)
        bench.transact("bar", [.appendItems([Item(id: "1")])], lease: a)
        await bench.settleJournal()
        await end(a)
        await bench.store.settle()
        bench.journal.fail(.noSpace)
        await bench.store.settle()
        #expect(await items == ["1"])
        bench.transact("bar", [.appendItems([Item(id: "2")])])
        await bench.settleJournal()
        #expect(await items == ["2"])
        #expect(await bench.store.run { $0.leases.isEmpty && $0.overdueLeases.isEmpty })
    }

    @Test func `begins and ends only with what reaches the disk`() async throws {
        let (a, _) = try await prepare(.durable)
        bench.transact("bar", [.appendItems([Item(id: "1")])], lease: a)
        await bench.settleJournal()
        bench.transact("bar", [.deleteItems(["1"])])
        bench.transact("bar", [.appendItems([Item(id: "2")])], lease: a)
        await bench.store.settle()
        bench.journal.fail(.noSpace)
        await bench.store.settle()
        bench.transact("bar", [.appendItems([Item(id: "2")])])
        await bench.settleJournal()
        await end(a)
        await bench.settleJournal()
        #expect(await items == ["2"])
    }

    @Test func `ends also when the list was about to be deleted, and was not`() async throws {
        let (a, _) = try await prepare(.durable)
        bench.transact("bar", [.appendItems([Item(id: "1")])], lease: a)
        await bench.settleJournal()
        bench.delete("bar")
        await end(a)
        await bench.store.settle()
        bench.journal.fail(.noSpace)
        await bench.store.settle()
        #expect(await items == ["1"])
        bench.transact("bar", bench.section("later"))
        await bench.settleJournal()
        #expect(await items == [])
    }

    @Test func `is ended by a start, before anybody is served`() async throws {
        let directory = ScratchDirectory()
        var store = try await directory.open()
        let lease = await store.run { $0.makeLease() }
        _ = try await store.creating("bar", .durable).get()
        _ = try await store.creating("mine", .durable, lease: lease).get()
        let sections = [Section(id: "s", items: [Item(id: "0")])]
        _ = try await store.transacting("bar", [.appendSections(sections)]).get()
        _ = try await store.transacting("bar", [.appendItems([Item(id: "1"), Item(id: "2")])], lease: lease).get()
        _ = try await store.transacting("bar", [.appendSections([Section(id: "t")])], lease: lease).get()
        _ = try await store.transacting("bar", [.deleteItems(["2"])]).get()
        _ = try await store.transacting("bar", [.appendItems([Item(id: "2")], to: .section("s"))]).get()
        let crashed = try await store.sqlite.crash(in: directory).left
        await store.shutDown()
        for place in [directory, crashed] {
            store = try await place.open()
            #expect(await store.list("bar")?.snapshot.itemIdentifiers == ["0", "2"])
            #expect(await store.list("bar")?.snapshot.sectionIdentifiers == ["s"])
            #expect(await store.list("bar")?.revision == 6)
            #expect(await store.list("mine") == nil)
            #expect(await store.run { $0.history(of: "bar")?.first?.origin?.name } == "lease ended: restart")
            #expect(try await store.sqlite.query("SELECT count(*) FROM lease") == 0)
            let next = await store.run { $0.makeLease() }
            _ = try await store.transacting("bar", [.appendItems([Item(id: "3")])], lease: next).get()
            #expect(try await store.sqlite.query("SELECT count(*) FROM lease") == 1)
            await store.run { $0.end(next, origin: Origin()) }
            await store.shutDown()
        }
        store = try await directory.open()
        #expect(await store.list("bar")?.snapshot.itemIdentifiers == ["0", "2"])
        await store.shutDown()
    }
}
