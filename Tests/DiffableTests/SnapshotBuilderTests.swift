import TestSupport
import Testing

@testable import Diffable

@Suite struct SnapshotBuilderTests {
    /// Rebuilds a snapshot from a cursor.
    private func rebuilt(_ snapshot: Snapshot) throws -> Snapshot {
        var builder = SnapshotBuilder()
        builder.set(list: snapshot.listRecord)
        var cursor = SnapshotCursor(snapshot)
        while let element = cursor.next() {
            switch element {
            case .section(let record):
                try record.withID { id in try record.withContent { try builder.append(section: id, content: $0) } }
            case .item(let record, let level, let isExpanded, _):
                #expect(level <= builder.levelMax)
                record.withID { id in
                    record.withKind { kind in
                        record.withContent { content in
                            builder.append(
                                item: id, kind: kind, content: content, level: level, isExpanded: isExpanded)
                        }
                    }
                }
            }
        }
        return try builder.finished()
    }

    @Test(arguments: ["", "s:", "s:; t:", "s: a", "s: a b c; t: d", "s: a(b(c d) e) f+(g); t:; u: h(i(j(k)))"])
    func `what a cursor reads is built again`(outline: String) throws {
        let snapshot = try Snapshot(outline: outline)
        let again = try rebuilt(snapshot)
        #expect(again == snapshot)
        again.checkInvariants()
    }

    @Test(arguments: 0..<8)
    func `random outlines are built again, and go on as the original does`(run: Int) throws {
        var random = SplitMix64()
        let model = Model.random([0, 3, 40, 700][run % 4], of: 1_000, &random)
        var snapshot = try model.snapshot
        var again = try rebuilt(snapshot)
        #expect(again == snapshot, "seed \(random.seed)")
        again.checkInvariants()
        for _ in 0..<200 {
            let operation = ListOperation.random(for: snapshot, &random)
            guard let next = try? snapshot.applying([operation]) else { continue }
            snapshot = next
            again = try again.applying([operation])
        }
        #expect(again == snapshot, "seed \(random.seed)")
        again.checkInvariants()
    }

    @Test func `an id that stands twice is refused`() throws {
        var builder = SnapshotBuilder()
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        try "a".withBytes { id in
            try builder.append(section: id, content: none)
            builder.append(item: id, kind: none, content: none, level: 0, isExpanded: false)
            builder.append(item: id, kind: none, content: none, level: 1, isExpanded: false)
            #expect(throws: OperationError.duplicateSection("a")) { try builder.append(section: id, content: none) }
        }
        #expect(throws: OperationError.duplicateItem("a")) { _ = try builder.finished() }
    }
}

extension String {
    fileprivate func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try Array(utf8).withUnsafeBytes(body)
    }
}
