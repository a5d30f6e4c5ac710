/// How long to wait before the next attempt: twice as long each time, and not all at the same moment.
///
/// The random part keeps the clients of a daemon that went away from coming back together ("equal jitter", Marc
/// Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
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

    /// Without the random part.
    package static func doubled(_ pause: Duration, times: Int, upTo longest: Duration) -> Duration {
        // Past this shift it is the longest in any case.
        min(pause * (1 << min(times, 20)), longest)
    }
}
