import Diffable
import DiffableStore
import Testing

/// The results of requests on volatile lists, without a disk.
struct StoreRequestTests {
    let bench = Bench()

    @Test func `a list that was created is there, empty, at revision zero`() async throws {
        bench.create("tasks", .volatile)
        await bench.store.settle()
        let state = try #require(await bench.store.list("tasks"))
        #expect(state.revision == 0)
        #expect(state.snapshot == Snapshot())
        #expect(state.epoch.count >= 8)
        #expect(bench.log.lines == ["create tasks: at 0"])
    }

    @Test func `a second list of the same name is refused, or answered when that is asked for`() async {
        bench.create("tasks", .volatile)
        bench.create("tasks", .volatile)
        bench.create("tasks", .durable, existing: .isKept)
        await bench.store.settle()
        #expect(bench.log.lines == ["create tasks: at 0", "create tasks: listExists", "create tasks: at 0"])
    }

    @Test func `a list that is deleted and created again has another epoch`() async {
        bench.create("tasks", .volatile)
        let first = await bench.store.list("tasks")?.epoch
        bench.delete("tasks")
        await bench.store.settle()
        #expect(await bench.store.list("tasks") == nil)
        bench.create("tasks", .volatile)
        let second = await bench.store.list("tasks")?.epoch
        #expect(first != nil && second != nil && first != second)
    }

    @Test func `one list more than the limit is refused`() async {
        let bench = Bench(limits: StoreLimits(listsMax: 2))
        for name: ListName in ["a", "b", "c"] { bench.create(name, .volatile) }
        bench.delete("a")
        bench.create("c", .volatile)
        await bench.store.settle()
        #expect(
            bench.log.lines == [
                "create a: at 0", "create b: at 0", "create c: tooManyLists", "delete a: at 0", "create c: at 0",
            ])
        #expect(await bench.store.lists.map(\.name) == ["b", "c"])
    }

    @Test func `a transaction grows the revision by one when it changes something, and only then`() async {
        bench.create("tasks", .volatile)
        bench.transact("tasks", [.appendSections([Section(id: "today")])])
        bench.transact("tasks", [.expandItems([])])
        bench.transact("tasks", [.appendItems([Item(id: "milk")])])
        await bench.store.settle()
        #expect(
            bench.log.lines.dropFirst() == [
                "transact tasks: at 1", "transact tasks: at 1, unchanged", "transact tasks: at 2",
            ])
    }

    @Test func `a transaction with an impossible operation changes nothing and says which`() async throws {
        bench.create("tasks", .volatile)
        let operations: [ListOperation] = [
            .appendSections([Section(id: "today")]), .appendItems([Item(id: "milk")], to: .section("later")),
        ]
        let result = await bench.store.transacting("tasks", operations)
        let error = TransactionError(index: 1, reason: .noSuchSection("later"))
        #expect(result.failure == .transaction("tasks", error))
        #expect(await bench.store.list("tasks")?.snapshot == Snapshot())
    }

    @Test func `a transaction made for another revision is told the current one`() async {
        bench.create("tasks", .volatile)
        bench.transact("tasks", [.appendSections([Section(id: "today")])], ifRevision: 0)
        await bench.store.settle()
        let result = await bench.store.transacting("tasks", [.deleteAllItems], ifRevision: 0)
        #expect(result.failure == .revisionMismatch("tasks", expected: 0, current: 1))
    }

    @Test func `an unknown list is named`() async {
        #expect(await bench.store.transacting("tasks", []).failure == .noSuchList("tasks"))
        #expect(await bench.store.applying("tasks", .whole([])).failure == .noSuchList("tasks"))
    }

    @Test func `a dry run answers the operations and changes nothing`() async throws {
        await bench.watchCommits()
        bench.create("tasks", .volatile)
        await bench.store.settle()
        bench.log.clear()
        let operations: [ListOperation] = [.appendSections([Section(id: "today")])]
        let result = await bench.store.transacting("tasks", operations, mode: .dryRun)
        let outcome = try result.get()
        #expect(outcome.isChanged)
        #expect(outcome.revision == 0)
        #expect(outcome.new.numberOfSections == 1)
        #expect(await bench.store.list("tasks")?.revision == 0)
        #expect(bench.log.lines == [])
    }

    @Test func `subscribers are told before the one who asked`() async {
        await bench.watchCommits()
        bench.create("tasks", .volatile)
        bench.transact("tasks", [.appendSections([Section(id: "today")])])
        bench.delete("tasks")
        await bench.store.settle()
        #expect(
            bench.log.lines == [
                "commit tasks created at 0", "create tasks: at 0", "commit tasks 0→1 in one step",
                "transact tasks: at 1", "commit tasks deleted at 1", "delete tasks: at 1",
            ])
    }

    @Test func `a volatile list is never handed to the journal`() async {
        bench.create("tasks", .volatile)
        bench.transact("tasks", [.appendSections([Section(id: "today")])])
        bench.delete("tasks")
        await bench.store.settle()
        #expect(bench.journal.waitingGroups == [])
        #expect(await bench.store.statistics.transactions == 3)
    }
}
