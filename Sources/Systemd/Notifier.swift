import CSystemd
import Glibc

/// Notifies the service manager of the state of the service (sd_notify(3)).
///
///     Notifier().notify(.ready, .status("3 lists"))
///
/// Without a `NOTIFY_SOCKET` in the environment (a terminal, another init) it does nothing, so callers need not check for
/// systemd. It sends one datagram and does not wait for an answer.
package struct Notifier: Sendable {
    package enum Notice: Equatable, Sendable {
        /// Startup is finished; units that wait for this unit may start.
        case ready
        /// The configuration is being read again, until the next `ready`.
        case reloading
        case stopping
        /// One line for `systemctl status`.
        case status(String)
        /// The service is alive. Without this for `WatchdogSec`, the manager restarts it.
        case watchdog
    }

    package enum Delivery: Equatable, Sendable {
        case sent
        case nobodyListens
        /// Carries the system's error number.
        case failed(Int32)
    }

    package init() {}

    /// Sends the notices as one datagram. Throws nothing, because losing a notice does not justify stopping.
    @discardableResult
    package func notify(_ notices: Notice...) -> Delivery {
        let result = sd_notify(0, notices.map(\.assignment).joined(separator: "\n"))
        return result > 0 ? .sent : result == 0 ? .nobodyListens : .failed(-result)
    }
}

extension Notifier.Notice {
    /// The assignment in the datagram. A newline in it would begin another assignment.
    var assignment: String {
        switch self {
        case .ready: "READY=1"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds())"
        case .stopping: "STOPPING=1"
        case .status(let text): "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
        case .watchdog: "WATCHDOG=1"
        }
    }
}

/// Returns the time on the service manager's clock, with which it distinguishes reloads.
private func monotonicMicroseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
}
