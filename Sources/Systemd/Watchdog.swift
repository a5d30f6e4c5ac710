import CSystemd

/// The service manager's watchdog (`WatchdogSec` in the unit, sd_watchdog_enabled(3)).
package struct Watchdog: Equatable, Sendable {
    /// The time without a keep-alive after which the manager ends the service.
    package let timeout: Duration

    /// The interval between keep-alives: half the timeout, as systemd advises, so that one late keep-alive does no harm.
    package var interval: Duration { timeout / 2 }

    /// Returns nil if the unit has no watchdog for this process.
    package init?() {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        self.timeout = .microseconds(Int64(clamping: microseconds))
    }
}
