#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Sets of byte strings in flat arrays. A string is found by bisection, so that no choice of strings takes longer.
struct ByteTable: Sendable {
    private(set) var keys: [Key] = []
    /// Never empty, so that it has an address.
    private(set) var bytes: [UInt8] = [0]

    /// One string. Sets are sorted by length, then by the first eight bytes as a number, then by the others.
    struct Key: Sendable {
        let word: UInt64
        /// The bits of `word` that contain bytes of the string.
        let mask: UInt64
        let count: Int
        /// The index in `bytes`.
        let start: Int

        init(_ string: UnsafeRawBufferPointer, start: Int) {
            word = Self.word(of: string)
            mask = string.count >= 8 ? .max : 1 << (8 * UInt64(string.count)) - 1
            count = string.count
            self.start = start
        }

        @inline(__always)
        static func word(of string: UnsafeRawBufferPointer) -> UInt64 {
            if string.count >= 8 { return UInt64(littleEndian: string.loadUnaligned(as: UInt64.self)) }
            var word: UInt64 = 0
            for index in stride(from: string.count &- 1, through: 0, by: -1) {
                word = word << 8 | UInt64(string[unchecked: index])
            }
            return word
        }
    }

    /// Adds a set; duplicates share one place. Returns the set's range, and each string's place.
    mutating func append(_ strings: [[UInt8]]) -> (range: Range<Int>, places: [Int]) {
        let first = keys.count
        let sorted = strings.indices.sorted { Self.compare(strings[$0], strings[$1]) < 0 }
        var places = [Int](repeating: 0, count: strings.count)
        for (rank, index) in sorted.enumerated() {
            if rank == 0 || strings[sorted[rank - 1]] != strings[index] {
                keys.append(strings[index].withUnsafeBytes { Key($0, start: bytes.count) })
                bytes += strings[index]
            }
            places[index] = keys.count - 1
        }
        return (first..<keys.count, places)
    }

    private static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a.withUnsafeBytes { a in
            b.withUnsafeBytes { b in Borrowed.compare(Key(a, start: 0), a, b, Key.word(of: b)) }
        }
    }

    func string(_ place: Int) -> ArraySlice<UInt8> { bytes[keys[place].start..<keys[place].start + keys[place].count] }

    /// Lends the table to a check without counting references.
    func withBorrowed<R>(_ body: (Borrowed) -> R) -> R {
        keys.withUnsafeBufferPointer { keys in bytes.withUnsafeBytes { body(Borrowed(keys: keys, bytes: $0)) } }
    }

    struct Borrowed {
        let keys: UnsafeBufferPointer<Key>
        let bytes: UnsafeRawBufferPointer

        /// O(log(size of the set)), and the length of the string at each step.
        func place(of string: UnsafeRawBufferPointer, in range: Range<Int>) -> Int? {
            let word = Key.word(of: string)
            var (low, high) = (range.lowerBound, range.upperBound)
            while low < high {
                let middle = (low &+ high) >> 1
                let key = keys[middle]
                let order = Self.compare(key, bytes.slice(key.start..<key.start &+ key.count), string, word)
                if order == 0 { return middle }
                if order < 0 { low = middle &+ 1 } else { high = middle }
            }
            return nil
        }

        @inline(__always)
        fileprivate static func compare(
            _ key: Key, _ bytes: UnsafeRawBufferPointer, _ string: UnsafeRawBufferPointer, _ word: UInt64
        ) -> Int {
            if key.count != string.count { return key.count < string.count ? -1 : 1 }
            if key.word != word { return key.word < word ? -1 : 1 }
            if key.count <= 8 { return 0 }
            let (a, b) = (bytes.baseAddress.unsafelyUnwrapped, string.baseAddress.unsafelyUnwrapped)
            return Int(memcmp(a + 8, b + 8, key.count &- 8))
        }
    }
}
