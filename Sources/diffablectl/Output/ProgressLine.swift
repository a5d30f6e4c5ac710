import DiffableInput
import Glibc
import Synchronization

/// Shows the progress of long work on one line of a terminal. Elsewhere it writes nothing.
final class ProgressLine: Sendable {
    private let verb: String
    private let noun: String
    private let state = Mutex(State())

    private struct State {
        var isShown = false
        var lastShownNanoseconds: UInt64 = 0
    }

    /// Less work than this ends before a user could read the line.
    private static let shownFrom = 5_000
    private static let intervalNanoseconds: UInt64 = 100_000_000

    /// `verb` is the work, such as `sending`; `noun` is the name of the counted things, in the plural.
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
            writeToStandardError("\r\(verb) \(grouped(count)) \(noun)\u{1B}[K")
        }
    }

    func end() {
        state.withLock { state in
            if state.isShown { writeToStandardError("\r\u{1B}[K") }
            state.isShown = false
        }
    }

    private static func nowNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
