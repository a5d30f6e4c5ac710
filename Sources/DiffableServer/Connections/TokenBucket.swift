import NIOCore

/// So many a second, and more at once after a quiet while: the token bucket of RFC 2697 with one rate.
struct TokenBucket {
    /// Tokens in a second; 0 for as many as one likes.
    let rate: Int
    /// Tokens in the bucket at most.
    private let capacity: Int
    private var tokens: Int
    /// Up to when tokens have been put in.
    private var filled: NIODeadline

    /// - Parameter capacity: by default what comes in a second.
    init(rate: Int, capacity: Int? = nil, at now: NIODeadline) {
        self.rate = rate
        self.capacity = rate > 0 ? capacity ?? rate : .max
        tokens = self.capacity
        filled = now
    }

    var isEmpty: Bool { tokens == 0 }

    /// Takes one out; there must be one. Without a rate there is always another one: so many are never taken.
    mutating func take() { tokens &-= 1 }

    /// Puts in what has come up to now.
    mutating func fill(at now: NIODeadline) {
        guard rate > 0 else { return }
        let untilFull = Self.second * Int64(capacity) / Int64(rate)
        let elapsed = min((now - filled).nanoseconds, untilFull)
        let earned = elapsed * Int64(rate) / Self.second
        // What is left of a token that was not earned whole counts for the next one.
        filled = elapsed == untilFull ? now : filled + .nanoseconds(earned * Self.second / Int64(rate))
        tokens = min(tokens + Int(earned), capacity)
    }

    /// How long it takes until it is worth looking again.
    var pause: TimeAmount { .nanoseconds(max(Self.second / Int64(max(rate, 1)), Self.second / 50)) }

    private static let second: Int64 = 1_000_000_000
}
