import Diffable

#if DEBUG
    import Glibc
#endif

/// How much of what takes long one turn of the loop has room for; all that is more is for the background.
enum TurnLimits {
    /// In looks at 64 bytes of an item, for all views of a list together: a few milliseconds.
    static let workMax: Int = {
        #if DEBUG
            // A test leaves more to the background than there is need for.
            let planted = getenv("DIFFABLED_PLANTED_WORK_MAX").flatMap { Int(String(cString: $0)) }
            if let planted { return planted }
        #endif
        return 4_096
    }()

    /// How many pages of 32 items two states may not share, for their difference to be found at once.
    static let pagesMax = workMax / 64

    /// Of how many items a state is freed at once: a few milliseconds.
    static let itemsFreedMax = 2 * workMax
}

extension Snapshot {
    /// Whether a turn has room to find the difference from another state.
    func isNear(_ old: Snapshot) -> Bool { isNear(old, pagesMax: TurnLimits.pagesMax) }
}
