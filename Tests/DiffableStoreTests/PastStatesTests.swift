import Diffable
import DiffableJSON
import Testing

@testable import DiffableStore

/// Compares states that were restored from history with the original ones.
struct PastStatesTests {
    private let directory = ScratchDirectory()

    @Test(arguments: [Durability.volatile, .durable], [1 << 20, 20_000])
    func `a state that is made again is the one that was there`(durability: Durability, lengthMax: Int) async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        let limits = StoreLimits(journalLengthMin: 300, history: HistoryLimits(lengthMax: lengthMax))
        var changes = RandomChanges(seed: seed)
        var store = try await directory.open(limits: limits)
        _ = try await store.creating("tasks", durability).get()
        var states = [try #require(await store.list("tasks"))]
        var starts: [Int] = []
        for step in 0..<1_300 {
            try await change(store, step, &changes)
            let state = try #require(await store.list("tasks"))
            // A request may have changed nothing.
            if state.revision == states.count { states.append(state) }
            try #require(state.revision == states.count - 1, "seed \(seed), step \(step)")
            if step % 7 == 0 {
                try await compare(store, states, starts, "seed \(seed), step \(step)", &changes.generator)
            }
            if step % 400 == 399, durability == .durable {
                await store.shutDown()
                store = try await directory.open(limits: limits)
                starts.append(state.revision)
            }
            if step == 600 {
                _ = try await store.renaming("tasks", to: "others").get()
                _ = try await store.renaming("others", to: "tasks").get()
            }
            if step == 700 {
                try await deleteAndUndelete(store)
                // A packed state does not record earlier requests to redraw items.
                starts += Array(0...state.revision)
            }
        }
        await store.shutDown()
    }

    private func deleteAndUndelete(_ store: Store) async throws {
        let before = try #require(await store.list("tasks"))
        _ = try await store.deleting("tasks").get()
        await store.settle()
        let isPacked = await store.run { store in
            store.deletions.values.contains {
                $0.head?.kept.whole == nil && $0.committed?.history.wholeStates.isEmpty == true
            }
        }
        #expect(isPacked)
        _ = try await store.undeleting("tasks").get()
        let after = try #require(await store.list("tasks"))
        #expect(Remembered(after) == Remembered(before))
    }

    /// Sends a request: a small one, one too long to be packed, a return to an earlier state, or two redraws of an item.
    private func change(_ store: Store, _ step: Int, _ changes: inout RandomChanges) async throws {
        let snapshot = try #require(await store.list("tasks")).snapshot
        switch step % 150 {
        case 100:
            let text = String(repeating: "x", count: 70_000)
            _ = try await store.transacting("tasks", [.reconfigureList(Content(Array("\"\(step)\(text)\"".utf8)))])
                .get()
        case let step where step % 10 == 5:
            // The diff contains a redraw once.
            guard let item = snapshot.itemIdentifiers.randomElement(using: &changes.generator) else { break }
            let asked = [ItemReconfiguration(id: item)]
            _ = try await store.transacting("tasks", [.reconfigureItems(asked), .reconfigureItems(asked)]).get()
        case 101...103: _ = try await store.undoing("tasks", step % 2 == 0 ? .forward(1) : .back(1)).get()
        case 120:
            let target = Target.whole(try snapshot.applying([changes.operation(on: snapshot)]).sections)
            _ = try await store.applying("tasks", target, delivery: .reload).get()
        default:
            _ = try await store.transacting("tasks", [changes.operation(on: snapshot)]).get()
        }
    }

    /// Encodes operations in a fixed order, because the order of expansions and reloads changes at a restart.
    private func bytes(_ operations: [ListOperation]) -> [UInt8] { OperationsWriter.array(operations).sorted() }

    /// Compares a few states, some of them consecutive, and the diffs between them.
    private func compare(
        _ store: Store, _ states: [ListState], _ starts: [Int], _ what: String,
        _ generator: inout some RandomNumberGenerator
    ) async throws {
        let revisions = try #require(await store.run { $0.history(of: "tasks") })
        let oldest = (revisions.last?.number ?? states.count) - 1
        #expect(await store.run { $0.list("tasks", at: oldest - 1) } == nil, "\(what)")
        var revision = Int.random(in: oldest..<states.count, using: &generator)
        var earlier: ListState?
        for _ in 0..<4 {
            let (wanted, expected) = (revision, states[revision])
            let found = await store.run { $0.list("tasks", at: wanted) }
            let state = try #require(found)
            #expect(Remembered(state) == Remembered(expected), "\(what), revision \(revision)")
            // Redraws are counted from zero after a restart.
            if let earlier, !starts.contains(where: { (earlier.revision..<revision).contains($0) }) {
                let difference = state.snapshot.difference(from: earlier.snapshot)
                let differenceThen = expected.snapshot.difference(from: states[earlier.revision].snapshot)
                #expect(
                    bytes(difference) == bytes(differenceThen),
                    "\(what), revisions \(earlier.revision) to \(revision)")
            }
            earlier = state
            revision = min(states.count - 1, revision + Int.random(in: 0..<40, using: &generator))
        }
    }
}
