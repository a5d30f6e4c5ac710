/// One step of a change, in the vocabulary that clients send and subscribers receive.
///
/// The verbs are those of UIKit's diffable snapshots. What each does, and what is refused, stands in
/// `Snapshot+Applying.swift`.
public enum ListOperation: Sendable {
    /// Replaces the list's own content; `nil` takes it away.
    case reconfigureList(Content?)
    /// Computes the list's own content anew from what it is then.
    case patchList(ListPatch)

    /// Puts sections, with their items, behind the last one.
    case appendSections([Section])
    /// Puts sections, with their items, at a place. A section that is inserted cannot be the place.
    case insertSections([Section], at: SectionPosition)
    /// Items go with their section. `ifPresent` passes over unknown ids.
    case deleteSections([SectionID], Unknown = .isError)
    /// Puts a section, with its items, elsewhere. It cannot be placed beside itself.
    case moveSection(SectionID, to: SectionPosition)
    /// Replaces the contents of sections, or asks to draw them again.
    case reloadSections([SectionReload])

    /// Puts items, with their children, behind the last one of a container.
    case appendItems([Item], to: Container = .lastSection)
    /// Puts items, with their children, at a place. An item that is inserted cannot be the place.
    case insertItems([Item], at: ItemPosition)
    /// Descendants go with their item.
    case deleteItems([ItemID], Unknown = .isError)
    /// Deletes all sections and items. The list's own content stays.
    case deleteAllItems
    /// Puts an item, with its descendants, elsewhere, also in another section. It cannot come under itself.
    case moveItem(ItemID, to: ItemPosition)
    /// Replaces the contents of items under the kind that they have, or asks to draw them again in place.
    case reconfigureItems([ItemReconfiguration])
    /// Computes the contents of items anew from what they are then.
    case patchItems([ItemPatch])
    /// Replaces the kinds and contents of items, or asks to make them anew.
    case reloadItems([ItemReload])
    /// Shows the children of items. One without children can be expanded, too.
    case expandItems([ItemID])
    /// Hides the children of items.
    case collapseItems([ItemID])
    /// The view leaves out the children of items. Only in updates of a view with `folded`.
    case foldItems([ItemID])
    /// The view does not leave out children of items any more. Only in updates of a view with `folded`.
    case unfoldItems([ItemID])
    /// The subtree under an item is replaced, by difference: what is in both keeps its identity.
    case replaceChildren(of: ItemID, with: [Item])

    /// What an id that the list does not have means to a deletion.
    public enum Unknown: Sendable {
        /// The operation is refused with `OperationError.noSuchItem` or `OperationError.noSuchSection`.
        case isError
        /// On the wire `"ifPresent": true`.
        case isPassedOver
    }
}

/// Where a section goes.
public enum SectionPosition: Sendable {
    /// Before all others.
    case front
    /// Directly before this one.
    case before(SectionID)
    /// Directly behind this one.
    case after(SectionID)
}

/// Whose children are meant: an item's (`parent`), or a section's own items.
///
/// A container may say both, as pushed operations do; then the parent must stand in that section. One that says
/// nothing is the last section; when items come to a list without sections, a new one (`SectionID.first`).
public struct Container: Sendable {
    /// The section that is meant, or in which the parent must stand; nil: not said.
    public var section: SectionID?
    /// The item whose children are meant; nil: not said.
    public var parent: ItemID?

    package init(section: SectionID?, parent: ItemID?) {
        self.section = section
        self.parent = parent
    }

    /// The last section; where items are inserted in a list without sections, a new one.
    public static let lastSection = Container(section: nil, parent: nil)
    package var isLastSection: Bool { section == nil && parent == nil }
    /// The items that stand directly in a section.
    public static func section(_ id: SectionID) -> Container { Container(section: id, parent: nil) }
    /// The children of an item.
    public static func parent(_ id: ItemID) -> Container { Container(section: nil, parent: id) }
}

/// Where an item goes. `before` and `after` make it a sibling of the anchor; a container that stands beside them
/// must be the one that the anchor is in.
public enum ItemPosition: Sendable {
    /// Directly before this item, as its sibling.
    case before(ItemID, in: Container? = nil)
    /// Behind this item and all its descendants, as its sibling.
    case after(ItemID, in: Container? = nil)
    /// Before all others in a container.
    case front(of: Container)
    /// Behind all others in a container.
    case end(of: Container)
}

/// Replaces a section's content, or asks clients to draw the section again.
public struct SectionReload: Sendable {
    /// Which section is meant.
    public var id: SectionID
    /// `nil` asks to draw again; an inner `nil` takes the content away.
    public var content: Content??

    /// Asks to draw a section again, or replaces its content.
    public init(id: SectionID, content: Content?? = nil) {
        self.id = id
        self.content = content
    }
}

/// Replaces an item's content under the kind it has, or asks clients to draw it again in place.
public struct ItemReconfiguration: Sendable {
    /// Which item is meant.
    public var id: ItemID
    /// `nil` asks to draw again; an inner `nil` takes the content away.
    public var content: Content??

    /// Asks to draw an item again in place, or replaces its content.
    public init(id: ItemID, content: Content?? = nil) {
        self.id = id
        self.content = content
    }
}

/// Replaces an item's kind and content, or asks clients to make it anew.
public struct ItemReload: Sendable {
    /// Which item is meant.
    public var id: ItemID
    /// `nil` keeps the kind; an inner `nil` takes it away.
    public var kind: Kind??
    /// `nil` keeps the content; an inner `nil` takes it away.
    public var content: Content??

    /// Asks to make an item anew, or replaces its kind, its content or both.
    public init(id: ItemID, kind: Kind?? = nil, content: Content?? = nil) {
        self.id = id
        self.kind = kind
        self.content = content
    }
}

/// Computes the list's own new content from the one it has when the operation's turn comes.
public struct ListPatch: Sendable {
    /// From the content so far to the new one.
    public var patch: ItemPatch.Patch
    /// What `patch` was made from, for those who pass it on.
    package var document: Content?

    /// Is carried out here only: a function cannot be sent (`ClientError.noMergePatch`).
    public init(_ patch: @escaping ItemPatch.Patch) {
        self.init(document: nil, patch: patch)
    }

    package init(document: Content?, patch: @escaping ItemPatch.Patch) {
        self.patch = patch
        self.document = document
    }
}

/// Computes an item's new content from the content it has when the operation's turn comes.
public struct ItemPatch: Sendable {
    /// From the content so far (`nil`: none) to the new one. `DiffableJSON` makes it from a JSON merge patch.
    public typealias Patch = @Sendable (Content?) throws(OperationError) -> Content?

    /// Which item is meant.
    public var id: ItemID
    /// From the content so far to the new one.
    public var patch: Patch
    /// What `patch` was made from, for those who pass it on.
    package var document: Content?

    /// Is carried out here only: a function cannot be sent (`ClientError.noMergePatch`).
    public init(id: ItemID, patch: @escaping Patch) {
        self.init(id: id, document: nil, patch: patch)
    }

    package init(id: ItemID, document: Content?, patch: @escaping Patch) {
        self.id = id
        self.document = document
        self.patch = patch
    }
}
