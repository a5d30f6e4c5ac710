import DequeModule
import Diffable

/// What came of a request with a key, for whoever sends it again.
package struct FirstResult: Sendable, Equatable {
    let key: RequestKey
    /// Of what was asked: `RequestDigest`.
    let digest: Int64
    /// Counts the list's requests that had a key and were not refused, from one.
    private(set) var number: Int
    /// As it was answered.
    let revision: Int
    let isChanged: Bool
    /// Of an answer that had one.
    let summary: DifferenceSummary?
    let time: Timestamp
}

/// A request that has a key.
struct KeyedRequest: Sendable {
    let key: RequestKey
    let digest: Int64
    /// Whether its answer counts what changed.
    let isSummarized: Bool
}

/// What came of the requests with a key that one list was sent, as far back as it is kept.
struct RequestWindow: Sendable {
    private var results: [RequestKey: FirstResult] = [:]
    /// Oldest first. Those that are on disk come before those that are on their way there.
    private var order: Deque<FirstResult> = []
    /// How many of them are on disk.
    private var settledCount = 0
    private(set) var lastNumber = 0

    /// How many requests are remembered.
    var count: Int { order.count }
    var oldestNumber: Int? { order.first?.number }

    subscript(_ key: RequestKey) -> FirstResult? { results[key] }

    /// Takes note of a result that is on its way to the disk. Its number is the one after `lastNumber`.
    mutating func append(_ result: FirstResult) {
        results[result.key] = result
        order.append(result)
        lastNumber = result.number
    }

    /// A result, the oldest that was not on disk, is there now.
    mutating func settle(_ limits: RequestLimits) {
        settledCount += 1
        while settledCount > limits.keysMax { removeOldest() }
    }

    /// A result, the newest, has not come to the disk.
    mutating func refuse(_ result: FirstResult) {
        guard let last = order.popLast() else { return }
        precondition(last.number == result.number, "what is newest is refused first")
        lastNumber = last.number - 1
        if results[last.key]?.number == last.number { results[last.key] = nil }
    }

    /// Lets go of what is too old.
    mutating func trim(_ limits: RequestLimits, now: Timestamp) {
        while settledCount > 0, let oldest = order.first, oldest.isPast(limits, now: now) { removeOldest() }
    }

    private mutating func removeOldest() {
        let oldest = order.removeFirst()
        settledCount -= 1
        // The key may have been used again, when it was too old to count.
        if results[oldest.key]?.number == oldest.number { results[oldest.key] = nil }
    }
}

extension FirstResult {
    func numbered(_ number: Int) -> FirstResult {
        var result = self
        result.number = number
        return result
    }

    func isPast(_ limits: RequestLimits, now: Timestamp) -> Bool {
        now.milliseconds - time.milliseconds > limits.ageMax * 1_000
    }
}

/// How long the keys of requests are remembered.
package struct RequestLimits: Sendable, Equatable {
    /// Of one list.
    package var keysMax: Int
    /// In seconds.
    package var ageMax: Int

    package init(keysMax: Int = 65_536, ageMax: Int = 86_400) {
        self.keysMax = keysMax
        self.ageMax = ageMax
    }
}
