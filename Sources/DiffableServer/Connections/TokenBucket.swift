import NIOCore

/// Limits a rate per second, with bursts after idle periods: the token bucket of RFC 2697 with one rate.
struct TokenBucket {
    /// Tokens per second; 0 for no limit.
    let rate: Int
    private let capacity: Int
    private var tokens: Int
    /// The time up to which tokens have been added.
    private var filled: NIODeadline

    /// - Parameter capacity: by default the tokens of one second.
    init(rate: Int, capacity: Int? = nil, at now: NIODeadline) {
        self.rate = rate
        self.capacity = rate > 0 ? capacity ?? rate : .max
        tokens = self.capacity
        filled = now
    }

    var isEmpty: Bool { tokens == 0 }

    /// Takes a token; the bucket must not be empty. Without a rate it never is: its capacity is practically unlimited.
    mutating func take() { tokens &-= 1 }

    mutating func fill(at now: NIODeadline) {
        guard rate > 0 else { return }
        let untilFull = Self.second * Int64(capacity) / Int64(rate)
        let elapsed = min((now - filled).nanoseconds, untilFull)
        let earned = elapsed * Int64(rate) / Self.second
        // The remainder of a token counts towards the next one.
        filled = elapsed == untilFull ? now : filled + .nanoseconds(earned * Self.second / Int64(rate))
        tokens = min(tokens + Int(earned), capacity)
    }

    /// The time until it is worth filling again.
    var pause: TimeAmount { .nanoseconds(max(Self.second / Int64(max(rate, 1)), Self.second / 50)) }

    private static let second: Int64 = 1_000_000_000
}
