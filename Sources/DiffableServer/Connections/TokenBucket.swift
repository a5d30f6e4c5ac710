import NIOCore

/// So many requests in a second, and as many at once after a quiet second: the token bucket of RFC 2697 with one rate.
struct TokenBucket {
    /// Tokens in a second, and in the bucket at most; 0 for as many as one likes.
    let rate: Int
    private var tokens: Int
    /// Up to when tokens have been put in.
    private var filled: NIODeadline

    init(rate: Int, at now: NIODeadline) {
        self.rate = rate
        tokens = rate > 0 ? rate : .max
        filled = now
    }

    var isEmpty: Bool { tokens == 0 }

    /// Takes one out; there must be one. Without a rate there is always another one: so many are never taken.
    mutating func take() { tokens &-= 1 }

    /// Puts in what has come up to now.
    mutating func fill(at now: NIODeadline) {
        guard rate > 0 else { return }
        let elapsed = min((now - filled).nanoseconds, Self.second)
        let earned = elapsed * Int64(rate) / Self.second
        // What is left of a token that was not earned whole counts for the next one.
        filled = elapsed == Self.second ? now : filled + .nanoseconds(earned * Self.second / Int64(rate))
        tokens = min(tokens + Int(earned), rate)
    }

    /// How long it takes until it is worth looking again.
    var pause: TimeAmount { .nanoseconds(max(Self.second / Int64(max(rate, 1)), Self.second / 50)) }

    private static let second: Int64 = 1_000_000_000
}
