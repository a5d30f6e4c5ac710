/// The present hosts, as one host sees them.
///
/// A host's key is missing for a moment while its connector restarts, and its clients must keep their leases. So a host counts
/// as absent when its key was missing for some time on our own clock. Finally the key itself decides: the compare-and-swap that
/// ends the host's leases checks that the key is missing.
///
/// The keys are read after a watch event about one, and with every few polls, because a watch may miss events. If a thousand
/// hosts read a thousand keys with every poll, etcd would be busy with that alone.
package struct HostPresence: Sendable {
    private let patience: Duration
    private let looksForOneRead: Int
    /// The hosts with keys at the last reading; nil when that is too long ago.
    private var found: [String]?
    private var isReadDue = true
    private var looksSinceRead = 0
    /// The number of readings begun.
    private var reads = 0
    /// The time since which hosts were read without a break.
    private var beginning: ContinuousClock.Instant?
    private var seen: [String: ContinuousClock.Instant] = [:]

    package struct Reading: Sendable {
        let number: Int
        let found: [String]

        package init(number: Int, found: [String]) { (self.number, self.found) = (number, found) }
    }

    package init(patience: Duration, looksForOneRead: Int) {
        (self.patience, self.looksForOneRead) = (patience, looksForOneRead)
    }

    /// Notes that a key may have changed.
    package mutating func hear() { isReadDue = true }

    /// Begins a poll.
    ///
    /// - Returns: the number of a reading of the keys, if the poll needs one.
    package mutating func beginLook() -> Int? {
        looksSinceRead += 1
        guard isReadDue || looksSinceRead >= looksForOneRead else { return nil }
        (isReadDue, looksSinceRead) = (false, 0)
        reads += 1
        return reads
    }

    /// Ends a poll.
    ///
    /// - Parameter reading: nil if it needed none. The latest of overlapping readings counts.
    /// - Returns: the hosts that may be present; nil while unread hosts could have returned.
    package mutating func hosts(_ reading: Reading?, at now: ContinuousClock.Instant) -> [String]? {
        if let reading, reading.number == reads { found = reading.found }
        guard let found else { return nil }
        for host in found { seen[host] = now }
        seen = seen.filter { now - $0.value <= patience }
        let start = beginning ?? now
        beginning = start
        return now - start < patience ? nil : seen.keys.sorted()
    }

    /// Notes that etcd is unreachable. After an outage, other hosts may return at the same time.
    package mutating func forget() {
        (found, isReadDue) = (nil, true)
        beginning = nil
        seen = [:]
    }
}
