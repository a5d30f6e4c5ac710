import Diffable

/// Two independently made flat lists, in each of the candidates' forms.
struct UnrelatedLists {
    let old: [PlainItem]
    let new: [PlainItem]
    let oldSnapshot: Snapshot
    let newSnapshot: Snapshot
    let oldIDs: [String]
    let newIDs: [String]

    /// Returns lists with 1% each of insertions, deletions, moves and changed contents, at random places.
    static func mixed(size: Int) throws -> UnrelatedLists {
        var random = SplitMix64(state: 1)
        let old = items(0..<size, &random)
        var new = old
        let share = size / 100
        for _ in 0..<share { new.remove(at: Int.random(in: new.indices, using: &random)) }
        for _ in 0..<share {
            let item = new.remove(at: Int.random(in: new.indices, using: &random))
            new.insert(item, at: Int.random(in: 0...new.count, using: &random))
        }
        for index in new.indices.shuffled(using: &random).prefix(share) {
            new[index].content = content(size + index)
        }
        for item in items(size..<size + share, &random) {
            new.insert(item, at: Int.random(in: 0...new.count, using: &random))
        }
        return try UnrelatedLists(old: old, new: new)
    }

    /// Returns the same items in two unrelated orders.
    static func shuffled(size: Int) throws -> UnrelatedLists {
        var random = SplitMix64(state: 2)
        let old = items(0..<size, &random)
        return try UnrelatedLists(old: old, new: old.shuffled(using: &random))
    }

    /// The standard library's diff of the ids, without contents.
    var standardLibraryDifference: CollectionDifference<String> {
        newIDs.difference(from: oldIDs).inferringMoves()
    }

    var heckelDifference: HeckelDifference { HeckelDifference(from: old, to: new) }

    var difference: [ListOperation] { newSnapshot.difference(from: oldSnapshot) }

    private init(old: [PlainItem], new: [PlainItem]) throws {
        // Strings on both sides share no storage, as if they came from two places.
        self.old = old.map { PlainItem(id: copy($0.id), content: copy($0.content)) }
        self.new = new.map { PlainItem(id: copy($0.id), content: copy($0.content)) }
        oldSnapshot = try Self.snapshot(old)
        newSnapshot = try Self.snapshot(new)
        oldIDs = self.old.map(\.id)
        newIDs = self.new.map(\.id)
    }

    private static func snapshot(_ items: [PlainItem]) throws -> Snapshot {
        try Snapshot([
            Section(
                id: "section",
                items: items.map { Item(id: try ItemID($0.id), content: Content(Array($0.content.utf8))) })
        ])
    }

    /// Returns items with ids of 16 to 36 bytes and contents of about 100.
    private static func items(_ numbers: Range<Int>, _ random: inout SplitMix64) -> [PlainItem] {
        numbers.map { number in
            let digits = String(number)
            let tail = String(random.next(), radix: 16) + String(random.next(), radix: 16)
            let length = Int.random(in: 16...36, using: &random)
            let id = "\(digits)-\(tail)-xxxxxxxx".prefix(length)
            return PlainItem(
                id: String(id) + String(repeating: "y", count: length - id.count), content: content(number))
        }
    }

    private static func content(_ number: Int) -> String {
        #"{"text":"\#(String(repeating: "x", count: 80)) \#(number)"}"#
    }
}

private func copy(_ text: String) -> String { String(decoding: Array(text.utf8), as: UTF8.self) }

/// The same lists in every run (G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number generators", 2014).
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
