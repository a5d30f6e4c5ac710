/// One step of a change, as clients send it and subscribers receive it.
///
/// UIKit's diffable snapshots have the same verbs. `Snapshot+Applying.swift` defines their effects and errors.
public enum ListOperation: Sendable {
    /// Replaces the list's own content; `nil` removes it.
    case reconfigureList(Content?)
    /// Computes the list's own content from its current one.
    case patchList(ListPatch)

    /// Inserts sections, with their items, at the end.
    case appendSections([Section])
    /// Inserts sections, with their items, at a position. An inserted section cannot be the anchor.
    case insertSections([Section], at: SectionPosition)
    /// Deletes sections with their items. `ifPresent` ignores unknown ids.
    case deleteSections([SectionID], Unknown = .isError)
    /// Moves a section with its items. It cannot be its own anchor.
    case moveSection(SectionID, to: SectionPosition)
    /// Replaces the contents of sections, or asks clients to redraw them.
    case reloadSections([SectionReload])

    /// Inserts items, with their children, at the end of a container.
    case appendItems([Item], to: Container = .lastSection)
    /// Inserts items, with their children, at a position. An inserted item cannot be the anchor.
    case insertItems([Item], at: ItemPosition)
    /// Deletes items with their descendants.
    case deleteItems([ItemID], Unknown = .isError)
    /// Deletes all sections and items, but not the list's own content.
    case deleteAllItems
    /// Moves an item with its descendants, possibly to another section. It cannot be moved under itself.
    case moveItem(ItemID, to: ItemPosition)
    /// Replaces the contents of items without changing their kinds, or asks clients to redraw them in place.
    case reconfigureItems([ItemReconfiguration])
    /// Computes the contents of items from their current ones.
    case patchItems([ItemPatch])
    /// Replaces the kinds and contents of items, or asks clients to create them again.
    case reloadItems([ItemReload])
    /// Shows the children of items. An item without children can be expanded too.
    case expandItems([ItemID])
    /// Hides the children of items.
    case collapseItems([ItemID])
    /// The view leaves out the children of items. Only in updates of a view with `folded`.
    case foldItems([ItemID])
    /// The view does not leave out children of items any more. Only in updates of a view with `folded`.
    case unfoldItems([ItemID])
    /// Replaces the descendants of an item by their diff: items in both keep their identity.
    case replaceChildren(of: ItemID, with: [Item])

    /// The treatment of an unknown id by a deletion.
    public enum Unknown: Sendable {
        /// Throws `OperationError.noSuchItem` or `OperationError.noSuchSection`.
        case isError
        /// Ignores the id. In the protocol, `"ifPresent": true`.
        case isPassedOver
    }
}

/// The position of a section.
public enum SectionPosition: Sendable {
    /// Before all others.
    case front
    /// Directly before this one.
    case before(SectionID)
    /// Directly after this one.
    case after(SectionID)
}

/// The owner of children: an item (`parent`), or a section.
///
/// If both are given, as in operations that subscribers receive, the parent has to be in that section. If neither is
/// given, it is the last section; if items are added to a list without sections, it is a new one (`SectionID.first`).
public struct Container: Sendable {
    /// The section, or the section that contains the parent. Nil if unspecified.
    public var section: SectionID?
    /// The item that owns the children. Nil if unspecified.
    public var parent: ItemID?

    package init(section: SectionID?, parent: ItemID?) {
        self.section = section
        self.parent = parent
    }

    /// The last section. If items are inserted into a list without sections, a new one.
    public static let lastSection = Container(section: nil, parent: nil)
    package var isLastSection: Bool { section == nil && parent == nil }
    /// The items directly in a section.
    public static func section(_ id: SectionID) -> Container { Container(section: id, parent: nil) }
    /// The children of an item.
    public static func parent(_ id: ItemID) -> Container { Container(section: nil, parent: id) }
}

/// The position of an item. `before` and `after` make it a sibling of the anchor. If a container is given too, it has
/// to be the anchor's container.
public enum ItemPosition: Sendable {
    /// Directly before this item, as its sibling.
    case before(ItemID, in: Container? = nil)
    /// After this item and all its descendants, as its sibling.
    case after(ItemID, in: Container? = nil)
    /// Before all others in a container.
    case front(of: Container)
    /// After all others in a container.
    case end(of: Container)
}

/// Replaces a section's content, or asks clients to redraw the section.
public struct SectionReload: Sendable {
    /// The section to change.
    public var id: SectionID
    /// `nil` asks for a redraw. An inner `nil` removes the content.
    public var content: Content??

    /// Creates a request to redraw a section, or to replace its content.
    public init(id: SectionID, content: Content?? = nil) {
        self.id = id
        self.content = content
    }
}

/// Replaces an item's content without changing its kind, or asks clients to redraw it in place.
public struct ItemReconfiguration: Sendable {
    /// The item to change.
    public var id: ItemID
    /// `nil` asks for a redraw. An inner `nil` removes the content.
    public var content: Content??

    /// Creates a request to redraw an item in place, or to replace its content.
    public init(id: ItemID, content: Content?? = nil) {
        self.id = id
        self.content = content
    }
}

/// Replaces an item's kind and content, or asks clients to create it again.
public struct ItemReload: Sendable {
    /// The item to change.
    public var id: ItemID
    /// `nil` keeps the kind. An inner `nil` removes it.
    public var kind: Kind??
    /// `nil` keeps the content. An inner `nil` removes it.
    public var content: Content??

    /// Creates a request to create an item again, or to replace its kind, its content or both.
    public init(id: ItemID, kind: Kind?? = nil, content: Content?? = nil) {
        self.id = id
        self.kind = kind
        self.content = content
    }
}

/// Computes the list's own content from its content when the operation is applied.
public struct ListPatch: Sendable {
    /// Returns the new content for the current one.
    public var patch: ItemPatch.Patch
    /// The document that `patch` was made from, for forwarding.
    package var document: Content?

    /// Creates a patch that is applied only in this process, because a function cannot be sent (`ClientError.noMergePatch`).
    public init(_ patch: @escaping ItemPatch.Patch) {
        self.init(document: nil, patch: patch)
    }

    package init(document: Content?, patch: @escaping ItemPatch.Patch) {
        self.patch = patch
        self.document = document
    }
}

/// Computes an item's content from its content when the operation is applied.
public struct ItemPatch: Sendable {
    /// Returns the new content for the current one; nil means no content. `DiffableJSON` makes it from a JSON merge patch.
    public typealias Patch = @Sendable (Content?) throws(OperationError) -> Content?

    /// The item to change.
    public var id: ItemID
    /// Returns the new content for the current one.
    public var patch: Patch
    /// The document that `patch` was made from, for forwarding.
    package var document: Content?

    /// Creates a patch that is applied only in this process, because a function cannot be sent (`ClientError.noMergePatch`).
    public init(id: ItemID, patch: @escaping Patch) {
        self.init(id: id, document: nil, patch: patch)
    }

    package init(id: ItemID, document: Content?, patch: @escaping Patch) {
        self.id = id
        self.document = document
        self.patch = patch
    }
}
