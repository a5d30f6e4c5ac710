/// Which hosts are there, as one host sees it.
///
/// A host's key goes for a moment when its connector starts again, and what its clients hold is not to go with that. So
/// a host counts as gone when its key was missing for a while, by our own clock. The key itself decides in the end: the
/// swap that ends what a host held compares that it has none.
package struct HostPresence: Sendable {
    private let patience: Duration
    /// Since when hosts have been looked for without a break.
    private var beginning: ContinuousClock.Instant?
    private var seen: [String: ContinuousClock.Instant] = [:]

    package init(patience: Duration) { self.patience = patience }

    /// - Parameter found: those whose keys are there.
    /// - Returns: those who are there, or may be; nil as long as hosts could be back that were not looked for.
    package mutating func hosts(_ found: [String], at now: ContinuousClock.Instant) -> [String]? {
        for host in found { seen[host] = now }
        seen = seen.filter { now - $0.value <= patience }
        let start = beginning ?? now
        beginning = start
        return now - start < patience ? nil : seen.keys.sorted()
    }

    /// The engine is away. When it is back, so may be all others who could not reach it.
    package mutating func forget() {
        beginning = nil
        seen = [:]
    }
}
