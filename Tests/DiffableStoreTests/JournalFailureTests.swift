import Diffable
import DiffableStore
import Testing

/// Heads and answers after the disk failed to write a group.
struct JournalFailureTests {
    let bench = Bench()
    let section: [ListOperation] = [.appendSections([Section(id: "today")])]

    @Test func `a full disk leaves every list as it was, and the store goes on`() async {
        await bench.createDurable("tasks")
        await bench.watchCommits()
        bench.transact("tasks", section)
        await bench.store.settle()
        bench.transact("tasks", [.appendItems([Item(id: "milk")])])
        bench.create("other", .durable)
        bench.transact("tasks", [], ifRevision: 2)
        await bench.store.settle()
        bench.journal.fail(.noSpace)
        await bench.store.settle()
        #expect(
            bench.log.lines == [
                "transact tasks: noSpace", "transact tasks: noSpace", "create other: noSpace",
                "transact tasks: noSpace",
            ])
        #expect(await bench.store.list("tasks")?.revision == 0)
        #expect(bench.journal.waitingGroups == [])
        #expect(await bench.store.statistics.pendingTransactions == 0)

        bench.log.clear()
        bench.transact("tasks", section, ifRevision: 0)
        bench.create("other", .durable)
        await bench.settleJournal()
        #expect(
            bench.log.lines.sorted() == [
                "commit other created at 0", "commit tasks 0→1 in one step", "create other: at 0",
                "transact tasks: at 1",
            ])
    }

    @Test func `a failed disk is answered "unknown", and nothing more is taken`() async {
        await bench.createDurable("tasks")
        bench.create("quick", .volatile)
        await bench.store.settle()
        bench.log.clear()
        await bench.watchCommits()
        bench.transact("tasks", section)
        await bench.store.settle()
        bench.delete("tasks")
        await bench.store.settle()
        bench.journal.fail(.failed(reason: "I/O error"))
        await bench.store.settle()
        #expect(
            bench.log.lines == ["transact tasks: storageFailed", "delete tasks: storageFailed", "failure I/O error"])
        #expect(await bench.store.list("tasks")?.revision == 0)

        bench.log.clear()
        bench.transact("tasks", section)
        bench.transact("quick", section)
        bench.create("other", .volatile)
        await bench.store.settle()
        #expect(
            bench.log.lines == [
                "transact tasks: storageFailed", "transact quick: storageFailed", "create other: storageFailed",
            ])
        await bench.store.shutDown()
        #expect(bench.journal.isClosed)
    }

    @Test func `a creation that did not reach the disk frees its name`() async {
        bench.create("tasks", .durable)
        await bench.store.settle()
        bench.journal.fail(.noSpace)
        await bench.store.settle()
        bench.create("tasks", .volatile)
        await bench.store.settle()
        #expect(bench.log.lines == ["create tasks: noSpace", "create tasks: at 0"])
    }

    @Test func `a deletion that did not reach the disk leaves the list`() async {
        let bench = Bench(limits: StoreLimits(listsMax: 1))
        await bench.createDurable("tasks")
        bench.delete("tasks")
        await bench.store.settle()
        bench.journal.fail(.noSpace)
        await bench.store.settle()
        bench.create("other", .volatile)
        bench.transact("tasks", section)
        await bench.store.settle()
        bench.journal.succeed()
        await bench.store.settle()
        #expect(
            bench.log.lines == ["delete tasks: noSpace", "create other: tooManyLists", "transact tasks: at 1"])
    }

    @Test func `a group that fails while the store shuts down is a failure`() async {
        bench.create("tasks", .durable)
        await bench.store.settle()
        let end = Task { await bench.store.shutDown() }
        while await bench.store.health != .closing { await Task.yield() }
        bench.journal.fail(.failed(reason: "the disk is gone"))
        await end.value
        #expect(await bench.store.failure == "the disk is gone")
    }

    @Test(arguments: ["the disk is gone", nil])
    func `what fails while the journal closes is a failure`(reason: String?) async {
        let bench = Bench(journal: FakeJournal(failureAtClose: reason))
        await bench.store.shutDown()
        #expect(await bench.store.failure == reason)
    }
}
