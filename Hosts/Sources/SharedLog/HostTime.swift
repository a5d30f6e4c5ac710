/// The time that a host waits by. A simulation has a time of its own.
package struct HostTime: Sendable {
    package let now: @Sendable () -> ContinuousClock.Instant
    /// Ends sooner, with an error, when it is cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    package static let real = HostTime(now: { .now }, sleep: { try await Task.sleep(for: $0) })
}
