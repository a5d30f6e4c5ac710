import Testing

@testable import Diffable

@Suite struct ManyNewItemsTests {
    private func items(_ range: Range<Int>) -> [Item] {
        range.map { Item(id: ItemID(stringLiteral: "\($0)"), content: Content(Array("\($0)".utf8))) }
    }

    /// In one case too many guesses are wrong, so the rest is deferred; in the other few are left, so each is looked up.
    @Test func `many new items among far more old ones are told from those that moved`() throws {
        let old = try Snapshot([Section(id: "s", items: items(0..<8_000))])
        let gone = (3_000..<3_400).map { ItemID(stringLiteral: "\($0)") }
        let back = items(3_000..<3_200)
        // Some reappear under other handles, which are not where the code guesses.
        let new = try old.applying([.deleteItems(gone), .appendItems(items(9_000..<9_300)), .appendItems(back)])
        let difference = new.difference(from: old)
        #expect(try old.applying(difference) == new)
        let summary = DifferenceSummary(difference, from: old, to: new)
        #expect(summary.insertedItems == 300 && summary.deletedItems == 200 && summary.movedItems == 200)
    }
}
