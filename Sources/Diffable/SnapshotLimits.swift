/// The maximum size of a snapshot after operations.
public struct SnapshotLimits: Equatable, Sendable {
    /// The maximum number of levels of items; 1 allows no children. With at most 24 levels, the JSON form of a snapshot
    /// is well within the depth limit of a line.
    public var levelsMax: Int
    /// The maximum number of items, at all depths.
    public var itemsMax: Int
    /// The maximum content that the patches of one transaction read, in bytes, counted for each patch. It limits the
    /// work, because a patch of a few bytes costs as much as the content is long, and a request can contain thousands.
    public var patchedLengthMax: Int

    /// For states that existed before, because lowering a limit must not lose any.
    package static let none = SnapshotLimits(levelsMax: .max, itemsMax: .max, patchedLengthMax: .max)

    /// The default limits. Lengths are in bytes.
    public init(levelsMax: Int = 24, itemsMax: Int = 10_000_000, patchedLengthMax: Int = 4 << 20) {
        self.levelsMax = levelsMax
        self.itemsMax = itemsMax
        self.patchedLengthMax = patchedLengthMax
    }
}
