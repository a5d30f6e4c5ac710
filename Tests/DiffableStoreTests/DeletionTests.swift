import Diffable
import Foundation
import Testing

@testable import DiffableStore

@Suite struct `A deleted list` {
    private let directory = ScratchDirectory()
    private static let alice = Peer(userID: 61_001, groupID: 61_001)
    private static let bob = Peer(userID: 61_002, groupID: 61_002)

    private func limits(deletedLengthMax: Int, ageMax: Int = 86_400) -> StoreLimits {
        StoreLimits(
            listsPerUserMax: 2, contentPerUserMax: 10_000,
            history: HistoryLimits(deletedLengthMax: deletedLengthMax, ageMax: ageMax))
    }

    /// Makes a list with an item of `length` less 5,000 bytes. With its history it takes about `length` plus 1,800.
    private func make(
        _ name: ListName, _ store: Store, takes length: Int? = nil, by peer: Peer = .daemon
    ) async throws {
        _ = try await withCheckedContinuation { continuation in
            store.later {
                $0.createList(name, durability: .durable, by: peer) { continuation.resume(returning: $0) }
            }
        }.get()
        guard let length else { return }
        let content = Content(Array("\"\(String(repeating: "c", count: length - 5_000))\"".utf8))
        _ = try await store.transacting(
            name, [.appendSections([Section(id: "s", items: [Item(id: "i", content: content)])])]
        ).get()
    }

    private func length(_ store: Store) async -> Int {
        await store.run { $0.deletedLists(for: .daemon).reduce(0) { $0 + $1.list.length } }
    }

    private func deletedNames(_ store: Store, for peer: Peer = .daemon) async -> [ListName] {
        await store.run { $0.deletedLists(for: peer).map(\.list.state.name) }
    }

    @Test(arguments: [Durability.durable, .volatile])
    func `comes back in its epoch, with its past, its keys and its mode`(durability: Durability) async throws {
        var store = try await directory.open()
        _ = try await store.creating("tasks", durability).get()
        let section: [ListOperation] = [.appendSections([Section(id: "s")])]
        _ = try await store.transacting("tasks", section, key: "first").get()
        _ = try await store.transacting("tasks", [.appendItems([Item(id: "a")])]).get()
        await withCheckedContinuation { continuation in
            store.later {
                $0.setAccess(of: "tasks", AccessRecord(owner: 61_001, mode: AccessMode(bits: 0o640))) { _ in
                    continuation.resume()
                }
            }
        }
        let before = try #require(await store.list("tasks"))
        _ = try await store.deleting("tasks").get()
        #expect(await store.lists.isEmpty)
        if durability == .durable {
            await store.shutDown()
            store = try await directory.open()
        }
        let back = try await store.undeleting("tasks").get()
        #expect(Remembered(back) == Remembered(before))
        #expect(try await store.transacting("tasks", section, key: "first").get().revision == 1, "it was made already")
        #expect(await store.run { $0.history(of: "tasks")?.map(\.number) } == [2, 1])
        #expect(await store.run { $0.lists(for: Self.alice).map(\.access.mode.bits) } == [0o640])
        #expect(try await store.undoing("tasks", to: 1).get().revision == 3)
        #expect(await deletedNames(store) == [])
        #expect(await store.undeleting("tasks").failure == .nameTaken("tasks"))
        await store.shutDown()
    }

    @Test func `comes back under another name, and says what is in its way`() async throws {
        let store = try await directory.open()
        try await make("tasks", store, takes: 6_000)
        _ = try await store.deleting("tasks").get()
        try await make("tasks", store)
        #expect(await store.undeleting("tasks").failure == .nameTaken("tasks"))
        #expect(try await store.undeleting("tasks", as: "former").get().snapshot.numberOfItems == 1)
        #expect(await store.undeleting("other").failure == .noDeletedList("other", ageMax: 86_400, nil))
        await store.shutDown()
        let again = try await directory.open()
        #expect(await again.lists.map(\.name) == ["former", "tasks"])
        #expect(await again.list("former", at: 0)?.name == "former")
        await again.shutDown()
    }

    @Test func `stays beside the next ones of its name, and untouched ones are not kept beside it`() async throws {
        let store = try await directory.open()
        try await make("tasks", store, takes: 6_000)
        _ = try await store.deleting("tasks").get()
        // A list that was made by mistake and deleted again.
        try await make("tasks", store)
        _ = try await store.deleting("tasks").get()
        #expect(await deletedNames(store) == ["tasks"])
        #expect(try await store.undeleting("tasks").get().revision == 1)
        _ = try await store.deleting("tasks").get()
        // Another user's list with that name is a different list.
        try await make("tasks", store, takes: 6_000, by: Self.alice)
        _ = try await store.deleting("tasks").get()
        #expect(await deletedNames(store) == ["tasks", "tasks"])
        try await make("tasks", store, takes: 7_000)
        _ = try await store.deleting("tasks").get()
        #expect(await deletedNames(store) == ["tasks", "tasks", "tasks"])
        #expect(await deletedNames(store, for: Self.alice) == ["tasks"])
        #expect(await deletedNames(store, for: Self.bob) == [])
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT count(*) FROM deletedList") == 3)
        #expect(try await store.sqlite.query("SELECT count(DISTINCT list) FROM journal") == 3)
        #expect(await store.undeleting("tasks", by: Self.bob).failure == .noDeletedList("tasks", ageMax: 86_400, nil))
        #expect(try await store.undeleting("tasks", by: Self.alice).get().revision == 1)
        await store.shutDown()
    }

    @Test func `of several with one name comes back by its epoch, and the oldest goes when there are too many`()
        async throws
    {
        var store = try await directory.open()
        var epochs: [String] = []
        for index in 0..<DeletedList.countOfNameMax + 1 {
            try await make("tasks", store, takes: 6_000 + index)
            epochs.append(try await store.deleting("tasks").get().epoch)
        }
        await store.shutDown()
        store = try await directory.open()
        #expect(
            await store.run { $0.deletedLists(for: .daemon).map(\.list.state.epoch) } == epochs.dropFirst().reversed())
        #expect(try await store.undeleting("tasks", epoch: epochs[1]).get().epoch == epochs[1])
        #expect(try await store.undeleting("tasks", as: "last").get().epoch == epochs.last)
        #expect(await store.undeleting("tasks", epoch: epochs[0], as: "first").failure != nil)
        await store.shutDown()
    }

    @Test func `is not made of a list that could not come back, when that is required`() async throws {
        let store = try await directory.open(limits: limits(deletedLengthMax: 12_000))
        try await make("short", store, takes: 6_000)
        try await make("long", store, takes: 20_000)
        try await make("untouched", store)
        #expect(await store.deleting("long", keeping: .required).failure == .notKept("long", .tooLong(max: 12_000)))
        #expect(await store.list("long") != nil)
        for name: ListName in ["short", "untouched"] {
            #expect(await store.deleting(name, keeping: .required).failure == nil)
        }
        await store.settle()
        #expect(await deletedNames(store) == ["untouched", "short"])
        _ = try await store.undeleting("short").get()
        _ = try await store.deleting("short", keeping: .never).get()
        #expect(await store.undeleting("short").failure == .noDeletedList("short", ageMax: 86_400, .unwanted))
        _ = try await store.deleting("long").get()
        #expect(
            await store.undeleting("long").failure == .noDeletedList("long", ageMax: 86_400, .tooLong(max: 12_000)))
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT count(*) FROM journal") == 0)
        await store.run { $0.apply(self.limits(deletedLengthMax: 0)) }
        try await make("none", store, takes: 6_000)
        #expect(await store.deleting("none", keeping: .required).failure == .notKept("none", .keepsNone))
        await store.shutDown()
    }

    @Test(arguments: [Durability.durable, .volatile])
    func `is also what a restore has replaced`(durability: Durability) async throws {
        var store = try await directory.open()
        _ = try await store.creating("tasks", durability).get()
        let items = ["a", "b", "c"].map { Item(id: $0) }
        _ = try await store.applying("tasks", .section("s", items)).get()
        let restored = RestoredList(name: "tasks", snapshot: Snapshot())
        _ = try await withCheckedContinuation { continuation in
            store.later {
                $0.restore([restored], replaced: .areAllowed, origin: Origin(name: "restore")) {
                    continuation.resume(returning: $0)
                }
            }
        }.get()
        #expect(await store.list("tasks")?.snapshot.numberOfItems == 0)
        if durability == .durable {
            await store.shutDown()
            store = try await directory.open()
        }
        #expect(try await store.undeleting("tasks", as: "former").get().snapshot.numberOfItems == 3)
        #expect(try await store.undoing("former").get().new.numberOfItems == 0)
        await store.shutDown()
    }

    @Test func `is kept while all of them together are no longer than the limit, and the oldest goes first`()
        async throws
    {
        var store = try await directory.open(limits: limits(deletedLengthMax: 1 << 20))
        for name: ListName in ["a", "b", "c", "d"] { try await make(name, store, takes: 6_000) }
        for name: ListName in ["a", "b", "c"] { _ = try await store.deleting(name).get() }
        let length = await length(store)
        #expect((18_000...27_000).contains(length))
        await store.run { $0.apply(self.limits(deletedLengthMax: length)) }
        await store.settle()
        #expect(await deletedNames(store) == ["c", "b", "a"])
        await store.shutDown()
        store = try await directory.open(limits: limits(deletedLengthMax: length))
        await store.settle()
        #expect(await deletedNames(store) == ["c", "b", "a"])
        await store.shutDown()
        store = try await directory.open(limits: limits(deletedLengthMax: length - 1))
        await store.settle()
        #expect(await deletedNames(store) == ["c", "b"])
        #expect(
            await store.undeleting("a").failure == .noDeletedList("a", ageMax: 86_400, .madeRoom(max: length - 1)))
        _ = try await store.deleting("d").get()
        await store.settle()
        #expect(await deletedNames(store) == ["d", "c"])
        await store.run { $0.apply(self.limits(deletedLengthMax: 0)) }
        await store.settleOnDisk()
        #expect(await deletedNames(store) == [])
        #expect(try await store.sqlite.query("SELECT count(*) FROM deletedList") == 0)
        #expect(try await store.sqlite.query("SELECT count(*) FROM journal") == 0)
        await store.shutDown()
    }

    @Test func `alone may be as long as the limit, and comes back without a past that does not fit`() async throws {
        // The list without its history.
        let store = try await directory.open(limits: limits(deletedLengthMax: 20_000))
        for (name, excess): (ListName, Int) in [("long", 1), ("fits", 0)] {
            try await make(name, store, takes: 8_000)
            let state = try #require(await store.list(name))
            await store.run { $0.apply(self.limits(deletedLengthMax: DeletedList.length(of: state) - excess)) }
            _ = try await store.deleting(name).get()
            await store.settle()
        }
        #expect(
            await store.undeleting("long").failure.map { "\($0)".contains("it was longer than") }
                == true)
        #expect(try await store.undeleting("fits").get().revision == 1)
        #expect(await store.run { $0.history(of: "fits") } == [])
        await store.shutDown()
    }

    @Test func `of one user does not go because another deletes much`() async throws {
        let store = try await directory.open(limits: limits(deletedLengthMax: 1 << 20))
        try await make("a", store, takes: 6_000, by: Self.alice)
        _ = try await store.deleting("a").get()
        let length = await length(store)
        await store.run { $0.apply(self.limits(deletedLengthMax: 3 * length)) }
        for name: ListName in ["b", "c", "d", "e"] {
            try await make(name, store, takes: 6_000, by: Self.bob)
            _ = try await store.deleting(name).get()
        }
        await store.settle()
        #expect(await deletedNames(store) == ["e", "d", "a"])
        await store.shutDown()
    }

    @Test func `is there as long as the past, by the time for which a daemon has run`() async throws {
        let time = TestClock()
        let limits = limits(deletedLengthMax: 20_000, ageMax: 100)
        var store = try await directory.open(limits: limits, clock: time.clock)
        try await make("a", store, takes: 6_000)
        try await make("b", store)
        _ = try await store.deleting("a").get()
        time.pass(seconds: 60)
        await store.shutDown()
        time.restartMachine()
        store = try await directory.open(limits: limits, clock: time.clock)
        time.pass(seconds: 40)
        #expect(await deletedNames(store) == ["a"])
        time.pass(seconds: 0.001)
        #expect(await deletedNames(store) == [])
        #expect(await store.undeleting("a").failure == .noDeletedList("a", ageMax: 100, nil))
        // The next change drops the deleted list.
        _ = try await store.transacting("b", [.appendSections([Section(id: "s")])]).get()
        await store.settleOnDisk()
        #expect(await store.undeleting("a").failure == .noDeletedList("a", ageMax: 100, .tooOld))
        #expect(try await store.sqlite.query("SELECT count(*) FROM deletedList") == 0)
        await store.shutDown()
    }

    @Test func `counts for nobody while it is deleted, and for its owner when it comes back`() async throws {
        let store = try await directory.open(limits: limits(deletedLengthMax: 50_000))
        try await make("a", store, takes: 12_000, by: Self.alice)
        _ = try await store.deleting("a").get()
        try await make("b", store, takes: 12_000, by: Self.alice)
        try await make("c", store, by: Self.alice)
        #expect(await store.undeleting("a", by: Self.alice).failure == .tooManyListsOfUser(61_001, max: 2))
        _ = try await store.deleting("c").get()
        #expect(await store.undeleting("a", by: Self.alice).failure == .contentOfUserTooLong("a", 61_001, max: 10_000))
        #expect(try await store.undeleting("a").get().revision == 1, "root is not limited")
        await store.shutDown()
    }

    @Test func `comes back without what was leased by who has gone, and with what is leased still`() async throws {
        var store = try await directory.open()
        _ = try await store.creating("bar", .durable).get()
        _ = try await store.transacting("bar", [.appendSections([Section(id: "s", items: [Item(id: "own")])])]).get()
        let (gone, here) = await store.run { ($0.makeLease(), $0.makeLease()) }
        _ = try await store.transacting("bar", [.appendItems([Item(id: "gone")])], lease: gone).get()
        _ = try await store.transacting("bar", [.appendItems([Item(id: "here")])], lease: here).get()
        _ = try await store.deleting("bar").get()
        await store.run { $0.end(gone, origin: Origin()) }
        #expect(try await store.undeleting("bar").get().snapshot.itemIdentifiers == ["own", "here"])
        _ = try await store.deleting("bar").get()
        await store.shutDown()
        store = try await directory.open()
        #expect(try await store.undeleting("bar").get().snapshot.itemIdentifiers == ["own"])
        #expect(try await store.sqlite.query("SELECT count(*) FROM lease") == 0)
        let lease = await store.run { $0.makeLease() }
        _ = try await store.creating("mine", .durable, lease: lease).get()
        _ = try await store.deleting("mine").get()
        #expect(await store.undeleting("mine").failure == .noDeletedList("mine", ageMax: 86_400, .leased))
        await store.shutDown()
    }

    @Test func `whose deletion and return are on their way to the disk is built on, and falls with them`() async throws
    {
        let bench = Bench()
        await bench.createDurable("tasks")
        bench.transact("tasks", bench.section("a"))
        await bench.store.settle()
        bench.journal.succeed()
        await bench.store.settle()
        await bench.watchCommits()
        bench.log.clear()
        func ask() {
            bench.transact("tasks", bench.section("b"))
            bench.delete("tasks")
            bench.store.later { [log = bench.log] store in
                store.undeleteList("tasks") { log.append("undelete tasks: \($0.summary)") }
                store.undo("tasks") { log.append("undo tasks: \($0.summary)") }
                store.undo("tasks", .revision(0)) { log.append("undo tasks to 0: \($0.summary)") }
            }
        }
        for isRefused in [true, false] {
            ask()
            await bench.store.settle()
            // The first request may be in a group of its own.
            while !bench.journal.waitingGroups.isEmpty {
                if isRefused { bench.journal.fail(.noSpace) } else { bench.journal.succeed() }
                await bench.store.settle()
            }
            #expect(await bench.store.list("tasks")?.revision == (isRefused ? 1 : 4))
            #expect(await bench.store.run { $0.deletions.isEmpty })
            if isRefused { #expect(bench.log.lines.allSatisfy { $0.hasSuffix("noSpace") }) }
            if isRefused { bench.log.clear() }
        }
        let answers = bench.log.lines.filter { !$0.hasPrefix("commit") }
        #expect(
            answers == [
                "transact tasks: at 2", "delete tasks: at 2", "undelete tasks: at 2", "undo tasks: at 3",
                "undo tasks to 0: at 4",
            ])
        let commits = bench.log.lines.filter { $0.hasPrefix("commit") }.joined(separator: ", ")
        #expect(commits.contains("commit tasks deleted at 2, commit tasks created at 4"), "\(commits)")
    }

    @Test(arguments: [false, true])
    func `that is about to come back under another name is gone for others when that is on disk`(
        isRefused: Bool
    ) async throws {
        let bench = Bench()
        await bench.createDurable("tasks")
        bench.transact("tasks", bench.section("a"))
        bench.delete("tasks")
        await bench.settleJournal()
        bench.log.clear()
        bench.store.later { [log = bench.log] store in
            store.undeleteList("tasks", as: "former") { log.append("undelete as former: \($0.summary)") }
            store.undeleteList("tasks", by: Self.bob) { log.append("undelete by bob: \($0.summary)") }
            store.undeleteList("tasks") { log.append("undelete: \($0.summary)") }
        }
        await bench.store.settle()
        #expect(bench.log.lines == ["undelete by bob: noDeletedList"])
        if isRefused { bench.journal.fail(.noSpace) } else { bench.journal.succeed() }
        await bench.store.settle()
        #expect(
            bench.log.lines.dropFirst()
                == (isRefused
                    ? ["undelete as former: noSpace", "undelete: noSpace"]
                    : ["undelete as former: at 1", "undelete: noDeletedList"]))
    }

    @Test func `is the only reason to learn that a name is taken by a list that one may not see`() async throws {
        let store = try await directory.open()
        try await make("tasks", store, takes: 6_000, by: Self.bob)
        _ = try await store.deleting("tasks").get()
        try await make("tasks", store, by: Self.alice)
        try await make("other", store, by: Self.alice)
        #expect(await store.undeleting("other", by: Self.bob).failure == .noDeletedList("other", ageMax: 86_400, nil))
        let hidden = await store.undeleting("tasks", as: "other", by: Self.bob)
        #expect(hidden.failure == .permissionDenied("other", .creation))
        #expect(await store.undeleting("tasks", by: Self.bob).failure == .permissionDenied("tasks", .creation))
        #expect(await store.undeleting("tasks", by: Self.alice).failure == .nameTaken("tasks"))
        #expect(try await store.undeleting("tasks", as: "former", by: Self.bob).get().name == "former")
        await store.shutDown()
    }

    @Test func `is examined with the others, and is no list to serve`() async throws {
        let store = try await directory.open()
        try await make("gone", store, takes: 6_000)
        try await make("tasks", store, takes: 6_000)
        _ = try await store.deleting("gone").get()
        await store.shutDown()
        let examination = try OfflineStore(directory: directory.path).check(scratch: NSTemporaryDirectory())
        #expect(examination.isGood)
        #expect(examination.lists.map(\.name) == ["tasks", "gone"])
        #expect(examination.lists.map { $0.deletion == nil } == [true, false])
    }

    @Test(arguments: [
        "UPDATE deletedList SET time = time + 1", "UPDATE deletedList SET runningTime = 0",
        "UPDATE deletedList SET name = 'other'", "UPDATE deletedList SET client = 'somebody'",
        "UPDATE journal SET operations = CAST('[]' AS BLOB)",
    ])
    func `that is not what was written is refused, and a repair keeps what is good`(damage: String) async throws {
        var store = try await directory.open()
        try await make("tasks", store, takes: 6_000)
        let before = try #require(await store.list("tasks"))
        _ = try await store.deleting("tasks", origin: Origin(name: "diffablectl")).get()
        await store.shutDown()
        try directory.edit(damage)
        await #expect(throws: StoreOpeningError.self) { _ = try await directory.open() }
        let offline = OfflineStore(directory: directory.path)
        #expect(try !offline.check(scratch: NSTemporaryDirectory()).isGood)
        #expect(try offline.repair(keepingIn: "kept").keptIn != nil)
        store = try await directory.open()
        #expect(await store.lists.isEmpty)
        let name = try #require(await deletedNames(store).first)
        let back = try await store.undeleting(name).get()
        #expect(back.epoch != before.epoch)
        if damage.contains("deletedList") { #expect(back.snapshot == before.snapshot) }
        await store.shutDown()
    }

    @Test(arguments: ["DELETE FROM deletedList", "DELETE FROM journal WHERE list IN (SELECT number FROM deletedList)"])
    func `that goes from the database unnoticed costs the epochs`(damage: String) async throws {
        var store = try await directory.open()
        try await make("tasks", store, takes: 6_000)
        try await make("other", store, takes: 6_000)
        let before = try #require(await store.list("other"))
        _ = try await store.deleting("tasks").get()
        await store.shutDown()
        try directory.edit(damage)
        store = try await directory.open()
        #expect(await store.list("other")?.epoch != before.epoch)
        await store.shutDown()
    }

    @Test func `goes on being checkpointed, also under another name`() async throws {
        let limits = StoreLimits(
            journalLengthMin: 300, idleMilliseconds: 20, checkpointPartLengthMax: 100,
            history: HistoryLimits(lengthMax: 0))
        var store = try await directory.open(limits: limits)
        _ = try await store.creating("tasks", .durable).get()
        _ = try await store.transacting("tasks", [.appendSections([Section(id: "s")])]).get()
        for round in 0..<12 {
            for index in 0..<6 {
                let items = [
                    Item(id: .numbered(round * 6 + index), children: [Item(id: .numbered(1_000 + round * 6 + index))])
                ]
                _ = try await store.transacting("tasks", [.appendItems(items)]).get()
            }
            // A checkpoint may be running.
            _ = try await store.deleting("tasks").get()
            if round % 3 == 0 { await store.sqlite.finishMaintenance() }
            if round % 3 == 1 {
                let left = try await store.sqlite.crash(in: directory).left
                let again = try await left.open(limits: limits)
                #expect(try await again.undeleting("tasks").get().snapshot.numberOfItems == 12 * (round + 1))
                await again.shutDown()
            }
            _ = try await store.undeleting("tasks", as: "back").get()
            _ = try await store.renaming("back", to: "tasks").get()
        }
        #expect(try await store.sqlite.query("SELECT max(generation) FROM list") > 0)
        await store.shutDown()
        store = try await directory.open(limits: limits)
        #expect(await store.list("tasks")?.snapshot.numberOfItems == 144)
        await store.shutDown()
    }
}

@Suite struct `A list that is renamed` {
    private let directory = ScratchDirectory()
    private static let alice = Peer(userID: 61_001, groupID: 61_001)

    @Test(arguments: [Durability.durable, .volatile])
    func `can be renamed, deleted and brought back again before any of it is on disk`(
        durability: Durability
    ) async throws {
        let store = try await directory.open()
        let before = try await store.creating("a", durability).get()
        _ = try await store.creating("b", .durable).get()
        let log = Log()
        await store.run { store in
            // So that a volatile list waits for the disk as well.
            store.deleteList("b") { log.append("delete b: \($0.summary)") }
            for (old, new): (ListName, ListName) in [("a", "b"), ("b", "a"), ("a", "b"), ("b", "a")] {
                store.renameList(old, to: new) { log.append("\(old) to \(new): \($0.summary)") }
            }
            for _ in 0..<2 {
                store.deleteList("a") { log.append("delete a: \($0.summary)") }
                store.undeleteList("a") { log.append("undelete a: \($0.summary)") }
            }
        }
        let back = try await store.renaming("a", to: "c").get()
        #expect(back.epoch == before.epoch)
        #expect(log.lines.count == 9 && log.lines.allSatisfy { $0.hasSuffix("at 0") }, "\(log.lines)")
        #expect(await store.lists.map(\.name) == ["c"])
        #expect(await store.run { $0.deletions.values.compactMap(\.committed).map(\.state.name) } == ["b"])
        await store.shutDown()
    }

    /// The checksums of its journal rows include the list's original name.
    @Test(arguments: [false, true])
    func `is there after a start when it was made, renamed and changed in one group`(
        isChangedBefore: Bool
    ) async throws {
        var store = try await directory.open()
        await store.run { store in
            store.createList("a", durability: .durable) { _ in }
            if isChangedBefore { store.transact("a", [.appendSections([Section(id: "r")])]) { _ in } }
            store.renameList("a", to: "b") { _ in }
            store.transact("b", [.appendSections([Section(id: "s")])]) { _ in }
        }
        await store.settleOnDisk()
        #expect(await store.statistics.groups == 1)
        let before = try #require(await store.list("b"))
        await store.shutDown()
        store = try await directory.open()
        let after = try #require(await store.list("b"))
        #expect(after.snapshot == before.snapshot && after.revision == before.revision)
        await store.shutDown()
    }

    @Test(arguments: [Durability.durable, .volatile])
    func `keeps its epoch, past, keys and leases`(durability: Durability) async throws {
        var store = try await directory.open()
        _ = try await store.creating("tasks", durability).get()
        _ = try await store.transacting("tasks", [.appendSections([Section(id: "s")])], key: "first").get()
        let lease = await store.run { $0.makeLease() }
        _ = try await store.transacting("tasks", [.appendItems([Item(id: "a")])], lease: lease).get()
        let before = try #require(await store.list("tasks"))
        #expect(await store.renaming("tasks", to: "chores", ifRevision: 7).failure != nil)
        let renamed = try await store.renaming("tasks", to: "chores", ifRevision: 2).get()
        #expect(renamed.epoch == before.epoch && renamed.revision == 2 && renamed.name == "chores")
        #expect(await store.lists.map(\.name) == ["chores"])
        #expect(await store.run { $0.deletedLists(for: .daemon).isEmpty })
        #expect(await store.list("chores", at: 1)?.name == "chores")
        #expect(
            try await store.transacting("chores", [.appendSections([Section(id: "s")])], key: "first").get().revision
                == 1)
        if durability == .durable {
            await store.shutDown()
            store = try await directory.open()
            #expect(await store.list("chores", at: 1)?.epoch == before.epoch)
        } else {
            await store.run { $0.end(lease, origin: Origin()) }
        }
        #expect(await store.list("chores")?.snapshot.itemIdentifiers == [])
        await store.shutDown()
    }

    @Test func `is its owner's to rename, to a name that is free and its to create`() async throws {
        let rules = AccessRules([AccessRules.Rule(prefix: "system/", creators: .some(users: [], groups: []))])
        let store = try await directory.open()
        _ = await store.run { $0.apply(rules) }
        for name: ListName in ["a", "b"] {
            _ = try await withCheckedContinuation { continuation in
                store.later {
                    $0.createList(name, durability: .durable, mode: AccessMode(bits: 0o644), by: Self.alice) {
                        continuation.resume(returning: $0)
                    }
                }
            }.get()
        }
        let bob = Peer(userID: 61_002, groupID: 61_002)
        #expect(await store.renaming("a", to: "c", by: bob).failure == .permissionDenied("a", .renaming))
        #expect(await store.renaming("none", to: "c", by: bob).failure == .noSuchList("none"))
        #expect(await store.renaming("a", to: "b", by: Self.alice).failure == .nameTaken("b"))
        #expect(
            await store.renaming("a", to: "system/a", by: Self.alice).failure
                == .permissionDenied("system/a", .creation))
        #expect(try await store.renaming("a", to: "system/a").get().name == "system/a")
        await store.shutDown()
    }
}
