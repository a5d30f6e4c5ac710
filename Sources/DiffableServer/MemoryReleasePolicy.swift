import DiffableStore
import NIOCore

/// Decides when free memory is returned to the system: when much has become free, and seldom, because other threads
/// that allocate have to wait then.
struct MemoryReleasePolicy {
    /// The memory of the process after the last return, in bytes.
    private var lengthAfter = 0
    /// `Background.itemsFreed` at that time.
    private var itemsFreedBefore = 0
    private var isDue = false
    /// Set when lists have shrunk, because the journal frees the rest a while later.
    private var isDueAgain = false
    private var isUnderway = false
    /// The earliest time of the next return.
    private var earliest = NIODeadline.uptimeNanoseconds(0)

    enum Next {
        case nothing
        /// Too soon after the last return.
        case later
        case now
    }

    private static let itemsFreedMin = 8_192
    /// The minimal growth since the last return, in bytes, that makes a return due.
    private static let growthMin = 4 << 20
    private static let interval = TimeAmount.seconds(3)
    /// The pause after a return, as a multiple of its duration, so that it takes at most 1/100 of the time.
    private static let timesAsLong: Int64 = 100

    /// - Parameters:
    ///   - itemsFreed: the number of items freed in the background since startup.
    ///   - length: the memory of the process, in bytes. Growth may be free memory already, such as buffers of requests.
    mutating func note(_ shrinking: Shrinking, itemsFreed: Int, length: Int) {
        if shrinking == .much || itemsFreed - itemsFreedBefore >= Self.itemsFreedMin {
            (isDue, isDueAgain) = (true, true)
        } else if length - lengthAfter > max(Self.growthMin, lengthAfter / 8) {
            isDue = true
        }
    }

    /// Decides. After `now`, the caller has to call `finish`.
    mutating func next(at time: NIODeadline) -> Next {
        guard isDue else { return .nothing }
        if isUnderway || time < earliest { return .later }
        (isDue, isDueAgain, isUnderway) = (isDueAgain, false, true)
        return .now
    }

    /// - Returns: whether another return is due.
    mutating func finish(length: Int, itemsFreed: Int, after duration: TimeAmount, at time: NIODeadline) -> Bool {
        isUnderway = false
        lengthAfter = length
        itemsFreedBefore = itemsFreed
        earliest = time + max(Self.interval, .nanoseconds(duration.nanoseconds * Self.timesAsLong))
        return isDue
    }
}
