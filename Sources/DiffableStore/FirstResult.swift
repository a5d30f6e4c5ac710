import DequeModule
import Diffable

/// The result of a request with a key. A repeated request gets the same result.
package struct FirstResult: Sendable, Equatable {
    let key: RequestKey
    /// The `RequestDigest` of the request.
    let digest: Int64
    /// The number of this request among the list's accepted requests with a key, starting at one.
    private(set) var number: Int
    let revision: Int
    let isChanged: Bool
    /// Nil for a reply without a summary.
    let summary: DifferenceSummary?
    let time: RunningTime
}

struct KeyedRequest: Sendable {
    let key: RequestKey
    let digest: Int64
    let isSummarized: Bool
}

/// The remembered results of one list's requests with a key.
struct RequestWindow: Sendable {
    private var results: [RequestKey: FirstResult] = [:]
    /// Oldest first. Results on disk precede results that are not on disk yet.
    private var order: Deque<FirstResult> = []
    /// The number of results on disk.
    private(set) var settledCount = 0
    private(set) var lastNumber = 0

    var count: Int { order.count }
    var oldestNumber: Int? { order.first?.number }

    subscript(_ key: RequestKey) -> FirstResult? { results[key] }

    /// Remembers a result that is not on disk yet. Its number is the one after `lastNumber`.
    mutating func append(_ result: FirstResult) {
        results[result.key] = result
        order.append(result)
        lastNumber = result.number
    }

    /// Marks the oldest unsettled result as on disk.
    mutating func markOldestWritten(_ limits: RequestLimits) {
        settledCount += 1
        while settledCount > limits.keysMax { removeOldest() }
    }

    /// Forgets the newest result, because it was not written.
    mutating func forgetNewest(_ result: FirstResult) {
        guard let last = order.popLast() else { return }
        precondition(last.number == result.number, "what is newest is refused first")
        lastNumber = last.number - 1
        if results[last.key]?.number == last.number { results[last.key] = nil }
    }

    mutating func trim(_ limits: RequestLimits, now: RunningTime) {
        while settledCount > 0, let oldest = order.first, oldest.isExpired(limits, now: now) { removeOldest() }
    }

    /// All remembered results, oldest first.
    var all: some Collection<FirstResult> { order }

    /// Forgets the oldest results on disk until at most `countMax` are left.
    mutating func shorten(to countMax: Int) {
        while settledCount > countMax { removeOldest() }
    }

    private mutating func removeOldest() {
        let oldest = order.removeFirst()
        settledCount -= 1
        // The key may have been used again after the old result expired.
        if results[oldest.key]?.number == oldest.number { results[oldest.key] = nil }
    }
}

extension FirstResult {
    func numbered(_ number: Int) -> FirstResult {
        var result = self
        result.number = number
        return result
    }

    func isExpired(_ limits: RequestLimits, now: RunningTime) -> Bool {
        time.isOlder(than: limits.ageMax, at: now)
    }
}

package struct RequestLimits: Sendable, Equatable {
    /// The maximum number of keys of one list.
    package var keysMax: Int
    /// The maximum number of keys of all lists.
    package var keysInAllMax: Int
    /// In seconds of `RunningTime`.
    package var ageMax: Int

    package init(keysMax: Int = 65_536, keysInAllMax: Int = 65_536, ageMax: Int = 86_400) {
        self.keysMax = keysMax
        self.keysInAllMax = keysInAllMax
        self.ageMax = ageMax
    }
}
