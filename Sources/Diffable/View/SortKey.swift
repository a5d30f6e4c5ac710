#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What an item is sorted by: the values of some members of its content, the first one first.
///
/// The values are kept as bytes whose order is that of the values, so that two keys are compared without being taken
/// apart. Values of different sorts stand in this order: none, null, booleans, numbers, strings.
package struct SortKey: Sendable {
    /// No key is the beginning of another one with as many values: each value tells its end.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// What comes before every other value: the content has no such member, or an array or object there.
    package mutating func appendAbsence() { bytes.append(0) }

    package mutating func appendNull() { bytes.append(1) }

    package mutating func append(_ boolean: Bool) { bytes.append(boolean ? 3 : 2) }

    package mutating func append(_ number: Double) {
        bytes.append(4)
        // Both zeros are equal. Negative numbers stand before the others, the one with the greater pattern first.
        let pattern = (number == 0 ? 0 : number).bitPattern
        let ordered = pattern >> 63 == 0 ? pattern | 1 << 63 : ~pattern
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: ordered >> shift)) }
    }

    /// How many bytes tell where a string ends.
    package static let textEndLength = 2

    /// In UTF-8, whose order is that of the scalars.
    package mutating func append(_ text: UnsafeRawBufferPointer) {
        bytes.append(5)
        for byte in text {
            bytes.append(byte)
            // So that the end, two zeros, comes before everything that may follow.
            if byte == 0 { bytes.append(0xFF) }
        }
        bytes.append(0)
        bytes.append(0)
    }

    /// Lets go of all but the first bytes.
    mutating func cut(to count: Int) { bytes.removeLast(bytes.count - count) }

    /// Appends a value that compares the other way round.
    package mutating func appendDescending(_ append: (inout SortKey) -> Void) {
        let start = bytes.count
        append(&self)
        for index in start..<bytes.count { bytes[index] = ~bytes[index] }
    }
}

extension SortKey: Comparable {
    package static func < (a: SortKey, b: SortKey) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

/// A key among others that stand one after the other.
struct PlacedKey {
    /// The first bytes, which nearly always decide.
    private let prefix: UInt64
    /// Of the bytes of all.
    let start: Int
    let count: UInt32

    /// The last one of all.
    init(from start: Int, in keys: SortKey) {
        let count = keys.bytes.count - start
        var prefix: UInt64 = 0
        for index in 0..<8 { prefix = prefix << 8 | (index < count ? UInt64(keys.bytes[start + index]) : 0) }
        (self.prefix, self.start, self.count) = (prefix, start, UInt32(count))
    }

    /// Below, above or zero; a key stands before those that it is the beginning of.
    @inline(__always)
    func order(to other: PlacedKey, in keys: UnsafeRawBufferPointer) -> Int {
        if prefix != other.prefix { return prefix < other.prefix ? -1 : 1 }
        let order = memcmp(
            keys.baseAddress! + start, keys.baseAddress! + other.start, Int(min(count, other.count)))
        return order == 0 ? Int(count) - Int(other.count) : Int(order)
    }
}

/// Brings items in the order of their keys. Those with equal keys stay in the order in which they came.
struct KeyedItems {
    private var items: [Item] = []
    /// All keys, one after the other: a million arrays would take longer than the sorting.
    private var keys = SortKey()
    private var keyed: [KeyedItem] = []

    private struct KeyedItem {
        var key: PlacedKey
        var item: UInt32
    }

    init(capacity: Int) {
        items.reserveCapacity(capacity)
        keyed.reserveCapacity(capacity)
    }

    mutating func append(_ item: Item, _ appendKey: (Item, inout SortKey) -> Void) {
        let start = keys.bytes.count
        appendKey(item, &keys)
        keyed.append(KeyedItem(key: PlacedKey(from: start, in: keys), item: UInt32(items.count)))
        items.append(item)
    }

    /// O(n log n).
    consuming func sorted() -> [Item] {
        keys.bytes.withUnsafeBytes { bytes in
            keyed.sort { a, b in
                let order = a.key.order(to: b.key, in: bytes)
                return order == 0 ? a.item < b.item : order < 0
            }
        }
        return keyed.map { items[Int($0.item)] }
    }
}
