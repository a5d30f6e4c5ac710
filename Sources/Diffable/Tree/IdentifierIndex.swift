/// Finds the handle of an identifier: a persistent hash table that grows one bucket at a time.
///
/// A bucket is a page of pairs of hash and handle, one word each. Growth follows W. Litwin, "Linear hashing: a new tool
/// for file and table addressing", 1980: when the table is too full, the next bucket in order is split, so no insertion
/// ever pays for the whole table. Lookup, insertion and removal cost O(log n).
struct IdentifierIndex: Sendable {
    // As wide as handles, because these two are copied with every snapshot.
    private var storedCount: UInt32 = 0
    private var storedBucketCount: UInt32 = 1
    private var buckets = PageTrie<BucketPage>()

    private(set) var count: Int {
        get { Int(storedCount) }
        set { storedCount = UInt32(newValue) }
    }

    private var bucketCount: Int {
        get { Int(storedBucketCount) }
        set { storedBucketCount = UInt32(newValue) }
    }

    /// The hash in the upper half, the handle in the lower half.
    typealias Pair = UInt64

    static func pair(_ handle: Handle, hash: UInt32) -> Pair { Pair(hash) << 32 | Pair(handle) }

    /// The average number of pairs in a bucket above which a bucket is added, and below which one is removed.
    private static let loadMax = 32
    private static let loadMin = 12

    /// The handle with this hash that `isMatch` accepts. Different identifiers may have the same hash.
    func handle(hash: UInt32, where isMatch: (Handle) -> Bool) -> Handle? {
        guard let bucket = buckets.page(at: bucketIndex(hash)) else { return nil }
        defer { withExtendedLifetime(buckets) {} }
        return bucket._withUnsafeGuaranteedRef { bucket in
            for pair in bucket.pairs where UInt32(truncatingIfNeeded: pair >> 32) == hash {
                let handle = Handle(truncatingIfNeeded: pair)
                if isMatch(handle) { return handle }
            }
            return nil
        }
    }

    /// Adds a pair that is not in the index.
    mutating func insert(_ handle: Handle, hash: UInt32) {
        count += 1
        BucketPage.append(
            CollectionOfOne(Self.pair(handle, hash: hash)), to: buckets.writableReference(at: bucketIndex(hash)))
        if count > bucketCount * Self.loadMax { split() }
    }

    /// Removes a pair that is in the index.
    mutating func remove(_ handle: Handle, hash: UInt32) {
        count -= 1
        buckets.writablePage(at: bucketIndex(hash))._withUnsafeGuaranteedRef {
            $0.remove(Self.pair(handle, hash: hash))
        }
        if bucketCount > 1 && count < bucketCount * Self.loadMin { merge() }
    }

    /// Calls the body with each handle whose hash is in the other index too, and with a handle of the other index that
    /// has this hash. Scans both bucket by bucket, because equal hashes are in the same bucket or in one that was split
    /// off it: O(n), and much faster than n lookups.
    func forEachHandle(alsoIn other: IdentifierIndex, _ body: (Handle, Handle) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: PairPositions.count) { memory in
            let places = PairPositions(memory)
            var otherIndex = -1
            var otherBucket: Unmanaged<BucketPage>?
            for index in 0..<bucketCount {
                buckets.page(at: index)?._withUnsafeGuaranteedRef { bucket in
                    for pair in bucket.pairs {
                        let hash = UInt32(truncatingIfNeeded: pair >> 32)
                        let wanted = other.bucketIndex(hash)
                        if wanted != otherIndex {
                            otherIndex = wanted
                            otherBucket = other.buckets.page(at: wanted)
                            otherBucket?._withUnsafeGuaranteedRef { places.note($0.pairs) }
                        }
                        otherBucket?._withUnsafeGuaranteedRef { otherBucket in
                            guard let found = places.pair(like: pair, in: otherBucket.pairs) else { return }
                            body(Handle(truncatingIfNeeded: pair), Handle(truncatingIfNeeded: found))
                        }
                    }
                }
            }
        }
    }

    /// The number of buckets that a later version of this index does not share. O(d · log n) for d such buckets.
    func numberOfBucketsUnshared(with later: IdentifierIndex) -> Int {
        var count = 0
        later.buckets.forEachDifference(from: buckets) { _, bucket, _ in if bucket != nil { count += 1 } }
        return count
    }

    /// The positions of the pairs of one bucket, by a part of their hashes in which most pairs differ.
    private struct PairPositions {
        /// Positions of an earlier bucket are not erased, so a position is verified before it is used.
        private let places: UnsafeMutableBufferPointer<UInt8>

        static let count = 1024

        init(_ memory: UnsafeMutableBufferPointer<UInt8>) {
            places = memory
            places.initialize(repeating: 0)
        }

        func note(_ pairs: UnsafeBufferPointer<Pair>) {
            for position in pairs.indices { places[Self.part(pairs[position])] = UInt8(truncatingIfNeeded: position) }
        }

        func pair(like pair: Pair, in pairs: UnsafeBufferPointer<Pair>) -> Pair? {
            let noted = Int(places[Self.part(pair)])
            if noted < pairs.count, pairs[noted] >> 32 == pair >> 32 { return pairs[noted] }
            // A later pair has overwritten its position.
            return pairs.first { $0 >> 32 == pair >> 32 }
        }

        /// The upper bits of the hash, because the lower bits are the same in the whole bucket.
        private static func part(_ pair: Pair) -> Int { Int(pair >> 54) }
    }

    // MARK: Making it whole

    init() {}

    /// Makes an index of all items of a forest. Throws `duplicateItem` for a duplicate id. O(n).
    ///
    /// The pairs are sorted by bucket first, so that each bucket is allocated once, with its final size.
    init(_ pairs: [Pair], of forest: Forest) throws(OperationError) {
        count = pairs.count
        bucketCount = max(1, (count + Self.loadMax - 1) / Self.loadMax)
        var ends = [Int](repeating: 0, count: bucketCount + 1)
        for pair in pairs { ends[bucketIndex(UInt32(truncatingIfNeeded: pair >> 32)) + 1] += 1 }
        for index in 0..<bucketCount { ends[index + 1] += ends[index] }
        var sorted = [Pair](repeating: 0, count: count)
        for pair in pairs {
            let index = bucketIndex(UInt32(truncatingIfNeeded: pair >> 32))
            sorted[ends[index]] = pair
            ends[index] += 1
        }
        // Each bucket's end is now the start of the next one.
        var start = 0
        for index in 0..<bucketCount where ends[index] > start {
            let bucket = sorted[start..<ends[index]]
            try Self.checkUniqueness(bucket, forest)
            buckets.writableReference(at: index).pointee = BucketPage.make(bucket)
            start = ends[index]
        }
    }

    private static func checkUniqueness(_ bucket: ArraySlice<Pair>, _ forest: Forest) throws(OperationError) {
        for (position, pair) in bucket.enumerated() {
            for other in bucket.dropFirst(position + 1) where other >> 32 == pair >> 32 {
                let record = forest.record(Handle(truncatingIfNeeded: pair))
                if record.hasSameID(as: forest.record(Handle(truncatingIfNeeded: other))) {
                    throw .duplicateItem(ItemID(record: record))
                }
            }
        }
    }

    // MARK: Growing and shrinking

    /// The largest power of two that does not exceed the number of buckets. Buckets from this number on were split off
    /// in this round, from the buckets at the beginning.
    private var roundSize: Int { 1 << (Int.bitWidth - 1 - bucketCount.leadingZeroBitCount) }

    private func bucketIndex(_ hash: UInt32) -> Int {
        let roundSize = roundSize
        let index = Int(hash) & (2 * roundSize - 1)
        return index < bucketCount ? index : index & (roundSize - 1)
    }

    private mutating func split() {
        let index = bucketCount - roundSize
        bucketCount += 1
        guard let bucket = buckets.page(at: index)?.takeUnretainedValue() else { return }
        let leavingIndex = bucketCount - 1
        var kept: [Pair] = []
        var leaving: [Pair] = []
        for pair in bucket.pairs {
            if bucketIndex(UInt32(truncatingIfNeeded: pair >> 32)) == leavingIndex {
                leaving.append(pair)
            } else {
                kept.append(pair)
            }
        }
        buckets.writableReference(at: index).pointee = BucketPage.make(kept)
        buckets.writableReference(at: leavingIndex).pointee = BucketPage.make(leaving)
    }

    private mutating func merge() {
        let last = buckets.writableReference(at: bucketCount - 1)
        let leaving = last.pointee.map { Array(unsafeDowncast($0, to: BucketPage.self).pairs) } ?? []
        last.pointee = nil
        bucketCount -= 1
        BucketPage.append(leaving, to: buckets.writableReference(at: bucketCount - roundSize))
    }
}

struct BucketPageHeader {
    fileprivate var count: UInt32
    fileprivate var capacity: UInt32
}

/// A bucket. It has room for at most a few more pairs, because there are many buckets and they grow slowly.
final class BucketPage: ManagedBuffer<BucketPageHeader, UInt64>, TriePage {
    private static let step = 4

    static func make() -> BucketPage { make(EmptyCollection()) }

    /// A copy with room for one more pair, because copies are made for insertions.
    func copy() -> BucketPage { BucketPage.make(pairs, besides: 1) }

    fileprivate static func make(_ pairs: some Collection<UInt64>, besides others: Int = 0) -> BucketPage {
        let count = pairs.count
        let capacity = (count + others + step - 1) / step * step
        let page = create(minimumCapacity: capacity) { _ in
            BucketPageHeader(count: UInt32(count), capacity: UInt32(capacity))
        }
        page.withUnsafeMutablePointerToElements { elements in
            _ = UnsafeMutableBufferPointer(start: elements, count: count).initialize(fromContentsOf: pairs)
        }
        return unsafeDowncast(page, to: BucketPage.self)
    }

    /// Valid while this page is retained.
    fileprivate var pairs: UnsafeBufferPointer<UInt64> {
        withUnsafeMutablePointers { header, pairs in UnsafeBufferPointer(start: pairs, count: Int(header.pointee.count))
        }
    }

    /// Writes in place if the reference is unique and there is room.
    fileprivate static func append(_ added: some Collection<UInt64>, to reference: UnsafeMutablePointer<AnyObject?>) {
        let isAlone = isKnownUniquelyReferenced(&reference.pointee)
        let page = reference.pointee.map { unsafeDowncast($0, to: BucketPage.self) }
        if let page, isAlone, page.hasRoom(for: added.count) {
            page.append(added)
        } else {
            let larger = page.map { make($0.pairs, besides: added.count) } ?? make([], besides: added.count)
            larger.append(added)
            reference.pointee = larger
        }
    }

    private func hasRoom(for added: Int) -> Bool {
        withUnsafeMutablePointerToHeader { Int($0.pointee.count) + added <= $0.pointee.capacity }
    }

    private func append(_ added: some Collection<UInt64>) {
        withUnsafeMutablePointers { header, pairs in
            let room = UnsafeMutableBufferPointer(start: pairs + Int(header.pointee.count), count: added.count)
            _ = room.initialize(fromContentsOf: added)
            header.pointee.count += UInt32(added.count)
        }
    }

    fileprivate func remove(_ pair: UInt64) {
        guard let position = pairs.firstIndex(of: pair) else {
            preconditionFailure("an identifier that is taken out of the index stands in it")
        }
        withUnsafeMutablePointers { header, pairs in
            header.pointee.count -= 1
            pairs[position] = pairs[Int(header.pointee.count)]
        }
    }
}
