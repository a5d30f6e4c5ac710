import Diffable
import Testing

@testable import DiffableStore

@Suite struct `A list's past` {
    private let bench = Bench()

    /// Appends items one by one, so that revision n has n items.
    private func fill(_ name: ListName, count: Int, of bench: Bench) async throws {
        _ = await bench.store.creating(name, .volatile)
        _ = try await bench.store.transacting(name, [.appendSections([Section(id: "s")])]).get()
        for number in 2..<count + 1 {
            let item = Item(id: ItemID(stringLiteral: "\(number)"))
            _ = try await bench.store.transacting(name, [.appendItems([item])]).get()
        }
    }

    @Test func `has every state, and says what led to it`() async throws {
        try await fill("tasks", count: 20, of: bench)
        for revision in 1...20 {
            let state = await bench.store.run { $0.list("tasks", at: revision) }
            #expect(state?.snapshot.numberOfItems == revision - 1)
        }
        #expect(await bench.store.run { $0.list("tasks", at: 21) } == nil)
        #expect(await bench.store.run { $0.list("tasks", at: -1) } == nil)
        let revisions = try #require(await bench.store.run { $0.history(of: "tasks") })
        #expect(revisions.map(\.number) == Array((1...20).reversed()))
        #expect(revisions.allSatisfy { $0.operations == 1 })
        #expect(await bench.store.run { $0.history(of: "absent") } == nil)
    }

    @Test func `is undone and redone`() async throws {
        try await fill("tasks", count: 5, of: bench)
        let before = await bench.store.run { $0.list("tasks")?.snapshot }
        let undone = try await bench.store.undoing("tasks").get()
        #expect(undone.revision == 6)
        #expect(undone.new.itemIdentifiers == ["2", "3", "4"])
        let redone = try await bench.store.undoing("tasks", .forward(1)).get()
        #expect(redone.revision == 7)
        #expect(redone.new == before)
        #expect(try await bench.store.undoing("tasks", to: 2).get().new.itemIdentifiers == ["2"])
        #expect(try await bench.store.undoing("tasks", to: 8).get().isChanged == false)
    }

    @Test func `is undone before it is on disk`() async throws {
        await bench.createDurable("tasks")
        // All in one call, because the first would sometimes be a group of its own.
        await bench.store.run { [log = bench.log] store in
            store.transact("tasks", [.appendSections([Section(id: "s", items: [Item(id: "a")])])]) { _ in }
            store.transact("tasks", [.deleteItems(["a"])]) { _ in }
            store.undo("tasks") { log.append("undo: \($0.map { $0.new.itemIdentifiers.map(\.description) })") }
        }
        await bench.store.settle()
        bench.journal.succeed()
        await bench.store.settle()
        #expect(bench.log.lines.last == #"undo: success(["a"])"#)
    }

    @Test func `ends where it is not kept`() async throws {
        let bench = Bench(limits: StoreLimits(history: HistoryLimits(lengthMax: 1_500)))
        try await fill("tasks", count: 50, of: bench)
        let oldest = try #require(await bench.store.run { $0.history(of: "tasks") }?.last?.number)
        #expect((40..<50).contains(oldest))
        #expect(await bench.store.run { $0.list("tasks", at: oldest - 2) } == nil)
        #expect(await bench.store.run { $0.list("tasks", at: oldest - 1) } != nil)
        let failure = await bench.store.undoing("tasks", to: 1).failure
        #expect(failure == .noSuchRevision("tasks", 1, oldest: oldest - 1, current: 50))
        #expect("\(failure!)".contains("its history has revisions \(oldest - 1) to 50"))
    }

    @Test func `is let go of without anybody asking for it`() async throws {
        let bench = Bench(limits: StoreLimits(history: HistoryLimits(lengthMax: 0)))
        try await fill("tasks", count: 5, of: bench)
        weak let before = await bench.store.run { $0.list("tasks") }
        #expect(before != nil)
        _ = try await bench.store.transacting("tasks", [.appendItems([Item(id: "new")])]).get()
        await bench.store.settle()
        #expect(before == nil)
    }

    @Test func `keeps states that were made again of few lists`() async throws {
        let names = (0..<20).map { ListName(stringLiteral: "tasks\($0)") }
        for name in names {
            try await fill(name, count: 20, of: bench)
            for revision in [3, 5] { #expect(await bench.store.run { $0.list(name, at: revision) } != nil) }
        }
        let kept = await bench.store.run { store in names.filter { store.storedLists[$0]!.history.hasRebuiltStates } }
        #expect(kept == Array(names.suffix(16)))
    }

    @Test func `does not outlive the list`() async throws {
        try await fill("tasks", count: 5, of: bench)
        _ = try await bench.store.deleting("tasks").get()
        #expect(await bench.store.run { $0.list("tasks", at: 3) } == nil)
        _ = await bench.store.creating("tasks", .volatile)
        #expect(await bench.store.run { $0.history(of: "tasks") } == [])
        #expect(
            await bench.store.undoing("tasks").failure
                == .nothingToUndo("tasks", isRedo: false, wanted: 1, found: 0, current: 0))
    }
}
