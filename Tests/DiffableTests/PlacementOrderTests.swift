import TestSupport
import Testing

@testable import Diffable

/// The order of placements in a diff, as docs/protocol-operations.md promises it.
@Suite struct `Placements come in the order of the document` {
    /// Orders placements by the new state; a move into newly inserted items follows their insertion.
    private func expectOrder(_ difference: [ListOperation], _ new: Snapshot, _ seed: UInt64) {
        var last = (-1, -1)
        var run = 0..<0
        for operation in difference {
            let handle: Handle?
            var end: Handle?
            switch operation {
            case .insertSections(let sections, _):
                (handle, end) = (new.handle(sections[0].id), new.handle(sections[sections.count - 1].id))
            case .insertItems(let items, _):
                (handle, end) = (new.handle(items[0].id), new.handle(items[items.count - 1].id))
            case .moveSection(let id, _): handle = new.handle(id)
            case .moveItem(let id, _): handle = new.handle(id)
            default: continue
            }
            guard let handle else { return }
            let offset = new.forest.documentOffset(handle)
            let place = end == nil && run.contains(offset) ? (run.lowerBound, offset) : (offset, -1)
            #expect(place > last, "seed \(seed): \(operation)")
            last = place
            if let end { run = offset..<new.forest.documentOffset(end) + new.forest.weight(end) }
        }
    }

    @Test func `in outlines of any shape`() throws {
        var random = SplitMix64()
        for _ in 0..<300 {
            let old = try Model.random(40, of: 60, &random).snapshot
            let new = try Model.random(40, of: 60, &random).snapshot
            expectOrder(new.difference(from: old), new, random.seed)
        }
    }

    @Test func `however many there are`() throws {
        var random = SplitMix64()
        func list() throws -> Snapshot {
            let items = try (0..<5_000).shuffled(using: &random).prefix(4_000).map {
                Item(id: try ItemID("\($0)"), children: [])
            }
            // Every tenth item has the next nine as children.
            return try Snapshot([
                Section(
                    id: "s",
                    items: stride(from: 0, to: items.count, by: 10).map { start in
                        Item(id: items[start].id, children: Array(items[start + 1..<start + 10]))
                    })
            ])
        }
        let (old, new) = (try list(), try list())
        let difference = new.difference(from: old)
        #expect(difference.count > 3_000)
        expectOrder(difference, new, random.seed)
    }
}
