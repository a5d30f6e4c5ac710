import SharedLog
import TestSupport

/// An engine in memory with injected losses of calls and answers.
actor ModelEngine: Engine {
    struct Faults {
        /// The fraction of calls that are lost, with an unknown outcome for the caller.
        var lostCalls = 0.0
        /// The fraction of executed calls with a lost answer.
        var lostAnswers = 0.0
        /// The fraction of calls that are executed later, with an unknown outcome for the caller.
        var lateCalls = 0.0
        /// The fraction of calls that are refused, which the caller knows.
        var refusals = 0.0
    }

    private(set) var values: [String: StoredValue] = [:]
    private(set) var revision: Int64 = 1
    private var faults = Faults()
    private var random: SplitMix64
    private var late: [Transaction] = []
    private(set) var transactions = 0
    private(set) var isAway = false
    private var isFull = false
    private var listeners: [@Sendable ([EngineEvent]) async -> Void] = []

    init(seed: UInt64 = 1) { random = SplitMix64(seed: seed) }

    func set(_ faults: Faults) { self.faults = faults }
    func setAway(_ isAwayNow: Bool) { isAway = isAwayNow }
    /// As with etcd, transactions that could need space are refused then.
    func setFull(_ isFullNow: Bool) { isFull = isFullNow }
    func listen(_ listener: @Sendable @escaping ([EngineEvent]) async -> Void) { listeners.append(listener) }

    func run(_ transaction: Transaction) async throws(EngineError) -> TransactionResult {
        transactions += 1
        if isAway { throw .refused("away") }
        let operations = transaction.operations + transaction.otherwise
        let puts = operations.contains { if case .put = $0 { true } else { false } }
        if isFull, puts { throw .full }
        await Task.yield()
        let chance = Double.random(in: 0..<1, using: &random)
        var limit = faults.refusals
        if chance < limit { throw .refused("refused") }
        limit += faults.lostCalls
        if chance < limit { throw .unknown("lost on the way there") }
        limit += faults.lateCalls
        if chance < limit {
            late.append(transaction)
            throw .unknown("late")
        }
        let result = await carryOut(transaction)
        if !late.isEmpty, Bool.random(using: &random) { _ = await carryOut(late.removeFirst()) }
        if chance < limit + faults.lostAnswers { throw .unknown("lost on the way back") }
        return result
    }

    private func carryOut(_ transaction: Transaction) async -> TransactionResult {
        let succeeded = transaction.comparisons.allSatisfy { (values[$0.key]?.modRevision ?? 0) == $0.modRevision }
        let operations = succeeded ? transaction.operations : transaction.otherwise
        var (found, events): ([[StoredValue]], [EngineEvent]) = ([], [])
        if operations.contains(where: { if case .get = $0 { false } else { true } }) { revision += 1 }
        for operation in operations {
            switch operation {
            case .get(let range, let limit, _):
                let hits = keys(in: range).compactMap { values[$0] }
                found.append(Array(limit == 0 ? hits[...] : hits.prefix(limit)))
            case .put(let key, let value, let lease):
                let stored = StoredValue(
                    key: key, value: value, createRevision: values[key]?.createRevision ?? revision,
                    modRevision: revision, lease: lease)
                values[key] = stored
                events.append(.put(stored))
            case .delete(let range):
                for key in keys(in: range) {
                    values[key] = nil
                    events.append(.deleted(key: key, revision: revision))
                }
            }
        }
        // Before the answer arrives, other hosts may continue.
        let result = TransactionResult(revision: revision, succeeded: succeeded, found: found)
        for listener in listeners where !events.isEmpty { await listener(events) }
        return result
    }

    private func keys(in range: KeyRange) -> [String] {
        switch range {
        case .key(let key): values[key] == nil ? [] : [key]
        case .prefix(let prefix): values.keys.filter { $0.hasPrefix(prefix) }.sorted(by: bytewise)
        case .between(let first, let end):
            values.keys.filter { !bytewise($0, first) && bytewise($0, end) }.sorted(by: bytewise)
        }
    }

    // MARK: Control by tests

    /// Executes the late calls now.
    func settle() async {
        while !late.isEmpty { _ = await carryOut(late.removeFirst()) }
    }

    func copy() -> [String: StoredValue] { values }

    /// Restores an older copy; revisions continue.
    func restore(_ copy: [String: StoredValue]) {
        late = []
        values = copy
    }
}

private func bytewise(_ one: String, _ other: String) -> Bool { one.utf8.lexicographicallyPrecedes(other.utf8) }
