import Diffable
import DiffableJSON
import Testing

/// Written parts of any length mean the same when they are read.
struct PartsPropertyTests {
    /// Random seeds. A failure prints its seed, and `RandomLists(seed:)` repeats it.
    private static let seeds: [UInt64] = (0..<150).map { _ in UInt64.random(in: 0 ... .max) }

    @Test func `operations in parts make what the operations make`() throws {
        for seed in Self.seeds {
            var lists = RandomLists(seed: seed)
            let start = try lists.snapshot()
            let (operations, expected) = try lists.operations(on: start)
            for limit in [0, lists.number(1..<400), 65_535, .max] {
                let parts = parts(OperationsWriter(operations), limit: limit)
                try check(parts, limit: limit, from: start, to: expected, "seed \(seed), limit \(limit)")
            }
        }
    }

    @Test func `a difference in parts makes the new snapshot`() throws {
        for seed in Self.seeds {
            var lists = RandomLists(seed: seed)
            let old = try lists.snapshot()
            let (_, new) = try lists.operations(on: old)
            let difference = new.difference(from: old)
            for limit in [0, lists.number(1..<400), .max] {
                let parts = parts(OperationsWriter(difference), limit: limit)
                try check(parts, limit: limit, from: old, to: new, "seed \(seed), limit \(limit)")
            }
        }
    }

    @Test func `a reset in parts makes the snapshot, under every limit`() throws {
        for seed in Self.seeds.prefix(5) {
            var lists = RandomLists(seed: seed)
            let snapshot = try lists.snapshot()
            let length = parts(OperationsWriter(resetTo: snapshot), limit: .max)[0].utf8.count
            for limit in 0...length {
                let parts = parts(OperationsWriter(resetTo: snapshot), limit: limit)
                try check(parts, limit: limit, from: Snapshot(), to: snapshot, "seed \(seed), limit \(limit)")
            }
        }
    }

    @Test func `a snapshot in pieces is the snapshot's one canonical text`() throws {
        for seed in Self.seeds {
            var lists = RandomLists(seed: seed)
            let snapshot = try lists.snapshot()
            var whole = ByteWriter()
            whole.appendSnapshot(WholeList(snapshot), expansion: .canonical)
            for limit in [0, lists.number(1..<200), .max] {
                var snapshotWriter = TreeWriter(snapshot)
                var bytes: [UInt8] = []
                var progress = Progress.more
                while case .more = progress {
                    var writer = ByteWriter()
                    progress = snapshotWriter.write(into: &writer, upTo: limit)
                    bytes += writer.bytes
                }
                #expect(bytes == whole.bytes, "seed \(seed), limit \(limit)")
            }
            let read = try Snapshot(decodeSnapshot(String(decoding: whole.bytes, as: UTF8.self)))
            #expect(read == snapshot, "seed \(seed)")
        }
    }

    /// Checks that the parts decode, keep the limit unless they hold a single element, and make the snapshot.
    private func check(
        _ parts: [String], limit: Int, from start: Snapshot, to expected: Snapshot, _ comment: String
    ) throws {
        var snapshot = start
        for part in parts {
            let operations = try decodeOperations(part)
            snapshot = try snapshot.applying(operations)
            if part.utf8.count - 2 > limit { #expect(numberOfElements(operations) <= 1, "\(comment): \(part)") }
        }
        #expect(snapshot == expected, "\(comment)")
    }

    private func numberOfElements(_ operations: [ListOperation]) -> Int {
        func count(_ items: [Item]) -> Int { items.reduce(0) { $0 + 1 + count($1.children) } }
        func count(_ sections: [Section]) -> Int { sections.reduce(0) { $0 + 1 + count($1.items) } }
        return operations.reduce(0) { number, operation in
            switch operation {
            case .appendSections(let sections), .insertSections(let sections, _): number + count(sections)
            case .appendItems(let items, _), .insertItems(let items, _): number + count(items)
            case .deleteSections(let ids, _): number + ids.count
            case .deleteItems(let ids, _): number + ids.count
            case .expandItems(let ids), .collapseItems(let ids), .foldItems(let ids), .unfoldItems(let ids):
                number + ids.count
            case .reloadSections(let sections): number + sections.count
            case .reconfigureItems(let items): number + items.count
            case .patchItems(let items): number + items.count
            case .reloadItems(let items): number + items.count
            // These are never split.
            case .reconfigureList, .patchList, .replaceChildren, .moveItem, .moveSection, .deleteAllItems: number + 1
            }
        }
    }
}
