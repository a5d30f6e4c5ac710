import CSystemd
import Glibc

/// Tells the service manager the state of the service (sd_notify(3)).
///
///     Notifier().notify(.ready, .status("3 lists"))
///
/// Without a listener (no `NOTIFY_SOCKET` in the environment: a terminal, another init) it does nothing, so callers
/// need not ask whether systemd is there. It sends one datagram and does not wait for an answer.
package struct Notifier: Sendable {
    package enum Notice: Equatable, Sendable {
        /// The start is finished: units that wait for this one may go on.
        case ready
        /// The configuration is being read again; `ready` ends that.
        case reloading
        /// Shutting down has begun.
        case stopping
        /// One line for `systemctl status`.
        case status(String)
        /// The service is alive; without this for `WatchdogSec` the manager restarts it.
        case watchdog
    }

    package enum Delivery: Equatable, Sendable {
        case sent
        case nobodyListens
        /// With the system's error number.
        case failed(Int32)
    }

    package init() {}

    /// Sends the notices as one datagram. A lost notice is not worth stopping for, so nothing is thrown.
    @discardableResult
    package func notify(_ notices: Notice...) -> Delivery {
        let result = sd_notify(0, notices.map(\.assignment).joined(separator: "\n"))
        return result > 0 ? .sent : result == 0 ? .nobodyListens : .failed(-result)
    }
}

extension Notifier.Notice {
    /// As in the datagram, where a newline would begin another assignment.
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

/// As the service manager reads its clock, so that it can tell several reloads apart.
private func monotonicMicroseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
}
