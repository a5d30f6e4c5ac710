import Diffable
import DiffableStore
import Testing

/// The order in which changes wait for the disk and are reported.
struct GroupCommitTests {
    let bench = Bench()
    let section: [ListOperation] = [.appendSections([Section(id: "today")])]

    @Test func `a durable list is neither seen nor acknowledged before it is on disk`() async {
        bench.create("tasks", .durable)
        await bench.store.settle()
        #expect(bench.log.lines == [])
        #expect(await bench.store.list("tasks") == nil)
        bench.journal.succeed()
        await bench.store.settle()
        #expect(bench.log.lines == ["create tasks: at 0"])
        #expect(await bench.store.list("tasks")?.revision == 0)
    }

    @Test func `what arrives together is one group, and what arrives during a write is the next`() async {
        await bench.createDurable("tasks")
        await bench.store.run { store in
            for index in 0..<3 { store.transact("tasks", [.appendSections([Section(id: .numbered(index))])]) { _ in } }
        }
        await bench.store.settle()
        #expect(bench.journal.waitingGroups == [3])
        bench.transact("tasks", section)
        bench.transact("tasks", [.deleteSections(["today"])])
        await bench.store.settle()
        #expect(bench.journal.waitingGroups == [3])
        #expect(await bench.store.list("tasks")?.revision == 0)
        bench.journal.succeed()
        await bench.store.settle()
        #expect(await bench.store.list("tasks")?.revision == 3)
        #expect(bench.journal.waitingGroups == [2])
        bench.journal.succeed()
        await bench.store.settle()
        #expect(await bench.store.list("tasks")?.revision == 5)
        #expect(bench.journal.waitingGroups == [])
        let statistics = await bench.store.statistics
        #expect(statistics.groups == 3)
        #expect(statistics.groupSizeMax == 3)
        #expect(statistics.transactions == 6)
        #expect(statistics.pendingTransactions == 0)
    }

    @Test func `a group's commits are told before the first of its answers`() async {
        await bench.createDurable("a")
        await bench.createDurable("b")
        await bench.watchCommits()
        await bench.store.run { [bench] store in
            store.transact("a", bench.section("x")) { bench.log.append("a: \($0.summary)") }
            store.transact("b", bench.section("x")) { bench.log.append("b: \($0.summary)") }
            store.transact("a", bench.section("y")) { bench.log.append("a: \($0.summary)") }
        }
        await bench.store.settle()
        bench.journal.succeed()
        await bench.store.settle()
        #expect(
            bench.log.lines == [
                "commit a 0→2", "commit b 0→1 in one step", "a: at 1", "b: at 1", "a: at 2",
            ])
    }

    @Test func `a life of a list is one commit for each group, and two lives are two`() async {
        await bench.createDurable("a")
        await bench.watchCommits()
        await bench.store.run { [bench] store in
            store.createList("b", durability: .durable) { _ in }
            store.transact("b", bench.section("x")) { _ in }
            store.transact("a", bench.section("x")) { _ in }
            store.deleteList("a") { _ in }
            store.createList("a", durability: .durable) { _ in }
            store.transact("a", bench.section("x")) { _ in }
        }
        await bench.store.settle()
        bench.journal.succeed()
        await bench.store.settle()
        #expect(bench.log.lines == ["commit b created at 1", "commit a deleted at 1", "commit a created at 1"])
    }

    @Test func `an answer that rests on what is not on disk waits for it`() async {
        await bench.createDurable("tasks")
        bench.transact("tasks", section)
        await bench.store.settle()
        bench.transact("tasks", section)
        bench.transact("tasks", [.expandItems([])])
        bench.transact("tasks", [.deleteAllItems], mode: .dryRun)
        bench.transact("tasks", [], ifRevision: 0)
        bench.transact("other", [])
        await bench.store.settle()
        #expect(bench.log.lines == ["transact other: noSuchList"])
        bench.journal.succeed()
        await bench.store.settle()
        #expect(
            bench.log.lines.dropFirst() == [
                "transact tasks: at 1", "transact tasks: transaction", "transact tasks: at 1, unchanged",
                "transact tasks: at 1", "transact tasks: revisionMismatch",
            ])
    }

    @Test func `a volatile list does not wait for the disk`() async {
        await bench.createDurable("slow")
        bench.create("quick", .volatile)
        bench.transact("slow", section)
        bench.transact("quick", section)
        await bench.store.settle()
        #expect(bench.log.lines == ["create quick: at 0", "transact quick: at 1"])
    }

    @Test func `a volatile list waits when its name is still that of a durable one on disk`() async {
        await bench.createDurable("tasks")
        await bench.watchCommits()
        bench.delete("tasks")
        await bench.store.settle()
        bench.create("tasks", .volatile)
        bench.transact("tasks", section)
        await bench.store.settle()
        #expect(bench.log.lines == [])
        #expect(await bench.store.list("tasks")?.durability == .durable)
        bench.journal.succeed()
        await bench.store.settle()
        #expect(bench.log.lines == ["commit tasks deleted at 0", "delete tasks: at 0"])
        #expect(await bench.store.list("tasks") == nil)
        bench.journal.succeed()
        await bench.store.settle()
        #expect(
            bench.log.lines.dropFirst(2) == ["commit tasks created at 1", "create tasks: at 0", "transact tasks: at 1"])
        #expect(await bench.store.list("tasks")?.durability == .volatile)
        bench.transact("tasks", [.deleteAllItems])
        await bench.store.settle()
        #expect(bench.log.lines.last == "transact tasks: at 2")
    }

    @Test func `a name that is taken and freed again and again, before any of it is on disk, has one list`() async {
        bench.create("tasks", .durable)
        bench.delete("tasks")
        bench.create("tasks", .durable)
        await bench.store.settle()
        #expect(bench.journal.waitingGroups == [3])
        bench.delete("tasks")
        await bench.store.settle()
        bench.journal.succeed()
        await bench.store.settle()
        bench.create("tasks", .durable)
        await bench.settleJournal()
        bench.create("tasks", .durable)
        bench.transact("tasks", section)
        await bench.store.settle()
        bench.journal.succeed()
        await bench.store.settle()
        #expect(
            bench.log.lines.suffix(3) == ["create tasks: at 0", "create tasks: listExists", "transact tasks: at 1"])
    }

    @Test func `a deleted list that came back and was deleted again is not purged too early`() async throws {
        let bench = Bench(limits: StoreLimits(history: HistoryLimits(deletedLengthMax: 5_000)))
        func undelete(epoch: String?) {
            bench.store.later { [log = bench.log] store in
                store.undeleteList("tasks", epoch: epoch) { log.append("undelete: \($0.summary)") }
            }
        }
        bench.create("tasks", .volatile)
        bench.transact("tasks", section)
        let epoch = await bench.store.list("tasks")?.epoch
        bench.delete("tasks")
        await bench.store.settle()
        // The name is not on disk yet, so the return and everything after it waits.
        bench.create("tasks", .durable)
        await bench.store.settle()
        bench.delete("tasks")
        undelete(epoch: epoch)
        bench.transact("tasks", [.deleteAllItems])
        bench.transact("tasks", [.deleteSections(["today"])])
        bench.delete("tasks")
        // Together, deleted lists now exceed their limit.
        bench.create("other", .volatile)
        bench.transact("other", section)
        bench.delete("other")
        await bench.store.settle()
        #expect(!bench.journal.waitingGroups.isEmpty)
        await bench.settleJournal()
        #expect(bench.log.lines.contains { $0.hasPrefix("undelete: at") }, "\(bench.log.lines)")
        #expect(await bench.store.run { $0.deletedLists(for: .daemon).count } == 1)
    }

    @Test func `shutting down takes nothing more, finishes what was begun and closes the journal`() async {
        await bench.createDurable("tasks")
        bench.transact("tasks", section)
        await bench.store.settle()
        bench.transact("tasks", [.deleteAllItems])
        bench.store.later { [log = bench.log] in $0.shutDown { log.append("closed") } }
        bench.transact("tasks", section)
        bench.create("other", .volatile)
        await bench.store.settle()
        #expect(bench.log.lines == ["transact tasks: shuttingDown", "create other: shuttingDown"])
        bench.journal.succeed()
        await bench.store.settle()
        #expect(!bench.journal.isClosed)
        bench.journal.succeed()
        await bench.store.settle()
        #expect(bench.log.lines.dropFirst(2) == ["transact tasks: at 1", "transact tasks: at 2", "closed"])
        #expect(bench.journal.isClosed)
    }

    @Test func `everybody who asks for the end is told of it, and the journal is closed once`() async {
        for _ in 0..<3 { bench.store.later { [log = bench.log] in $0.shutDown { log.append("closed") } } }
        await bench.store.shutDown()
        bench.store.later { [log = bench.log] in $0.shutDown { log.append("closed") } }
        await bench.store.settle()
        #expect(bench.log.lines == ["closed", "closed", "closed", "closed"])
    }
}
