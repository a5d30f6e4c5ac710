/// The pause before the next attempt. It doubles each time and has a random part, which keeps the clients of a restarted daemon
/// from reconnecting at the same moment ("equal jitter", Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog,
/// 2015).
package enum Backoff {
    static let first = Duration.milliseconds(50)
    static let longest = Duration.seconds(2)

    /// None before the first attempt; otherwise between half and all of 50 ms, 100 ms and so on up to 2 s.
    package static func pause(
        afterFailures failures: Int, from first: Duration = Backoff.first, upTo longest: Duration = Backoff.longest
    ) -> Duration {
        guard failures > 0 else { return .zero }
        return doubled(first, times: failures - 1, upTo: longest) * Double.random(in: 0.5...1)
    }

    package static func doubled(_ pause: Duration, times: Int, upTo longest: Duration) -> Duration {
        // After this many doublings, the result is `longest` in any case.
        min(pause * (1 << min(times, 20)), longest)
    }
}
