/// Finds the handle of an identifier: a persistent hash trie with buckets.
///
/// The trie branches eight ways on three bits of the hash at a time; a bucket holds up to 48 pairs of hash and handle,
/// one word each. Lookup, insertion and removal cost O(log n); a change copies the path to its bucket where that is
/// shared with another copy of the index.
struct IdentifierIndex: Sendable {
    private(set) var count = 0
    private var root = Bucket.pairs([])

    /// The hash in the upper half, the handle in the lower.
    private typealias Pair = UInt64

    private enum Bucket {
        case pairs(ContiguousArray<Pair>)
        case branch(ContiguousArray<Bucket>)
    }

    private static let branchBits = 3
    private static let pairsMax = 48

    /// The handle under that hash that `isMatch` accepts. Different identifiers may share a hash.
    func handle(hash: UInt32, where isMatch: (Handle) -> Bool) -> Handle? {
        Self.handle(in: root, hash: hash, rest: hash, where: isMatch)
    }

    private static func handle(
        in bucket: borrowing Bucket, hash: UInt32, rest: UInt32, where isMatch: (Handle) -> Bool
    ) -> Handle? {
        switch bucket {
        case .pairs(let pairs):
            for pair in pairs where UInt32(truncatingIfNeeded: pair >> 32) == hash {
                let handle = Handle(truncatingIfNeeded: pair)
                if isMatch(handle) { return handle }
            }
            return nil
        case .branch(let buckets):
            return handle(
                in: buckets[position(rest)], hash: hash, rest: rest >> UInt32(branchBits), where: isMatch)
        }
    }

    /// Adds a pair that is not there.
    mutating func insert(_ handle: Handle, hash: UInt32) {
        count += 1
        Self.insert(Pair(hash) << 32 | Pair(handle), into: &root, rest: hash, depth: 0)
    }

    private static func insert(_ pair: Pair, into bucket: inout Bucket, rest: UInt32, depth: Int) {
        switch consume bucket {
        case .pairs(var pairs):
            bucket = .pairs([])
            pairs.append(pair)
            // Past the hash's last bits only equal hashes are left, which no branch would part.
            let canBranch = (depth + 1) * branchBits <= 32
            bucket = pairs.count > pairsMax && canBranch ? branch(pairs, depth: depth) : .pairs(pairs)
        case .branch(var buckets):
            bucket = .pairs([])
            insert(pair, into: &buckets[position(rest)], rest: rest >> UInt32(branchBits), depth: depth + 1)
            bucket = .branch(buckets)
        }
    }

    private static func branch(_ pairs: ContiguousArray<Pair>, depth: Int) -> Bucket {
        var parts = ContiguousArray(repeating: ContiguousArray<Pair>(), count: 1 << branchBits)
        for pair in pairs {
            let hash = UInt32(truncatingIfNeeded: pair >> 32)
            parts[position(hash >> UInt32(depth * branchBits))].append(pair)
        }
        return .branch(ContiguousArray(parts.map(Bucket.pairs)))
    }

    /// Takes away a pair that is there.
    mutating func remove(_ handle: Handle, hash: UInt32) {
        count -= 1
        Self.remove(Pair(hash) << 32 | Pair(handle), from: &root, rest: hash)
    }

    private static func remove(_ pair: Pair, from bucket: inout Bucket, rest: UInt32) {
        switch consume bucket {
        case .pairs(var pairs):
            bucket = .pairs([])
            guard let position = pairs.firstIndex(of: pair) else {
                preconditionFailure("an identifier that is taken out of the index stands in it")
            }
            pairs.swapAt(position, pairs.count - 1)
            pairs.removeLast()
            bucket = .pairs(pairs)
        case .branch(var buckets):
            bucket = .pairs([])
            remove(pair, from: &buckets[position(rest)], rest: rest >> UInt32(branchBits))
            bucket = merged(buckets)
        }
    }

    /// The branch, or one bucket in its place when little is left under it.
    private static func merged(_ buckets: ContiguousArray<Bucket>) -> Bucket {
        var count = 0
        for bucket in buckets {
            guard case .pairs(let pairs) = bucket else { return .branch(buckets) }
            count += pairs.count
        }
        guard count <= pairsMax / 4 else { return .branch(buckets) }
        var pairs = ContiguousArray<Pair>()
        for case .pairs(let part) in buckets { pairs.append(contentsOf: part) }
        return .pairs(pairs)
    }

    private static func position(_ rest: UInt32) -> Int { Int(rest & (1 << UInt32(branchBits) - 1)) }
}
