/// A snapshot that a program changes with UIKit's verbs, and the resulting operations.
///
///     var draft = SnapshotDraft(snapshot)
///     try draft.appendItems([Item(id: "milk")], toSection: "today")
///     try draft.moveItem("bread", beforeItem: "milk")
///
/// `NSDiffableDataSourceSnapshot` and `NSDiffableDataSourceSectionSnapshot` have the same verbs. Misuse that UIKit
/// raises or ignores throws an error (see `docs/protocol-errors.md`), and the draft is then unchanged. Each verb costs
/// O(log n) for each item that it names.
public struct SnapshotDraft: Sendable {
    /// The state with all changes so far. It offers the same reads as UIKit's snapshots.
    public private(set) var snapshot: Snapshot
    /// The changes so far, in order.
    public private(set) var operations: [ListOperation] = []

    /// Creates a draft of this state without operations. O(1).
    public init(_ snapshot: Snapshot) { self.snapshot = snapshot }

    /// Applies an operation that has no verb.
    public mutating func apply(_ operation: ListOperation) throws(OperationError) {
        do { snapshot = try snapshot.applying([operation]) } catch { throw error.reason }
        operations.append(operation)
    }
}

// MARK: - Sections

extension SnapshotDraft {
    /// Inserts sections at the end. Throws `OperationError.duplicateSection` or `OperationError.duplicateItem` for existing ids.
    public mutating func appendSections(_ sections: [Section]) throws(OperationError) {
        try apply(.appendSections(sections))
    }

    /// Inserts sections before another. Throws `OperationError.noSuchSection`, `OperationError.invalidSectionAnchor` if the
    /// anchor is one of them, or `OperationError.duplicateSection` and `OperationError.duplicateItem` for existing ids.
    public mutating func insertSections(
        _ sections: [Section], beforeSection section: SectionID
    ) throws(OperationError) {
        try apply(.insertSections(sections, at: .before(section)))
    }

    /// Inserts sections after another. Throws `OperationError.noSuchSection`, `OperationError.invalidSectionAnchor` if the
    /// anchor is one of them, or `OperationError.duplicateSection` and `OperationError.duplicateItem` for existing ids.
    public mutating func insertSections(_ sections: [Section], afterSection section: SectionID) throws(OperationError) {
        try apply(.insertSections(sections, at: .after(section)))
    }

    /// Deletes sections with their items. Throws `OperationError.noSuchSection`.
    public mutating func deleteSections(_ sections: [SectionID]) throws(OperationError) {
        try apply(.deleteSections(sections))
    }

    /// Moves a section before another. Throws `OperationError.noSuchSection`, or `OperationError.invalidSectionAnchor`
    /// if both are the same.
    public mutating func moveSection(
        _ section: SectionID, beforeSection other: SectionID
    ) throws(OperationError) {
        try apply(.moveSection(section, to: .before(other)))
    }

    /// Moves a section after another. Throws `OperationError.noSuchSection`, or `OperationError.invalidSectionAnchor`
    /// if both are the same.
    public mutating func moveSection(_ section: SectionID, afterSection other: SectionID) throws(OperationError) {
        try apply(.moveSection(section, to: .after(other)))
    }

    /// Asks clients to redraw sections. Throws `OperationError.noSuchSection`.
    public mutating func reloadSections(_ sections: [SectionID]) throws(OperationError) {
        try apply(.reloadSections(sections.map { SectionReload(id: $0) }))
    }
}

// MARK: - Items

extension SnapshotDraft {
    /// Inserts items at the end of a section. Throws `OperationError.noSuchSection`, or `OperationError.duplicateItem`
    /// for existing ids.
    /// - Parameters:
    ///   - items: with their children.
    ///   - section: nil for the last one. In a list without sections, a new one is created.
    public mutating func appendItems(_ items: [Item], toSection section: SectionID? = nil) throws(OperationError) {
        try apply(.appendItems(items, to: section.map { .section($0) } ?? .lastSection))
    }

    /// Inserts items before another, as its siblings. Throws `OperationError.noSuchItem`,
    /// `OperationError.invalidItemAnchor` if the anchor is one of them, or `OperationError.duplicateItem` for existing ids.
    public mutating func insertItems(_ items: [Item], beforeItem item: ItemID) throws(OperationError) {
        try apply(.insertItems(items, at: .before(item)))
    }

    /// Inserts items after another and its descendants, as its siblings. Throws `OperationError.noSuchItem`,
    /// `OperationError.invalidItemAnchor` if the anchor is one of them, or `OperationError.duplicateItem` for existing ids.
    public mutating func insertItems(_ items: [Item], afterItem item: ItemID) throws(OperationError) {
        try apply(.insertItems(items, at: .after(item)))
    }

    /// Deletes items with their descendants. Throws `OperationError.noSuchItem`.
    public mutating func deleteItems(_ items: [ItemID]) throws(OperationError) { try apply(.deleteItems(items)) }

    /// Deletes all items and sections.
    public mutating func deleteAllItems() throws(OperationError) { try apply(.deleteAllItems) }

    /// Moves an item with its descendants before another, possibly in another section. Throws `OperationError.noSuchItem`,
    /// `OperationError.invalidItemAnchor` if both are the same, or `OperationError.ownDescendant`.
    public mutating func moveItem(_ item: ItemID, beforeItem other: ItemID) throws(OperationError) {
        try apply(.moveItem(item, to: .before(other)))
    }

    /// Moves an item with its descendants after another and its descendants, possibly in another section. Throws
    /// `OperationError.noSuchItem`, `OperationError.invalidItemAnchor` if both are the same, or `OperationError.ownDescendant`.
    public mutating func moveItem(_ item: ItemID, afterItem other: ItemID) throws(OperationError) {
        try apply(.moveItem(item, to: .after(other)))
    }

    /// Asks clients to create items again. Throws `OperationError.noSuchItem`.
    public mutating func reloadItems(_ items: [ItemID]) throws(OperationError) {
        try apply(.reloadItems(items.map { ItemReload(id: $0) }))
    }

    /// Asks clients to redraw items in place. Throws `OperationError.noSuchItem`.
    public mutating func reconfigureItems(_ items: [ItemID]) throws(OperationError) {
        try apply(.reconfigureItems(items.map { ItemReconfiguration(id: $0) }))
    }

    /// Sets an item's content; nil removes it. UIKit looks up the content of items elsewhere, but these items contain it.
    public mutating func setContent(_ content: Content?, ofItem item: ItemID) throws(OperationError) {
        try apply(.reconfigureItems([ItemReconfiguration(id: item, content: .some(content))]))
    }
}

// MARK: - Outlines

extension SnapshotDraft {
    /// Adds children after the existing ones.
    public mutating func append(_ items: [Item], to parent: ItemID) throws(OperationError) {
        try apply(.appendItems(items, to: .parent(parent)))
    }

    /// Replaces the descendants of an item. Items in both keep their identity.
    public mutating func replace(childrenOf parent: ItemID, using items: [Item]) throws(OperationError) {
        try apply(.replaceChildren(of: parent, with: items))
    }

    /// Shows the children of items, for all clients. Throws `OperationError.noSuchItem`.
    public mutating func expand(_ items: [ItemID]) throws(OperationError) { try apply(.expandItems(items)) }

    /// Hides the children of items, for all clients. Throws `OperationError.noSuchItem`.
    public mutating func collapse(_ items: [ItemID]) throws(OperationError) { try apply(.collapseItems(items)) }
}
