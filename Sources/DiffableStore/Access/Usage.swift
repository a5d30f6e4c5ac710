import Diffable
import Glibc

/// The resources of one user's lists, for that user's limits. Each list with a head counts, by its head.
final class Usage {
    let owner: UInt32
    fileprivate(set) var lists = 0
    /// The total `Snapshot.lengthCounted` with schemas, in bytes.
    fileprivate(set) var length = 0

    fileprivate init(of owner: UInt32) { self.owner = owner }

    /// Root's lists and those of the daemon's user have no limit, because these users control the machine or the daemon anyway.
    var isLimited: Bool { Usage.isLimited(owner) }

    static func isLimited(_ owner: UInt32) -> Bool { owner != 0 && owner != geteuid() }
}

/// The account that a list counts towards, and its counted length.
struct CountedUsage {
    fileprivate(set) var usage: Usage?
    fileprivate(set) var length = 0

    /// - Parameter length: the list's length, in bytes; nil if it does not exist.
    fileprivate mutating func count(_ length: Int?, for usage: Usage?) {
        if usage !== self.usage {
            self.usage?.lists -= 1
            self.usage?.length -= self.length
            self.length = 0
            self.usage = usage
            usage?.lists += 1
        }
        usage?.length += (length ?? 0) - self.length
        self.length = length ?? 0
    }
}

struct Usages {
    /// Has entries only for users with lists.
    private var usages: [UInt32: Usage] = [:]
    private var meter = LengthMeter()

    subscript(owner: UInt32) -> Usage? { usages[owner] }
    /// The number of lists of root and of the daemon's user.
    var numberOfUnlimitedLists: Int { (usages[0]?.lists ?? 0) + (geteuid() == 0 ? 0 : usages[geteuid()]?.lists ?? 0) }
    var all: some Collection<Usage> { usages.values }

    /// Updates the account after a list's head, or the head's owner, may have changed. O(1).
    mutating func recount(_ held: StoredList) {
        let before = held.counted.length
        count(held)
        meter.add(held.counted.length - before)
    }

    private mutating func count(_ held: StoredList) {
        let former = held.counted.usage
        guard let head = held.head else {
            held.counted.count(nil, for: nil)
            return forget(former)
        }
        let owner = held.headAccess.user
        let length = head.snapshot.lengthCounted + (held.headSchemas?.lengthCounted ?? 0)
        if let former, former.owner == owner { return held.counted.count(length, for: former) }
        held.counted.count(length, for: usage(of: owner))
        forget(former)
    }

    private mutating func usage(of owner: UInt32) -> Usage {
        if let usage = usages[owner] { return usage }
        let usage = Usage(of: owner)
        usages[owner] = usage
        return usage
    }

    mutating func noteShrinking() -> Shrinking { meter.noteShrinking() }

    private mutating func forget(_ usage: Usage?) {
        if let usage, usage.lists == 0 { usages[usage.owner] = nil }
    }
}

/// Detects that much memory has become free.
package struct LengthMeter {
    private var length = 0
    /// The largest value since the last `.much`.
    private var lengthMost = 0

    package init() {}

    package mutating func add(_ growth: Int) {
        length += growth
        lengthMost = max(lengthMost, length)
    }

    /// Whether the length has fallen by more than 1/8 and more than 1 MiB from its largest value since the last `.much`.
    package mutating func noteShrinking() -> Shrinking {
        let lost = lengthMost - length
        // Ordinary variation does not count.
        guard lost > 1 << 20, lost > lengthMost / 8 else { return .little }
        lengthMost = length
        return .much
    }
}

package enum Shrinking: Sendable {
    case little
    /// Enough to return memory to the system.
    case much
}
