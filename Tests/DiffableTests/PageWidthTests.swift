import Testing

@testable import Diffable

@Suite struct `A leaf of siblings` {
    private func item(_ number: Int) throws -> Item { Item(id: try ItemID("item \(number)")) }

    /// Returns the number of siblings in each leaf.
    private func widths(_ snapshot: Snapshot) throws -> [Int] {
        let section = try #require(snapshot.handle("section" as SectionID))
        return leaves(under: try #require(snapshot.forest.children(section)))
    }

    private func leaves(under page: SiblingTree) -> [Int] {
        page.isLeaf ? [page.withHandles { $0.count }] : page.withPages { $0.map { $0 } }.flatMap(leaves)
    }

    @Test func `takes as many as it may have, and is split for one more`() throws {
        let max = SiblingTree.leafCountMax
        var snapshot = try Snapshot([Section(id: "section", items: [try item(0)])])
        for number in 1..<max {
            try snapshot.apply([.insertItems([try item(number)], at: .front(of: .section("section")))], limits: .none)
        }
        #expect(try widths(snapshot) == [max])
        try snapshot.apply([.insertItems([try item(max)], at: .front(of: .section("section")))], limits: .none)
        #expect(try widths(snapshot).sorted() == [max / 2, max / 2 + 1])
        snapshot.checkInvariants()
    }

    @Test func `leaves room where items are only appended`() throws {
        let max = SiblingTree.leafCountAppended
        var snapshot = try Snapshot([Section(id: "section", items: [try item(0)])])
        for number in 1..<max {
            try snapshot.apply([.appendItems([try item(number)], to: .section("section"))], limits: .none)
        }
        #expect(try widths(snapshot) == [max])
        try snapshot.apply([.appendItems([try item(max)], to: .section("section"))], limits: .none)
        #expect(try widths(snapshot) == [max, 1])
        snapshot.checkInvariants()
    }
}
