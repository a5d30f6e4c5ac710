#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The values that an item is sorted by: some members of its content, most significant first.
///
/// The values are kept as bytes in an encoding that preserves their order, so two keys are compared without decoding.
/// Values of different kinds have this order: none, null, booleans, numbers, strings.
package struct SortKey: Sendable {
    /// The encoded values. A key is never a prefix of another key with as many values, because each value marks its
    /// end.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Appends the smallest value, for content that has no such member, or an array or object there.
    package mutating func appendAbsence() { bytes.append(0) }

    package mutating func appendNull() { bytes.append(1) }

    package mutating func append(_ boolean: Bool) { bytes.append(boolean ? 3 : 2) }

    package mutating func append(_ number: Double) {
        bytes.append(4)
        // Both zeros are equal. Negative numbers sort before the others, larger bit patterns first.
        let pattern = (number == 0 ? 0 : number).bitPattern
        let ordered = pattern >> 63 == 0 ? pattern | 1 << 63 : ~pattern
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: ordered >> shift)) }
    }

    /// Bytes that mark the end of a string.
    package static let textEndLength = 2

    /// Appends a string in UTF-8, which sorts like its scalars.
    package mutating func append(_ text: UnsafeRawBufferPointer) {
        bytes.append(5)
        for byte in text {
            bytes.append(byte)
            // Makes the end, two zeros, sort before any other continuation.
            if byte == 0 { bytes.append(0xFF) }
        }
        bytes.append(0)
        bytes.append(0)
    }

    /// Removes all but the first bytes.
    mutating func cut(to count: Int) { bytes.removeLast(bytes.count - count) }

    /// Appends a value in reversed order.
    package mutating func appendDescending(_ append: (inout SortKey) -> Void) {
        let start = bytes.count
        append(&self)
        for index in start..<bytes.count { bytes[index] = ~bytes[index] }
    }
}

extension SortKey: Comparable {
    package static func < (a: SortKey, b: SortKey) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

/// A key in a concatenation of keys.
struct KeySlice {
    /// The first bytes, which nearly always decide a comparison.
    private let prefix: UInt64
    /// The index of its first byte in the concatenation.
    let start: Int
    let count: UInt32

    /// Refers to the last key of the concatenation.
    init(from start: Int, in keys: SortKey) {
        let count = keys.bytes.count - start
        var prefix: UInt64 = 0
        for index in 0..<8 { prefix = prefix << 8 | (index < count ? UInt64(keys.bytes[start + index]) : 0) }
        (self.prefix, self.start, self.count) = (prefix, start, UInt32(count))
    }

    /// Returns a negative number, a positive number or zero. A key sorts before the keys that it is a prefix of.
    @inline(__always)
    func compare(to other: KeySlice, in keys: UnsafeRawBufferPointer) -> Int {
        if prefix != other.prefix { return prefix < other.prefix ? -1 : 1 }
        let order = memcmp(
            keys.baseAddress! + start, keys.baseAddress! + other.start, Int(min(count, other.count)))
        return order == 0 ? Int(count) - Int(other.count) : Int(order)
    }
}

/// Sorts items by their keys. Items with equal keys keep their order.
struct KeyedSorter {
    private var items: [Item] = []
    /// All keys, concatenated: allocating a million arrays would take longer than sorting.
    private var keys = SortKey()
    private var keyed: [KeyedItem] = []

    private struct KeyedItem {
        var key: KeySlice
        var item: UInt32
    }

    init(capacity: Int) {
        items.reserveCapacity(capacity)
        keyed.reserveCapacity(capacity)
    }

    mutating func append(_ item: Item, _ appendKey: (Item, inout SortKey) -> Void) {
        let start = keys.bytes.count
        appendKey(item, &keys)
        keyed.append(KeyedItem(key: KeySlice(from: start, in: keys), item: UInt32(items.count)))
        items.append(item)
    }

    /// O(n log n).
    consuming func sorted() -> [Item] {
        keys.bytes.withUnsafeBytes { bytes in
            keyed.sort { a, b in
                let order = a.key.compare(to: b.key, in: bytes)
                return order == 0 ? a.item < b.item : order < 0
            }
        }
        return keyed.map { items[Int($0.item)] }
    }
}
