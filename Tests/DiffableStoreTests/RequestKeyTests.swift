import Diffable
import DiffableJSON
import Synchronization
import Testing

@testable import DiffableStore

/// The result of a request that is repeated under its key.
@Suite struct `A request with a key` {
    private let bench = Bench()
    private let milk: [ListOperation] = [.appendItems([Item(id: "milk")])]

    /// A list with one section, at revision 1.
    private func prepare(_ durability: Durability = .volatile, on bench: Bench) async throws {
        if durability == .durable {
            await bench.createDurable("tasks")
            bench.transact("tasks", bench.section("today"))
            await bench.settleJournal()
        } else {
            _ = try await bench.store.creating("tasks", .volatile).get()
            _ = try await bench.store.transacting("tasks", bench.section("today")).get()
        }
        bench.log.clear()
    }

    @Test func `is made once and answered twice`() async throws {
        try await prepare(on: bench)
        let store = bench.store
        let first = try await store.transacting("tasks", milk, key: "k").get()
        _ = try await store.transacting("tasks", [.deleteItems(["milk"])]).get()
        let again = try await store.transacting("tasks", milk, key: "k").get()
        #expect(first.revision == 2 && again.revision == 2)
        #expect(again.isChanged && again.summary == nil)
        #expect(await store.list("tasks")?.revision == 3)
        #expect(await store.list("tasks")?.snapshot.numberOfItems == 0)
    }

    @Test func `is answered as it was also when nothing changed`() async throws {
        try await prepare(on: bench)
        let store = bench.store
        let removal: [ListOperation] = [.deleteItems(["milk"], .isPassedOver)]
        #expect(try await store.transacting("tasks", removal, key: "k").get().isChanged == false)
        _ = try await store.transacting("tasks", milk).get()
        let again = try await store.transacting("tasks", removal, key: "k").get()
        #expect(again.revision == 1 && !again.isChanged)
        #expect(await store.list("tasks")?.snapshot.numberOfItems == 1)
        #expect(await store.statistics.transactions == 3, "the creation, the section and the milk")
    }

    @Test func `is answered also when the list has moved on from its condition`() async throws {
        try await prepare(on: bench)
        let store = bench.store
        #expect(try await store.transacting("tasks", milk, ifRevision: 1, key: "k").get().revision == 2)
        #expect(try await store.transacting("tasks", milk, ifRevision: 1, key: "k").get().revision == 2)
        #expect(try await store.transacting("tasks", milk, ifRevision: 2, key: "k").get().revision == 2)
        #expect(try await store.transacting("tasks", milk, key: "k").get().revision == 2)
    }

    @Test func `is not taken for another change under the same key`() async throws {
        try await prepare(on: bench)
        let store = bench.store
        _ = try await store.transacting("tasks", milk, key: "k").get()
        let reused = StoreError.requestKeyReused("tasks", "k")
        #expect(await store.transacting("tasks", [.appendItems([Item(id: "tea")])], key: "k").failure == reused)
        #expect(await store.transacting("tasks", [], key: "k").failure == reused)
        #expect(await store.undoing("tasks", key: "k").failure == reused)
        #expect(await store.applying("tasks", .operations(milk), key: "k").failure == reused)
        #expect(await store.list("tasks")?.revision == 2)
        // The key belongs to the list.
        _ = try await store.creating("other", .volatile).get()
        #expect(try await store.transacting("other", bench.section("s"), key: "k").get().revision == 1)
    }

    @Test func `keeps the summary of its first answer`() async throws {
        try await prepare(on: bench)
        let store = bench.store
        let target = Target.section("today", [Item(id: "milk"), Item(id: "tea")])
        let first = try await store.applying("tasks", target, key: "k").get()
        let again = try await store.applying("tasks", target, key: "k").get()
        #expect(first.summary?.insertedItems == 2 && again.summary == first.summary)
        let undone = try await store.undoing("tasks", key: "u").get()
        let undoneAgain = try await store.undoing("tasks", key: "u").get()
        #expect(undone.revision == 3 && undoneAgain.revision == 3)
        #expect(undone.summary?.deletedItems == 2 && undoneAgain.summary == undone.summary)
        #expect(undone.undoStep == UndoStep(from: 2, to: 1) && undoneAgain.undoStep == undone.undoStep)
    }

    @Test func `that was refused may be made under the same key later`() async throws {
        try await prepare(on: bench)
        let store = bench.store
        #expect(await store.transacting("tasks", milk, ifRevision: 7, key: "k").failure != nil)
        #expect(await store.transacting("tasks", [.deleteItems(["milk"])], key: "k").failure != nil)
        #expect(try await store.transacting("tasks", milk, key: "k").get().revision == 2)
    }

    @Test func `is only tried by a dry run, which leaves keys alone`() async throws {
        try await prepare(on: bench)
        let store = bench.store
        #expect(try await store.transacting("tasks", milk, key: "k", mode: .dryRun).get().isChanged)
        #expect(try await store.transacting("tasks", milk, key: "k").get().revision == 2)
        let section = bench.section("later")
        #expect(try await store.transacting("tasks", section, key: "k", mode: .dryRun).get().operations.count == 1)
    }

    @Test func `means nothing to a list that took the name of a deleted one`() async throws {
        try await prepare(on: bench)
        let store = bench.store
        _ = try await store.transacting("tasks", milk, key: "k").get()
        _ = try await store.deleting("tasks").get()
        try await prepare(on: bench)
        #expect(try await store.transacting("tasks", milk, key: "k").get().revision == 2)
        #expect(await store.list("tasks")?.snapshot.numberOfItems == 1)
    }

    // MARK: On its way to the disk

    @Test(arguments: [true, false])
    func `waits for the first one when that is still on its way`(isWritten: Bool) async throws {
        try await prepare(.durable, on: bench)
        bench.transact("tasks", milk, key: "k")
        if isWritten { await bench.store.settle() }
        bench.transact("tasks", milk, key: "k")
        bench.transact("tasks", [], key: "k")
        await bench.store.settle()
        #expect(bench.log.lines == [])
        bench.journal.succeed()
        await bench.store.settle()
        #expect(
            bench.log.lines == ["transact tasks: at 2", "transact tasks: at 2", "transact tasks: requestKeyReused"])
        #expect(bench.journal.waitingGroups == [])
    }

    @Test(arguments: [JournalError.noSpace, .failed(reason: "I/O error")])
    func `has not used its key when the disk did not take it`(error: JournalError) async throws {
        try await prepare(.durable, on: bench)
        bench.transact("tasks", milk, key: "a")
        await bench.store.settle()
        bench.transact("tasks", milk, key: "a")
        bench.transact("tasks", [], key: "b")
        bench.transact("tasks", bench.section("later"), key: "c")
        await bench.store.settle()
        bench.journal.fail(error)
        await bench.store.settle()
        let name = error == .noSpace ? "noSpace" : "storageFailed"
        #expect(bench.log.lines.prefix(4) == ArraySlice(Array(repeating: "transact tasks: \(name)", count: 4)))
        guard error == .noSpace else { return }
        bench.log.clear()
        bench.transact("tasks", bench.section("later"), key: "a")
        bench.transact("tasks", milk, key: "b")
        await bench.settleJournal()
        #expect(bench.log.lines == ["transact tasks: at 2", "transact tasks: at 3"])
    }

    @Test func `keeps its key when only what came after it was refused`() async throws {
        try await prepare(.durable, on: bench)
        bench.transact("tasks", milk, key: "k")
        await bench.settleJournal()
        bench.delete("tasks")
        await bench.store.settle()
        bench.journal.fail(.noSpace)
        await bench.store.settle()
        bench.log.clear()
        bench.transact("tasks", milk, key: "k")
        await bench.store.settle()
        #expect(bench.log.lines == ["transact tasks: at 2"])
    }

    @Test func `that changed nothing is written down, and one without a key is not`() async throws {
        try await prepare(.durable, on: bench)
        await bench.watchCommits()
        bench.transact("tasks", [])
        await bench.store.settle()
        #expect(bench.log.lines == ["transact tasks: at 1, unchanged"])
        bench.transact("tasks", [], key: "k")
        await bench.store.settle()
        #expect(bench.journal.waitingGroups == [1])
        bench.journal.succeed()
        await bench.store.settle()
        #expect(bench.log.lines.dropFirst() == ["transact tasks: at 1, unchanged"], "nobody hears of it")
    }

    // MARK: Bounds

    @Test func `is remembered as long as there is room for its key`() async throws {
        let bench = Bench(limits: StoreLimits(requests: RequestLimits(keysMax: 3)))
        try await prepare(on: bench)
        let store = bench.store
        func append(_ number: Int) async throws -> Int {
            let items = [Item(id: .numbered(number))]
            let key: RequestKey = .numbered(number)
            return try await store.transacting("tasks", [.appendItems(items)], key: key).get().revision
        }
        for number in 1...3 { #expect(try await append(number) == number + 1) }
        #expect(try await append(1) == 2, "the third key has room beside it")
        #expect(try await append(4) == 5)
        #expect(await store.transacting("tasks", [.appendItems([Item(id: "1")])], key: "1").failure != nil)
        for number in 2...4 { #expect(try await append(number) == number + 1) }
    }

    @Test func `is not forgotten for keys that are not on disk`() async throws {
        let bench = Bench(limits: StoreLimits(requests: RequestLimits(keysMax: 1)))
        try await prepare(.durable, on: bench)
        bench.transact("tasks", milk, key: "a")
        await bench.settleJournal()
        bench.transact("tasks", bench.section("b"), key: "b")
        bench.transact("tasks", bench.section("c"), key: "c")
        await bench.store.settle()
        bench.transact("tasks", bench.section("b"), key: "b")
        bench.journal.fail(.noSpace)
        await bench.store.settle()
        bench.log.clear()
        bench.transact("tasks", milk, key: "a")
        await bench.store.settle()
        #expect(bench.log.lines == ["transact tasks: at 2"])
    }

    @Test func `is remembered for as long as keys are`() async throws {
        let time = TestClock()
        let bench = Bench(limits: StoreLimits(requests: RequestLimits(ageMax: 60)), clock: time.clock)
        try await prepare(on: bench)
        let store = bench.store
        #expect(try await store.transacting("tasks", milk, key: "k").get().revision == 2)
        time.pass(seconds: 60)
        #expect(try await store.transacting("tasks", milk, key: "k").get().revision == 2)
        time.pass(seconds: 0.001)
        #expect(try await store.transacting("tasks", bench.section("later"), key: "k").get().revision == 3)
        #expect(try await store.transacting("tasks", bench.section("later"), key: "k").get().revision == 3)
    }
}

@Suite struct `The digest of a request` {
    private func digest(_ json: String) throws -> Int64 {
        var json = json
        return try json.withUTF8 { bytes in
            RequestDigest.of(transact: try [ListOperation](json: UnsafeRawBufferPointer(bytes), limits: .server))
        }
    }

    @Test func `does not depend on how the line was written`() throws {
        let first = try digest(
            #"[{"op":"insertItems","section":"s","after":null,"items":[{"id":"é","content":{"a":1}}]}]"#)
        let second = try digest(
            #" [ {"items":[{"content":{ "a" : 1 },"id":"\u00e9"}], "after":null, "section":"s", "op":"insertItems"} ] "#
        )
        #expect(first == second)
    }

    @Test func `tells what was asked apart`() throws {
        let one = [Item(id: "a", isExpanded: false)]
        let two = [Item(id: "a")]
        let digests = [
            RequestDigest.of(transact: []),
            RequestDigest.of(transact: [.appendItems(one)]), RequestDigest.of(transact: [.appendItems(two)]),
            RequestDigest.of(transact: [.deleteItems(["a"])]),
            RequestDigest.of(transact: [.deleteItems(["a"], .isPassedOver)]),
            RequestDigest.of(undo: .back(1)), RequestDigest.of(undo: .revision(0)),
            RequestDigest.of(undo: .revision(1)),
            RequestDigest.of(undo: .back(2)), RequestDigest.of(undo: .forward(1)), RequestDigest.of(undo: .forward(2)),
            RequestDigest.of(apply: .section("s", one), delivery: .difference),
            RequestDigest.of(apply: .section("s", one), delivery: .reload),
            RequestDigest.of(apply: .section("t", one), delivery: .difference),
            RequestDigest.of(apply: .whole([Section(id: "s", items: one)]), delivery: .difference),
            RequestDigest.of(apply: .whole([Section(id: "s", items: two)]), delivery: .difference),
            RequestDigest.of(apply: .whole([Section(id: "s", items: two)], content: .some(nil)), delivery: .difference),
            RequestDigest.of(transact: [.reconfigureList(nil)]),
        ]
        #expect(Set(digests).count == digests.count)
    }

    @Test func `goes over every piece of a long request`() {
        let content = Content(Array("\"\(String(repeating: "x", count: 1_000))\"".utf8))
        let items = (0..<1_000).map { Item(id: .numbered($0), content: content) }
        var digests: Set<Int64> = [RequestDigest.of(transact: [.appendItems(items)])]
        for changed in [0, 1, 500, 998, 999] {
            var others = items
            others[changed] = Item(id: .numbered(changed), content: nil)
            digests.insert(RequestDigest.of(transact: [.appendItems(others)]))
        }
        digests.insert(RequestDigest.of(transact: [.appendItems(items.reversed())]))
        #expect(digests.count == 7)
    }
}
