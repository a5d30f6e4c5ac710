/// Which hosts are there, as one host sees it.
///
/// A host's key goes for a moment when its connector starts again, and what its clients hold is not to go with that. So
/// a host counts as gone when its key was missing for a while, by our own clock. The key itself decides in the end: the
/// swap that ends what a host held compares that it has none.
///
/// The keys are read when the watch has told of one, and with every so many looks, because a watch may miss what it is
/// for. If a thousand hosts read a thousand keys with every look, etcd would do little else.
package struct HostPresence: Sendable {
    private let patience: Duration
    private let looksForOneRead: Int
    /// Those whose keys were there when they were read last; nil when that is too long ago.
    private var found: [String]?
    private var isReadDue = true
    private var looksSinceRead = 0
    /// How many reads have begun.
    private var reads = 0
    /// Since when hosts have been looked for without a break.
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

    /// A key was put or deleted, or may have been.
    package mutating func hear() { isReadDue = true }

    /// Begins a look.
    ///
    /// - Returns: the number of a reading of the keys, when the look needs one.
    package mutating func beginLook() -> Int? {
        looksSinceRead += 1
        guard isReadDue || looksSinceRead >= looksForOneRead else { return nil }
        (isReadDue, looksSinceRead) = (false, 0)
        reads += 1
        return reads
    }

    /// Ends a look.
    ///
    /// - Parameter reading: nil if it needed none. Of those that overlap, the one that began last counts.
    /// - Returns: those who are there, or may be; nil as long as hosts could be back that were not looked for.
    package mutating func hosts(_ reading: Reading?, at now: ContinuousClock.Instant) -> [String]? {
        if let reading, reading.number == reads { found = reading.found }
        guard let found else { return nil }
        for host in found { seen[host] = now }
        seen = seen.filter { now - $0.value <= patience }
        let start = beginning ?? now
        beginning = start
        return now - start < patience ? nil : seen.keys.sorted()
    }

    /// The engine is away. When it is back, so may be all others who could not reach it.
    package mutating func forget() {
        (found, isReadDue) = (nil, true)
        beginning = nil
        seen = [:]
    }
}
