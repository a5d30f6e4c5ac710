#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif
import Synchronization

/// Tells on a terminal how far long work is, on one line that is written over. Elsewhere it says nothing.
final class ProgressLine: Sendable {
    private let verb: String
    private let noun: String
    private let state = Mutex(State())

    private struct State {
        var isShown = false
        /// On the monotonic clock.
        var lastShownNanoseconds: UInt64 = 0
    }

    /// Work on fewer things than this is over before one has read about it.
    private static let shownFrom = 5_000
    private static let intervalNanoseconds: UInt64 = 100_000_000

    /// - Parameters:
    ///   - verb: what is done, such as `sending`.
    ///   - noun: to what, in the plural.
    init(_ verb: String, _ noun: String) {
        self.verb = verb
        self.noun = noun
    }

    func show(_ count: Int) {
        guard count >= ProgressLine.shownFrom, Terminal.showsProgress else { return }
        state.withLock { state in
            let now = ProgressLine.nowNanoseconds()
            guard now - state.lastShownNanoseconds >= ProgressLine.intervalNanoseconds else { return }
            state = State(isShown: true, lastShownNanoseconds: now)
            write(Array("\r\(verb) \(grouped(count)) \(noun)\u{1B}[K".utf8), to: STDERR_FILENO)
        }
    }

    /// Takes the line away.
    func end() {
        state.withLock { state in
            if state.isShown { write(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO) }
            state.isShown = false
        }
    }

    private static func nowNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
