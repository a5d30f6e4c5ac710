/// Why an operation is impossible. The list is unchanged.
public enum OperationError: Error, Equatable, Sendable {
    /// The list has no section of this id.
    case noSuchSection(SectionID)
    /// The list has no item of this id.
    case noSuchItem(ItemID)
    /// The list, or what is inserted, has a section of this id already.
    case duplicateSection(SectionID)
    /// The list, or what is inserted, has an item of this id already.
    case duplicateItem(ItemID)
    /// Nothing can be placed beside that, or under that parent.
    case invalidItemAnchor(ItemID, AnchorFault)
    /// Nothing can be placed beside that section.
    case invalidSectionAnchor(SectionID, AnchorFault)
    /// The item would come under itself.
    case ownDescendant(ItemID)
    /// An item would stand deeper than `SnapshotLimits.levelsMax`.
    case tooManyLevels(ItemID, max: Int)
    /// The list would have more items than `SnapshotLimits.itemsMax`.
    case tooManyItems(max: Int)
    /// A patch makes content longer than the limit, in bytes.
    case contentTooLong(ItemID, length: Int, max: Int)
    /// A patch makes the list's own content longer than the limit, in bytes.
    case listContentTooLong(length: Int, max: Int)
    /// The patches of the transaction would read more content than `SnapshotLimits.patchedLengthMax`, in bytes.
    case tooMuchPatched(max: Int)
}

/// Why something that is named cannot say where things go.
public enum AnchorFault: Equatable, Sendable {
    /// It is among what is inserted.
    case isInserted
    /// It is what is moved.
    case isMoved
    /// It does not stand directly in the section, or under the parent, that is named beside it.
    case isElsewhere
    /// It is a parent, and not in the section that is named beside it.
    case isParentElsewhere
}

/// Which operation of a transaction is impossible, counted from zero, and why.
public struct TransactionError: Error, Equatable, Sendable {
    /// Which operation, counted from zero.
    public var index: Int
    /// Why it is impossible.
    public var reason: OperationError

    /// Says why the operation of this index is impossible.
    public init(index: Int, reason: OperationError) {
        self.index = index
        self.reason = reason
    }
}

/// How large a snapshot may grow by operations.
public struct SnapshotLimits: Equatable, Sendable {
    /// Levels of items, children's included: 1 is "no children". A snapshot of at most 24 levels has a JSON form
    /// that stays far from the depth limit of a line.
    public var levelsMax: Int
    /// How many items a list may have, at all depths.
    public var itemsMax: Int
    /// Of content that the patches of one transaction read, in bytes, each time it is patched: a patch of a few bytes costs
    /// as much as the content is long, and a thousand of them fit where one content does.
    public var patchedLengthMax: Int

    /// For what is known to be a list already: lowering a limit must not lose one.
    package static let none = SnapshotLimits(levelsMax: .max, itemsMax: .max, patchedLengthMax: .max)

    /// The limits of a daemon that nobody has set otherwise; lengths are in bytes.
    public init(levelsMax: Int = 24, itemsMax: Int = 10_000_000, patchedLengthMax: Int = 4 << 20) {
        self.levelsMax = levelsMax
        self.itemsMax = itemsMax
        self.patchedLengthMax = patchedLengthMax
    }
}
