import DequeModule
import Diffable

/// The result of a request with a key, for whoever sends the request again.
package struct FirstResult: Sendable, Equatable {
    let key: RequestKey
    /// Of the request: `RequestDigest`.
    let digest: Int64
    /// Counts the list's requests that had a key and were not refused, from one.
    private(set) var number: Int
    /// As it was answered.
    let revision: Int
    let isChanged: Bool
    /// Nil for a reply without a summary.
    let summary: DifferenceSummary?
    let time: RunningTime
}

/// A request that has a key.
struct KeyedRequest: Sendable {
    let key: RequestKey
    let digest: Int64
    /// Whether its reply has a summary of what changed.
    let isSummarized: Bool
}

/// The results of one list's requests with a key, as far back as they are kept.
struct RequestWindow: Sendable {
    private var results: [RequestKey: FirstResult] = [:]
    /// Oldest first. Those that are on disk come before those that are on their way there.
    private var order: Deque<FirstResult> = []
    /// How many of them are on disk.
    private(set) var settledCount = 0
    private(set) var lastNumber = 0

    /// How many requests are remembered.
    var count: Int { order.count }
    var oldestNumber: Int? { order.first?.number }

    subscript(_ key: RequestKey) -> FirstResult? { results[key] }

    /// Remembers a result that is not on disk yet. Its number is the one after `lastNumber`.
    mutating func append(_ result: FirstResult) {
        results[result.key] = result
        order.append(result)
        lastNumber = result.number
    }

    /// The oldest result that was not on disk is on disk now.
    mutating func settle(_ limits: RequestLimits) {
        settledCount += 1
        while settledCount > limits.keysMax { removeOldest() }
    }

    /// Forgets the newest result, which did not come to the disk.
    mutating func refuse(_ result: FirstResult) {
        guard let last = order.popLast() else { return }
        precondition(last.number == result.number, "what is newest is refused first")
        lastNumber = last.number - 1
        if results[last.key]?.number == last.number { results[last.key] = nil }
    }

    /// Forgets results that are too old.
    mutating func trim(_ limits: RequestLimits, now: RunningTime) {
        while settledCount > 0, let oldest = order.first, oldest.isPast(limits, now: now) { removeOldest() }
    }

    /// All that are remembered, oldest first.
    var all: some Collection<FirstResult> { order }

    /// Forgets the oldest results on disk until this many are left.
    mutating func shorten(to countMax: Int) {
        while settledCount > countMax { removeOldest() }
    }

    private mutating func removeOldest() {
        let oldest = order.removeFirst()
        settledCount -= 1
        // A key that was too old to count may have been used again.
        if results[oldest.key]?.number == oldest.number { results[oldest.key] = nil }
    }
}

extension FirstResult {
    func numbered(_ number: Int) -> FirstResult {
        var result = self
        result.number = number
        return result
    }

    func isPast(_ limits: RequestLimits, now: RunningTime) -> Bool {
        time.isOlder(than: limits.ageMax, at: now)
    }
}

/// How long the keys of requests are remembered.
package struct RequestLimits: Sendable, Equatable {
    /// Of one list.
    package var keysMax: Int
    /// Of all lists together.
    package var keysInAllMax: Int
    /// In seconds for which a daemon has run (`RunningTime`).
    package var ageMax: Int

    package init(keysMax: Int = 65_536, keysInAllMax: Int = 65_536, ageMax: Int = 86_400) {
        self.keysMax = keysMax
        self.keysInAllMax = keysInAllMax
        self.ageMax = ageMax
    }
}
