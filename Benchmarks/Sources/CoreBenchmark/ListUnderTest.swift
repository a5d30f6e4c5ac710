import Diffable

/// A list of one section with known ids and a shuffled choice of them.
struct ListUnderTest {
    let size: Int
    let snapshot: Snapshot
    let ids: [ItemID]
    let section: SectionID = "section"

    /// Bytes of an id and its content.
    static let bytesPerItem = 16.0 + 100.0

    init(size: Int) throws {
        let content = Content(Array(#"{"text":"\#(String(repeating: "x", count: 89))"}"#.utf8))
        let items = try (0..<size).map { Item(id: try ItemID(Self.name($0)), content: content) }
        self.init(of: try Snapshot([Section(id: "section", items: items)]), size: size)
    }

    init(of snapshot: Snapshot, size: Int) {
        var random = SplitMix64(state: UInt64(size))
        self.size = size
        self.snapshot = snapshot
        self.ids = (snapshot.itemIdentifiers(inSection: section) ?? []).shuffled(using: &random)
        precondition(ids.count == size)
    }

    /// Returns an id of 16 bytes.
    static func name(_ number: Int) -> String {
        let digits = String(number)
        return "item-" + String(repeating: "0", count: 11 - digits.count) + digits
    }

    /// Returns an item by a number modulo `size`.
    func id(_ number: Int) -> ItemID { ids[number % size] }

    func inserting(_ number: Int, into snapshot: Snapshot) throws -> Snapshot {
        let item = Item(id: try ItemID(Self.name(10_000_000 + number)))
        return try snapshot.applying([.insertItems([item], at: .after(id(number)))])
    }
}
