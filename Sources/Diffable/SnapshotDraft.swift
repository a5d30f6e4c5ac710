/// A snapshot that a program changes by UIKit's verbs, and the operations that it took.
///
///     var draft = SnapshotDraft(snapshot)
///     try draft.appendItems([Item(id: "milk")], toSection: "today")
///     try draft.moveItem("bread", beforeItem: "milk")
///
/// The verbs are those of `NSDiffableDataSourceSnapshot` and `NSDiffableDataSourceSectionSnapshot`; what UIKit raises or
/// passes over is thrown (`docs/protocol-errors.md` says which error for which misuse), and a verb that throws has changed nothing.
/// Each costs O(log n) for each item that it names.
public struct SnapshotDraft: Sendable {
    /// With all that was changed so far. What UIKit's snapshots can be asked, this can.
    public private(set) var snapshot: Snapshot
    /// What was changed so far, in order.
    public private(set) var operations: [ListOperation] = []

    /// Begins with this state, and no operations. O(1).
    public init(_ snapshot: Snapshot) { self.snapshot = snapshot }

    /// Changes what no verb here does.
    public mutating func apply(_ operation: ListOperation) throws(OperationError) {
        do { snapshot = try snapshot.applying([operation]) } catch { throw error.reason }
        operations.append(operation)
    }
}

// MARK: - Sections

extension SnapshotDraft {
    /// Puts sections behind the last one. Throws `OperationError.duplicateSection` or `OperationError.duplicateItem`
    /// for what is there.
    public mutating func appendSections(_ sections: [Section]) throws(OperationError) {
        try apply(.appendSections(sections))
    }

    /// Puts sections before another. Throws `OperationError.noSuchSection`, `OperationError.invalidSectionAnchor` when
    /// the other is one of them, or `OperationError.duplicateSection` and `OperationError.duplicateItem` for what is there.
    public mutating func insertSections(
        _ sections: [Section], beforeSection section: SectionID
    ) throws(OperationError) {
        try apply(.insertSections(sections, at: .before(section)))
    }

    /// Puts sections behind another. Throws `OperationError.noSuchSection`, `OperationError.invalidSectionAnchor` when
    /// the other is one of them, or `OperationError.duplicateSection` and `OperationError.duplicateItem` for what is there.
    public mutating func insertSections(_ sections: [Section], afterSection section: SectionID) throws(OperationError) {
        try apply(.insertSections(sections, at: .after(section)))
    }

    /// Their items go, too.
    public mutating func deleteSections(_ sections: [SectionID]) throws(OperationError) {
        try apply(.deleteSections(sections))
    }

    /// Puts a section before another. Throws `OperationError.noSuchSection`, or `OperationError.invalidSectionAnchor`
    /// when both are one.
    public mutating func moveSection(
        _ section: SectionID, beforeSection other: SectionID
    ) throws(OperationError) {
        try apply(.moveSection(section, to: .before(other)))
    }

    /// Puts a section behind another. Throws `OperationError.noSuchSection`, or `OperationError.invalidSectionAnchor`
    /// when both are one.
    public mutating func moveSection(_ section: SectionID, afterSection other: SectionID) throws(OperationError) {
        try apply(.moveSection(section, to: .after(other)))
    }

    /// Asks whoever shows them to draw them again.
    public mutating func reloadSections(_ sections: [SectionID]) throws(OperationError) {
        try apply(.reloadSections(sections.map { SectionReload(id: $0) }))
    }
}

// MARK: - Items

extension SnapshotDraft {
    /// Puts items behind the last one of a section. Throws `OperationError.noSuchSection`, or
    /// `OperationError.duplicateItem` for what is there.
    ///
    /// - Parameters:
    ///   - items: with their children.
    ///   - section: nil: the last one; in a list without sections a new one is made.
    public mutating func appendItems(_ items: [Item], toSection section: SectionID? = nil) throws(OperationError) {
        try apply(.appendItems(items, to: section.map { .section($0) } ?? .lastSection))
    }

    /// Puts items before another, as its siblings. Throws `OperationError.noSuchItem`,
    /// `OperationError.invalidItemAnchor` when the other is one of them, or `OperationError.duplicateItem` for what is
    /// there.
    public mutating func insertItems(_ items: [Item], beforeItem item: ItemID) throws(OperationError) {
        try apply(.insertItems(items, at: .before(item)))
    }

    /// Puts items behind another and its descendants, as its siblings. Throws `OperationError.noSuchItem`,
    /// `OperationError.invalidItemAnchor` when the other is one of them, or `OperationError.duplicateItem` for what is
    /// there.
    public mutating func insertItems(_ items: [Item], afterItem item: ItemID) throws(OperationError) {
        try apply(.insertItems(items, at: .after(item)))
    }

    /// Descendants go with their items.
    public mutating func deleteItems(_ items: [ItemID]) throws(OperationError) { try apply(.deleteItems(items)) }

    /// The sections go, too.
    public mutating func deleteAllItems() throws(OperationError) { try apply(.deleteAllItems) }

    /// Puts an item with its descendants before another, also in another section. Throws `OperationError.noSuchItem`,
    /// `OperationError.invalidItemAnchor` when both are one, or `OperationError.ownDescendant`.
    public mutating func moveItem(_ item: ItemID, beforeItem other: ItemID) throws(OperationError) {
        try apply(.moveItem(item, to: .before(other)))
    }

    /// Puts an item with its descendants behind another and its own, also in another section. Throws
    /// `OperationError.noSuchItem`, `OperationError.invalidItemAnchor` when both are one, or
    /// `OperationError.ownDescendant`.
    public mutating func moveItem(_ item: ItemID, afterItem other: ItemID) throws(OperationError) {
        try apply(.moveItem(item, to: .after(other)))
    }

    /// Asks whoever shows them to make them anew.
    public mutating func reloadItems(_ items: [ItemID]) throws(OperationError) {
        try apply(.reloadItems(items.map { ItemReload(id: $0) }))
    }

    /// Asks whoever shows them to draw them again in place.
    public mutating func reconfigureItems(_ items: [ItemID]) throws(OperationError) {
        try apply(.reconfigureItems(items.map { ItemReconfiguration(id: $0) }))
    }

    /// Gives an item another content; nil: none. UIKit's items are looked up elsewhere, ours bring it along.
    public mutating func setContent(_ content: Content?, ofItem item: ItemID) throws(OperationError) {
        try apply(.reconfigureItems([ItemReconfiguration(id: item, content: .some(content))]))
    }
}

// MARK: - Outlines

extension SnapshotDraft {
    /// Adds children behind those that are there.
    public mutating func append(_ items: [Item], to parent: ItemID) throws(OperationError) {
        try apply(.appendItems(items, to: .parent(parent)))
    }

    /// Makes what is under an item what is given; what is in both stays the same item.
    public mutating func replace(childrenOf parent: ItemID, using items: [Item]) throws(OperationError) {
        try apply(.replaceChildren(of: parent, with: items))
    }

    /// Shows the children of items, for everybody. Throws `OperationError.noSuchItem`.
    public mutating func expand(_ items: [ItemID]) throws(OperationError) { try apply(.expandItems(items)) }

    /// Hides the children of items, for everybody. Throws `OperationError.noSuchItem`.
    public mutating func collapse(_ items: [ItemID]) throws(OperationError) { try apply(.collapseItems(items)) }
}
