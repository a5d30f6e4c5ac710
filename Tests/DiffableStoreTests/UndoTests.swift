import Diffable
import TestSupport
import Testing

@testable import DiffableStore

/// Undo and redo, which depend on the history alone.
struct UndoTests {
    private let directory = ScratchDirectory()
    private let bench = Bench()

    private func append(_ item: ItemID, to store: Store) async throws {
        _ = try await store.transacting("tasks", [.appendItems([Item(id: item)])]).get()
    }

    private func items(_ outcome: Outcome) -> String { outcome.new.itemIdentifiers.map(\.description).joined() }

    @Test func `each undo goes back by one more change, and each redo goes forward`() async throws {
        let store = bench.store
        _ = await store.creating("tasks", .volatile)
        for item in ["a", "b", "c", "d"] as [ItemID] { try await append(item, to: store) }
        for (expected, step) in [("abc", (4, 3)), ("ab", (3, 2)), ("a", (2, 1))] {
            let undone = try await store.undoing("tasks").get()
            #expect(items(undone) == expected)
            #expect(undone.undoStep == UndoStep(from: step.0, to: step.1))
        }
        for (expected, step) in [("ab", (1, 2)), ("abc", (2, 3))] {
            let redone = try await store.undoing("tasks", .forward(1)).get()
            #expect(items(redone) == expected)
            #expect(redone.undoStep == UndoStep(from: step.0, to: step.1))
        }
        // After another change there is nothing to redo, and undo skips the undone changes.
        try await append("e", to: store)
        #expect(
            await store.undoing("tasks", .forward(1)).failure
                == .nothingToUndo("tasks", isRedo: true, wanted: 1, found: 0, current: 10))
        #expect(items(try await store.undoing("tasks").get()) == "abc")
        #expect(items(try await store.undoing("tasks", .back(2)).get()) == "a")
        #expect(items(try await store.undoing("tasks", .forward(3)).get()) == "abce")
        let tooMany = await store.undoing("tasks", .back(5)).failure
        #expect(tooMany == .nothingToUndo("tasks", isRedo: false, wanted: 5, found: 4, current: 13))
        #expect("\(tooMany!)".contains("only 4 changes of the list \"tasks\" can be undone, not 5"))
        #expect(items(try await store.undoing("tasks", .back(4)).get()) == "")
        #expect(
            await store.undoing("tasks").failure
                == .nothingToUndo("tasks", isRedo: false, wanted: 1, found: 0, current: 14))
        let steps = try #require(await store.run { $0.history(of: "tasks") }).map(\.undoStep)
        #expect(steps[0] == UndoStep(from: 10, to: 0) && steps[4] == nil)
    }

    @Test func `restoring a revision is an undo or a redo if the revision is on the path`() async throws {
        let store = bench.store
        _ = await store.creating("tasks", .volatile)
        for item in ["a", "b", "c"] as [ItemID] { try await append(item, to: store) }
        #expect(try await store.undoing("tasks", to: 1).get().undoStep == UndoStep(from: 3, to: 1))
        #expect(try await store.undoing("tasks", to: 3).get().undoStep == UndoStep(from: 1, to: 3))
        #expect(try await store.undoing("tasks", to: 4).get().undoStep == UndoStep(from: 3, to: 1))
        try await append("d", to: store)
        let restored = try await store.undoing("tasks", to: 3).get()
        #expect(items(restored) == "abc" && restored.undoStep == nil)
        #expect(items(try await store.undoing("tasks").get()) == "ad", "it is undone like any other change")
        #expect(items(try await store.undoing("tasks").get()) == "a")
    }

    @Test func `undo skips requests to redraw`() async throws {
        let store = bench.store
        _ = await store.creating("tasks", .volatile)
        for item in ["a", "b"] as [ItemID] { try await append(item, to: store) }
        let redraw = [ListOperation.reconfigureItems([ItemReconfiguration(id: "a")])]
        _ = try await store.transacting("tasks", redraw).get()
        #expect(items(try await store.undoing("tasks").get()) == "a")
        _ = try await store.transacting("tasks", redraw).get()
        #expect(items(try await store.undoing("tasks").get()) == "")
        #expect(items(try await store.undoing("tasks", .forward(2)).get()) == "ab")
    }

    @Test func `changes that are not on disk yet are undone and redone`() async throws {
        await bench.createDurable("tasks")
        await bench.store.run { [log = bench.log] store in
            for item in ["a", "b"] as [ItemID] { store.transact("tasks", [.appendItems([Item(id: item)])]) { _ in } }
            for target in [UndoTarget.back(1), .back(1), .forward(1), .back(2), .forward(1)] {
                store.undo("tasks", target) { result in
                    log.append("\(result.map { $0.new.itemIdentifiers.map(\.description).joined() })")
                }
            }
        }
        await bench.store.settle()
        bench.journal.succeed()
        await bench.store.settle()
        #expect(
            bench.log.lines.suffix(5).map { $0.split(separator: "(").first ?? "" }
                == ["success", "success", "success", "failure", "success"], "\(bench.log.lines)")
        #expect(bench.log.lines.last == #"success("ab")"#)
    }

    /// Keeps every state on the path, and the list's place on it.
    private struct Model {
        var path: [String] = [""]
        var place = 0

        mutating func change(_ state: String) {
            path.removeSubrange((place + 1)...)
            path.append(state)
            place += 1
        }

        /// Returns the state after a number of steps. Nil if there are fewer.
        mutating func move(_ steps: Int) -> String? {
            guard path.indices.contains(place + steps) else { return nil }
            place += steps
            return path[place]
        }
    }

    @Test(arguments: [Durability.volatile, .durable], [1 << 20, 600])
    func `random undos and redos match a model that keeps all states, across restarts`(
        durability: Durability, lengthMax: Int
    ) async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var random = SplitMix64(seed: seed)
        let limits = StoreLimits(
            journalLengthMin: 300, checkpointPartLengthMax: 500, history: HistoryLimits(lengthMax: lengthMax))
        var store = try await directory.open(limits: limits)
        _ = try await store.creating("tasks", durability).get()
        var model = Model()
        var succeeded = 0
        for step in 0..<400 {
            let what = "seed \(seed), step \(step)"
            // A short history may lose intermediate states.
            let count = lengthMax > 1_000 && Int.random(in: 0..<4, using: &random) == 0 ? 2 : 1
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3:
                try await append(.numbered(step), to: store)
                let state = try #require(await store.list("tasks")).snapshot
                model.change(state.itemIdentifiers.map(\.description).joined(separator: " "))
            case 3:
                guard let item = try #require(await store.list("tasks")).snapshot.itemIdentifiers.first else { break }
                _ = try await store.transacting("tasks", [.reloadItems([ItemReload(id: item)])]).get()
            case let choice:
                let isUndo = choice < 7
                let result = await store.undoing("tasks", isUndo ? .back(count) : .forward(count))
                var after = model
                let expected = after.move(isUndo ? -count : count)
                if case .success(let outcome) = result {
                    let found = outcome.new.itemIdentifiers.map(\.description).joined(separator: " ")
                    #expect(found == expected, "\(what)")
                    model = after
                    succeeded += 1
                } else if lengthMax > 1_000 {
                    #expect(expected == nil, "\(what): \(result)")
                }
            }
            if durability == .durable, Int.random(in: 0..<20, using: &random) == 0 {
                await store.shutDown()
                store = try await directory.open(limits: limits)
            }
        }
        #expect(succeeded > 50, "seed \(seed)")
        await store.shutDown()
    }
}
