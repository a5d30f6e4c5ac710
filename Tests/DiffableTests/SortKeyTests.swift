import Testing

@testable import Diffable

@Suite struct SortKeyTests {
    private typealias Writer = @Sendable (inout SortKey) -> Void

    private static func key(_ append: (inout SortKey) -> Void) -> SortKey {
        var key = SortKey()
        append(&key)
        return key
    }

    private static func text(_ text: String) -> Writer {
        { key in Array(text.utf8).withUnsafeBytes { key.append($0) } }
    }

    private static let inOrder: [Writer] =
        [{ $0.appendAbsence() }, { $0.appendNull() }, { $0.append(false) }, { $0.append(true) }]
        + [-Double.infinity, -1e300, -2, -1, -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 0.5, 1, 2, 1e300].map {
            number in { $0.append(number) }
        }
        + ["", "\0", "\0\0", "\0a", "\u{1}", "a", "a\0", "a\0b", "aa", "b", "é", "\u{FFFF}", "😀"].map(text)

    @Test func `stands in the order of its value`() {
        let inOrder = Self.inOrder.map(Self.key)
        for (index, key) in inOrder.enumerated() {
            #expect(key == key)
            for other in inOrder[(index + 1)...] { #expect(key < other && !(other < key) && key != other) }
        }
        #expect(Self.key { $0.append(-0.0) } == Self.key { $0.append(0.0) })
    }

    @Test func `stands the other way round when it descends, and values after it decide among equals`() {
        for (index, key) in Self.inOrder.enumerated() {
            for (otherIndex, other) in Self.inOrder.enumerated() {
                func pair(_ first: Writer, _ second: Bool) -> SortKey {
                    Self.key { key in
                        key.appendDescending(first)
                        key.append(second)
                    }
                }
                #expect((pair(key, true) < pair(other, false)) == (index > otherIndex))
                #expect((pair(key, false) < pair(other, true)) == (index >= otherIndex))
            }
        }
    }

    @Test func `sorts items, and leaves those with equal keys as they came`() {
        let words = ["bb", "a", "", "bb", "bbbbbbbbbbbb", "bbbbbbbbbbba", "a"]
        var items = KeyedSorter(capacity: 0)
        for (index, word) in words.enumerated() {
            items.append(Item(id: ItemID(stringLiteral: "\(index)"))) { _, key in
                Array(word.utf8).withUnsafeBytes { key.append($0) }
            }
        }
        #expect(items.sorted().map(\.id) == ["2", "1", "6", "0", "3", "5", "4"])
    }
}
