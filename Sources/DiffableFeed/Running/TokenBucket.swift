/// Limits how often an action happens: a number of times at once, and then a number of times each second (a token bucket).
struct TokenBucket {
    private let max: Double
    private let perSecond: Double
    private var left: Double
    private var time: ContinuousClock.Instant

    init(_ max: Int, perSecond: Int, at now: ContinuousClock.Instant) {
        self.max = Double(max)
        self.perSecond = Double(perSecond)
        left = Double(max)
        time = now
    }

    /// Takes one token. Returns false if none is left.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        left = min(left + (now - time) / .seconds(1) * perSecond, max)
        time = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
