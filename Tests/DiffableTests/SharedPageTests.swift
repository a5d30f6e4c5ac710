import Testing

@testable import Diffable

@Suite struct `Pages of one holder and of several` {
    private func item(_ number: Int, content: Content? = nil) throws -> Item {
        Item(id: try ItemID("item \(number)"), content: content)
    }

    private func list(of count: Int, content: (Int) -> Content? = { _ in nil }) throws -> Snapshot {
        let items = try (0..<count).map { try item($0, content: content($0)) }
        return try Snapshot([Section(id: "section", items: items)])
    }

    /// Returns the pages from the root of the only section's tree to its last leaf.
    private func lastPages(_ snapshot: Snapshot) throws -> [UnsafeMutableRawPointer] {
        let section = try #require(snapshot.handle("section" as SectionID))
        var tree = snapshot.forest.children(section)
        var pages: [UnsafeMutableRawPointer] = []
        while let page = tree {
            pages.append(Unmanaged.passUnretained(page.page).toOpaque())
            tree = page.isLeaf ? nil : page.withPages { $0[$0.count - 1] }
        }
        return pages
    }

    @Test(arguments: [(33, 1), (600, 2), (3_000, 3)])
    func `what nobody else holds is written in place, on every level`(count: Int, levels: Int) throws {
        var snapshot = try list(of: count)
        // The first append makes room for the second.
        try snapshot.apply([.appendItems([try item(count)], to: .section("section"))], limits: .none)
        let before = try lastPages(snapshot)
        try snapshot.apply([.appendItems([try item(count + 1)], to: .section("section"))], limits: .none)
        #expect(before.count == levels)
        #expect(try lastPages(snapshot) == before)
    }

    @Test func `what another holds is copied, on every level`() throws {
        let held = try list(of: 3_000)
        let before = try lastPages(held)
        let next = try held.applying([.appendItems([try item(3_000)], to: .section("section"))])
        #expect(Set(before).isDisjoint(with: try lastPages(next)))
        #expect(try lastPages(held) == before)
        #expect(held.numberOfItems == 3_000)
    }

    @Test(arguments: [1_025, 100_000]) func `long content that is replaced or deleted goes with the last who sees it`(
        length: Int
    ) throws {
        let long = Content(Array("\"\(String(repeating: "x", count: length - 2))\"".utf8))
        for change in [
            ListOperation.reconfigureItems([ItemReconfiguration(id: "item 7", content: Content(Array("2".utf8)))]),
            .deleteItems(["item 7"]),
        ] {
            // Built as a whole, so that the next state's pages borrow from its pages.
            var held: Snapshot? = try list(of: 100) { $0 == 7 ? long : nil }
            weak let record = held?.item("item 7")?.record.buffer
            let next = try #require(held).applying([change])
            #expect(record != nil)
            held = nil
            #expect(record == nil)
            #expect(next.contains("item 8" as ItemID))
        }
    }
}
