import CSystemd

/// The service manager's demand for signs of life (`WatchdogSec` in the unit, sd_watchdog_enabled(3)).
package struct Watchdog: Equatable, Sendable {
    /// After this long without a sign the manager ends the service.
    package let timeout: Duration

    /// How often to give a sign: twice in each timeout, as systemd advises, so that one late sign does not kill the
    /// service.
    package var interval: Duration { timeout / 2 }

    /// `nil` where nobody asked this process for signs of life.
    package init?() {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        self.timeout = .microseconds(Int64(clamping: microseconds))
    }
}
