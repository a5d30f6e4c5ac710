/// Finds the handle of an identifier: a persistent hash table that grows a bucket at a time.
///
/// The buckets stand in a `PersistentArray`; each holds pairs of hash and handle, a word each. Growth follows W. Litwin,
/// "Linear hashing: a new tool for file and table addressing", 1980: when the table gets too full, the next bucket in
/// turn is split in two, so no insertion ever pays for the whole table. Lookup, insertion and removal cost O(log n).
struct IdentifierIndex: Sendable {
    private(set) var count = 0
    private var buckets = PersistentArray<ContiguousArray<Pair>>()
    /// How many buckets there are.
    private var bucketCount = 1

    /// The hash in the upper half, the handle in the lower.
    private typealias Pair = UInt64

    /// How many pairs a bucket has on average, before there is one bucket more and before there is one less.
    private static let loadMax = 16
    private static let loadMin = 6

    /// The handle under that hash that `isMatch` accepts. Different identifiers may share a hash.
    func handle(hash: UInt32, where isMatch: (Handle) -> Bool) -> Handle? {
        let bucket = buckets[bucketIndex(hash)]
        return bucket.withUnsafeBufferPointer { pairs in
            for pair in pairs where UInt32(truncatingIfNeeded: pair >> 32) == hash {
                let handle = Handle(truncatingIfNeeded: pair)
                if isMatch(handle) { return handle }
            }
            return nil
        }
    }

    /// Adds a pair that is not there.
    mutating func insert(_ handle: Handle, hash: UInt32) {
        count += 1
        buckets.update(at: bucketIndex(hash)) { $0.append(Pair(hash) << 32 | Pair(handle)) }
        if count > bucketCount * Self.loadMax { split() }
    }

    /// Takes away a pair that is there.
    mutating func remove(_ handle: Handle, hash: UInt32) {
        count -= 1
        buckets.update(at: bucketIndex(hash)) { bucket in
            guard let position = bucket.firstIndex(of: Pair(hash) << 32 | Pair(handle)) else {
                preconditionFailure("an identifier that is taken out of the index stands in it")
            }
            bucket.swapAt(position, bucket.count - 1)
            bucket.removeLast()
        }
        if bucketCount > 1 && count < bucketCount * Self.loadMin { merge() }
    }

    // MARK: Growing and shrinking

    /// The largest power of two that is not larger than the number of buckets: buckets at or beyond it were split off
    /// in this round, and those as far from the beginning have been split.
    private var roundSize: Int { 1 << (Int.bitWidth - 1 - bucketCount.leadingZeroBitCount) }

    private func bucketIndex(_ hash: UInt32) -> Int {
        let roundSize = roundSize
        let index = Int(hash) & (2 * roundSize - 1)
        return index < bucketCount ? index : index & (roundSize - 1)
    }

    private mutating func split() {
        let index = bucketCount - roundSize
        let pairs = buckets[index]
        bucketCount += 1
        var kept: ContiguousArray<Pair> = []
        var leaving: ContiguousArray<Pair> = []
        for pair in pairs {
            if bucketIndex(UInt32(truncatingIfNeeded: pair >> 32)) == index {
                kept.append(pair)
            } else {
                leaving.append(pair)
            }
        }
        buckets[index] = kept
        buckets[bucketCount - 1] = leaving
    }

    private mutating func merge() {
        let last = buckets[bucketCount - 1]
        buckets[bucketCount - 1] = []
        bucketCount -= 1
        let index = bucketCount - roundSize
        buckets.update(at: index) { $0.append(contentsOf: last) }
    }
}

extension ContiguousArray: PageElement where Element == UInt64 {
    static var filler: Self { [] }
}
