import Testing

@testable import Diffable

@Suite("What keeping a state takes") struct LengthKeptTests {
    private static func list(of size: Int) throws -> Snapshot {
        let items = try (0..<size).map { Item(id: try ItemID("i\($0)"), content: Content(Array("1234".utf8))) }
        return try Snapshot([Section(id: "s", items: items)])
    }

    private static func length(_ operations: [ListOperation], in list: Snapshot) throws -> Int {
        list.lengthKept(after: try list.applying(operations).difference(from: list))
    }

    private static func items(_ count: Int, _ content: String = "1234") throws -> [Item] {
        try (0..<count).map { Item(id: try ItemID("new\($0)"), content: Content(Array(content.utf8))) }
    }

    // The size of a page was measured: CoreBenchmark measures one more version of a list, and `Benchmarks/pasts.py` a history.
    @Test func `a small change takes a share of a whole state, and no more than a path`() throws {
        let (small, large) = (try Self.list(of: 100), try Self.list(of: 100_000))
        let change = [ListOperation.reconfigureItems([ItemReconfiguration(id: "i7", content: .some(nil))])]
        #expect((100...200).contains(try Self.length(change, in: small)))
        #expect((1_000...1_500).contains(try Self.length(change, in: large)))
        #expect((150...250).contains(try Self.length([.deleteItems(["i7"])], in: small)))
        #expect((5_000...7_000).contains(try Self.length([.deleteItems(["i7"])], in: large)))
        #expect((5_000...7_000).contains(try Self.length([.appendItems(Self.items(1))], in: large)))
    }

    @Test func `many changes share what is near the root`() throws {
        let list = try Self.list(of: 100_000)
        let one = try Self.length([.appendItems(Self.items(1))], in: list)
        let many = try Self.length([.appendItems(Self.items(5_000))], in: list)
        #expect((400_000...700_000).contains(many) && many < 5_000 * one / 8)
    }

    @Test func `contents and what is under an item count`() throws {
        let list = try Self.list(of: 100)
        let long = String(repeating: "7", count: 10_000)
        #expect(try Self.length([.appendItems(Self.items(1, long))], in: list) > 10_000)
        let after = try list.applying([.insertItems(Self.items(50, long), at: .end(of: .parent("i7")))])
        #expect(try Self.length([.deleteItems(["i7"])], in: after) > 500_000)
        let back = [ListOperation.reconfigureItems([ItemReconfiguration(id: "new3", content: .some(nil))])]
        #expect(try Self.length(back, in: after) > 10_000)
    }
}
