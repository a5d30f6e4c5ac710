/// Why an operation is impossible. The list is unchanged.
public enum OperationError: Error, Equatable, Sendable {
    /// The list has no section with this id.
    case noSuchSection(SectionID)
    /// The list has no item with this id.
    case noSuchItem(ItemID)
    /// The list or the inserted sections already contain this id.
    case duplicateSection(SectionID)
    /// The list or the inserted items already contain this id.
    case duplicateItem(ItemID)
    /// The item cannot be an anchor or a parent here.
    case invalidItemAnchor(ItemID, AnchorFault)
    /// The section cannot be an anchor here.
    case invalidSectionAnchor(SectionID, AnchorFault)
    /// The item would be placed under itself.
    case ownDescendant(ItemID)
    /// An item would be deeper than `SnapshotLimits.levelsMax`.
    case tooManyLevels(ItemID, max: Int)
    /// The list would have more items than `SnapshotLimits.itemsMax`.
    case tooManyItems(max: Int)
    /// A patch makes a content longer than the limit, in bytes.
    case contentTooLong(ItemID, length: Int, max: Int)
    /// A patch makes the list's own content longer than the limit, in bytes.
    case listContentTooLong(length: Int, max: Int)
    /// The patches of the transaction would read more content than `SnapshotLimits.patchedLengthMax`, in bytes.
    case tooMuchPatched(max: Int)
}

/// Why an item or section cannot define a position.
public enum AnchorFault: Equatable, Sendable {
    /// The same operation inserts it.
    case isInserted
    /// The same operation moves it.
    case isMoved
    /// It is not directly in the section or under the parent that is given with it.
    case isElsewhere
    /// It is a parent outside of the section that is given with it.
    case isParentElsewhere
}

/// The operation of a transaction that is impossible, and the reason.
public struct TransactionError: Error, Equatable, Sendable {
    /// The index of the operation, from zero.
    public var index: Int
    /// The reason.
    public var reason: OperationError

    /// Creates an error for the operation at an index.
    public init(index: Int, reason: OperationError) {
        self.index = index
        self.reason = reason
    }
}
