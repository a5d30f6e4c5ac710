/// The clock and timer of a host. A simulation replaces it by virtual time.
package struct HostTime: Sendable {
    package let now: @Sendable () -> ContinuousClock.Instant
    /// Sleeps; throws at once when it is cancelled.
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
