import Diffable
import Testing

@testable import DiffableStore

/// A start restores lists on two threads: short lists are copied and restored on the second, long ones are restored as they are
/// read.
struct ManyListsTests {
    let directory = ScratchDirectory()
    /// Bytes of a list's rows in the journal: none, few, and more than are copied.
    private let lengths = [0, 0, 200, 3_000, 40_000, 1_500_000]
    private let names = (0..<46).map { ListName(stringLiteral: "list \($0)") }
    /// Limits without checkpoints, which would delete rows.
    private let limits = StoreLimits(
        journalLengthMin: 1 << 30, idleMilliseconds: 1 << 30, history: HistoryLimits(lengthInAllMax: 1 << 30))

    private struct Past: Equatable {
        let revisions: [Revision]
        let states: [Remembered]
    }

    private func pasts(_ store: Store) async -> [ListName: Past] {
        await store.run { store in
            store.storedLists.mapValues { held in
                let revisions = held.history.newestRevisions(.max)
                let states = revisions.compactMap { held.history.state(at: $0.number - 1) }
                return Past(
                    revisions: revisions,
                    states: (states + [held.committed].compactMap(\.self)).map(Remembered.init))
            }
        }
    }

    private func fill(_ name: ListName, with length: Int, in store: Store) async throws {
        _ = try await store.creating(name, .durable).get()
        guard length > 0 else { return }
        _ = try await store.transacting(name, [.appendSections([Section(id: "s", items: [Item(id: "i")])])]).get()
        let steps = 1 + length / 20_000
        for step in 0..<steps {
            let text = String(repeating: "\(step % 10)", count: length / steps)
            let change = ItemReconfiguration(id: "i", content: Content(Array("\"\(text)\"".utf8)))
            _ = try await store.transacting(name, [.reconfigureItems([change])]).get()
        }
    }

    @Test func `lists of all lengths come back with their pasts, each under its name`() async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("seed \(seed)")
        var generator = RandomChanges(seed: seed).generator
        let store = try await directory.open(limits: limits)
        // So many lists of medium length that the second thread needs some time.
        let all = (lengths + (0..<40).map { _ in 60_000 }).shuffled(using: &generator)
        for (index, length) in all.enumerated() { try await fill(names[index], with: length, in: store) }
        let before = await pasts(store)
        await store.shutDown()
        let again = try await directory.open(limits: limits)
        #expect(await pasts(again) == before, "seed \(seed)")
        await again.shutDown()
    }

    @Test func `of several damaged lists the first is named`() async throws {
        let store = try await directory.open(limits: limits)
        for (index, length) in lengths.enumerated() { try await fill(names[index], with: length, in: store) }
        await store.shutDown()
        for damaged in [[2], [4, 5], [3, 4], [5]] {
            let copy = try directory.copied()
            for index in damaged {
                try copy.edit(
                    """
                    UPDATE journal SET operations = zeroblob(length(operations))
                    WHERE list = (SELECT number FROM list WHERE name = 'list \(index)') AND revision = 2
                    """)
            }
            let refusal = await #expect(throws: StoreOpeningError.self) { try await copy.open(limits: limits) }
            guard case .damaged(_, let list, let revision, _)? = refusal else {
                Issue.record("\(String(describing: refusal))")
                continue
            }
            #expect(list == "list \(damaged[0])" && revision == 2)
        }
    }
}
