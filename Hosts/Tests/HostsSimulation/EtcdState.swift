import SharedLog

/// The replicated state of etcd's members: ordered keys, revisions, and leases.
struct EtcdState {
    private(set) var revision: Int64 = 1
    private var values: [String: StoredValue] = [:]
    /// All keys, ordered by their bytes: all keys here are ASCII.
    private var keys: [String] = []
    private var leases: [Int64: (time: Int, end: Int)] = [:]
    private var lastLease: Int64 = 0

    subscript(_ key: String) -> StoredValue? { values[key] }
    var numberOfKeys: Int { keys.count }
    var numberOfLeases: Int { leases.count }
    /// The total length of keys and values.
    private(set) var length = 0

    // MARK: Transactions

    func holds(_ comparisons: [Comparison]) -> Bool {
        comparisons.allSatisfy { (values[$0.key]?.modRevision ?? 0) == $0.modRevision }
    }

    /// Executes the operations at one revision, and returns their results and events.
    mutating func carryOut(
        _ operations: [EngineOperation], succeeded: Bool
    ) -> (result: TransactionResult, events: [EngineEvent]) {
        var (found, events): ([[StoredValue]], [EngineEvent]) = ([], [])
        let next = revision + 1
        for operation in operations {
            switch operation {
            case .get(let range, let limit, _): found.append(read(range, limit: limit))
            case .put(let key, let value, let lease): events.append(put(key, value, lease, at: next))
            case .delete(let range): events += delete(range, at: next)
            }
        }
        // As in etcd, a transaction that only deletes missing keys makes no revision.
        if !events.isEmpty { revision = next }
        return (TransactionResult(revision: revision, succeeded: succeeded, found: found), events)
    }

    private mutating func put(_ key: String, _ value: String, _ lease: Int64, at revision: Int64) -> EngineEvent {
        let old = values[key]
        let stored = StoredValue(
            key: key, value: value, createRevision: old?.createRevision ?? revision, modRevision: revision,
            lease: lease)
        if let old { length -= old.length } else { keys.insert(key, at: index(of: key)) }
        length += stored.length
        values[key] = stored
        return .put(stored)
    }

    private mutating func delete(_ range: KeyRange, at revision: Int64) -> [EngineEvent] {
        let indices = indices(of: range)
        let gone = Array(keys[indices])
        keys.removeSubrange(indices)
        for key in gone { length -= values.removeValue(forKey: key)?.length ?? 0 }
        return gone.map { .deleted(key: $0, revision: revision) }
    }

    func read(_ range: KeyRange, limit: Int = 0) -> [StoredValue] {
        let indices = indices(of: range)
        let some = limit == 0 ? indices : indices.prefix(limit)
        return some.compactMap { values[keys[$0]] }
    }

    private func indices(of range: KeyRange) -> Range<Int> {
        switch range {
        case .key(let key):
            let first = index(of: key)
            return first..<(values[key] == nil ? first : first + 1)
        case .prefix(let prefix):
            let first = index(of: prefix)
            return first..<index(of: String(decoding: KeyRange.end(ofPrefix: prefix), as: UTF8.self))
        case .between(let first, let end):
            let start = index(of: first)
            return start..<max(start, index(of: end))
        }
    }

    /// Returns the index of the first key that is not before this one.
    private func index(of key: String) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Leases

    /// Grants a lease. Times are in microseconds, on the leader's clock.
    mutating func grant(_ time: Int, at now: Int) -> Int64 {
        lastLease += 1
        leases[lastLease] = (time, now + time)
        return lastLease
    }

    /// Keeps a lease alive; returns false if it has ended.
    mutating func keepAlive(_ lease: Int64, at now: Int) -> Bool {
        guard let time = leases[lease]?.time else { return false }
        leases[lease]?.end = now + time
        return true
    }

    /// Ends a lease, and deletes its keys.
    mutating func revoke(_ lease: Int64) -> [EngineEvent] {
        guard leases.removeValue(forKey: lease) != nil else { return [] }
        let gone = keys.filter { values[$0]?.lease == lease }
        return carryOut(gone.map { .delete(.key($0)) }, succeeded: true).events
    }

    func endedLeases(at now: Int) -> [Int64] { leases.filter { $0.value.end <= now }.keys.sorted() }

    /// Restarts the times of all leases, as a new leader does.
    mutating func renewLeases(at now: Int) {
        leases = leases.mapValues { ($0.time, now + $0.time) }
    }
}

extension StoredValue {
    var length: Int { key.utf8.count + value.utf8.count }
}

extension EngineEvent {
    /// Bytes of keys and values.
    var length: Int {
        switch self {
        case .put(let stored): stored.length
        case .deleted(let key, _): key.utf8.count
        }
    }
}
