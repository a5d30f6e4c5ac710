import TestSupport
import Testing

@testable import Diffable

/// The recorded diff of an operation equals the computed one.
@Suite struct KnownDifferenceTests {
    @Test(arguments: 0..<4)
    func `the difference after one operation is the one that a search finds`(run: Int) throws {
        var random = SplitMix64()
        var snapshot = Snapshot()
        var applied = 0
        for _ in 0..<3_000 {
            let operation = ListOperation.random(for: snapshot, &random)
            guard let next = try? snapshot.applying([operation]) else { continue }
            let expected = next.difference(from: snapshot).lines
            #expect(
                next.difference(from: snapshot, after: [operation]).lines == expected,
                "\(operation), seed \(random.seed)")
            applied += 1
            // Small lists have the most corner cases.
            snapshot = applied % 40 == 0 ? Snapshot() : next
        }
        #expect(applied > 500)
    }

    @Test func `what changes nothing is no difference`() throws {
        let snapshot = try Snapshot(outline: "s: a b+(c)")
            .applying([.reconfigureItems([ItemReconfiguration(id: "a", content: "1")])])
        let operations: [ListOperation] = [
            .appendItems([], to: .section("s")), .deleteItems(["x"], .isPassedOver), .expandItems(["b"]),
            .collapseItems(["a"]), .reconfigureItems([ItemReconfiguration(id: "a", content: "1")]),
            .patchItems([ItemPatch(id: "a") { $0 }]), .reconfigureList(nil), .patchList(ListPatch { $0 }),
        ]
        for operation in operations {
            let next = try snapshot.applying([operation])
            #expect(next.difference(from: snapshot, after: [operation]).isEmpty, "\(operation)")
        }
    }

    @Test func `several operations are compared as a whole`() throws {
        let snapshot = try Snapshot(outline: "s: a b")
        let operations: [ListOperation] = [.deleteItems(["a"]), .appendItems([Item(id: "a")], to: .section("s"))]
        let next = try snapshot.applying(operations)
        #expect(next.difference(from: snapshot, after: operations).lines == next.difference(from: snapshot).lines)
    }
}
