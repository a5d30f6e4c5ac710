import DiffableStore
import NIOCore

/// Decides when free memory is given back to the machine: when much became free, and seldom, because other
/// threads wait when they allocate meanwhile.
struct MemoryReturn {
    /// The memory of the process after the last time, in bytes.
    private var lengthAfter = 0
    /// `Background.itemsFreed` at that time.
    private var itemsFreedBefore = 0
    private var isDue = false
    /// Lists shrank: the journal frees the rest a while later.
    private var isDueAgain = false
    private var isUnderway = false
    /// Not before this.
    private var earliest = NIODeadline.uptimeNanoseconds(0)

    enum Next {
        case nothing
        /// It is too soon after the last time.
        case later
        case now
    }

    private static let itemsFreedMin = 8_192
    /// In bytes.
    private static let growthMin = 4 << 20
    private static let interval = TimeAmount.seconds(3)
    /// It takes no more than a hundredth of the time.
    private static let timesAsLong: Int64 = 100

    /// - Parameters:
    ///   - itemsFreed: in the background, since the start.
    ///   - length: the memory of the process, in bytes. Growth may be free already: buffers of requests, for example.
    mutating func note(_ shrinking: Shrinking, itemsFreed: Int, length: Int) {
        if shrinking == .much || itemsFreed - itemsFreedBefore >= Self.itemsFreedMin {
            (isDue, isDueAgain) = (true, true)
        } else if length - lengthAfter > max(Self.growthMin, lengthAfter / 8) {
            isDue = true
        }
    }

    /// Decides. After `now`, `finish` has to be called.
    mutating func next(at time: NIODeadline) -> Next {
        guard isDue else { return .nothing }
        if isUnderway || time < earliest { return .later }
        (isDue, isDueAgain, isUnderway) = (isDueAgain, false, true)
        return .now
    }

    /// - Returns: whether it is due once more.
    mutating func finish(length: Int, itemsFreed: Int, after duration: TimeAmount, at time: NIODeadline) -> Bool {
        isUnderway = false
        lengthAfter = length
        itemsFreedBefore = itemsFreed
        earliest = time + max(Self.interval, .nanoseconds(duration.nanoseconds * Self.timesAsLong))
        return isDue
    }
}
