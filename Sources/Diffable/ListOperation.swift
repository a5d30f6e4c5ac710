/// One step of a change, in the vocabulary that clients send and subscribers receive.
///
/// The verbs are those of UIKit's diffable snapshots. What each does, and what is refused, stands in
/// `Snapshot+Applying.swift`.
public enum ListOperation: Sendable {
    /// Replaces the list's own content; `nil` takes it away.
    case reconfigureList(Content?)
    case patchList(ListPatch)

    case appendSections([Section])
    case insertSections([Section], at: SectionPosition)
    /// Items go with their section. `ifPresent` passes over unknown ids.
    case deleteSections([SectionID], Unknown = .isError)
    case moveSection(SectionID, to: SectionPosition)
    case reloadSections([SectionReload])

    case appendItems([Item], to: Container = .lastSection)
    case insertItems([Item], at: ItemPosition)
    /// Descendants go with their item.
    case deleteItems([ItemID], Unknown = .isError)
    case deleteAllItems
    case moveItem(ItemID, to: ItemPosition)
    case reconfigureItems([ItemReconfiguration])
    case patchItems([ItemPatch])
    case reloadItems([ItemReload])
    case expandItems([ItemID])
    case collapseItems([ItemID])
    /// The subtree under an item is replaced, by difference: what is in both keeps its identity.
    case replaceChildren(of: ItemID, with: [Item])

    /// What an id that the list does not have means to a deletion.
    public enum Unknown: Sendable {
        case isError
        /// On the wire `"ifPresent": true`.
        case isPassedOver
    }
}

/// Where a section goes.
public enum SectionPosition: Sendable {
    case front
    case before(SectionID)
    case after(SectionID)
}

/// Whose children are meant: an item's (`parent`), or a section's own items.
///
/// A container may say both, as pushed operations do; then the parent must stand in that section. One that says
/// nothing is the last section; when items come to a list without sections, a new one (`SectionID.first`).
public struct Container: Sendable {
    public var section: SectionID?
    public var parent: ItemID?

    package init(section: SectionID?, parent: ItemID?) {
        self.section = section
        self.parent = parent
    }

    public static let lastSection = Container(section: nil, parent: nil)
    package var isLastSection: Bool { section == nil && parent == nil }
    public static func section(_ id: SectionID) -> Container { Container(section: id, parent: nil) }
    public static func parent(_ id: ItemID) -> Container { Container(section: nil, parent: id) }
}

/// Where an item goes. `before` and `after` make it a sibling of the anchor; a container that stands beside them
/// must be the one that the anchor is in.
public enum ItemPosition: Sendable {
    case before(ItemID, in: Container? = nil)
    case after(ItemID, in: Container? = nil)
    case front(of: Container)
    case end(of: Container)
}

/// Replaces a section's content, or asks clients to draw the section again.
public struct SectionReload: Sendable {
    public var id: SectionID
    /// `nil` asks to draw again; an inner `nil` takes the content away.
    public var content: Content??

    public init(id: SectionID, content: Content?? = nil) {
        self.id = id
        self.content = content
    }
}

/// Replaces an item's content under the kind it has, or asks clients to draw it again in place.
public struct ItemReconfiguration: Sendable {
    public var id: ItemID
    /// `nil` asks to draw again; an inner `nil` takes the content away.
    public var content: Content??

    public init(id: ItemID, content: Content?? = nil) {
        self.id = id
        self.content = content
    }
}

/// Replaces an item's kind and content, or asks clients to make it anew.
public struct ItemReload: Sendable {
    public var id: ItemID
    /// `nil` keeps the kind; an inner `nil` takes it away.
    public var kind: Kind??
    /// `nil` keeps the content; an inner `nil` takes it away.
    public var content: Content??

    public init(id: ItemID, kind: Kind?? = nil, content: Content?? = nil) {
        self.id = id
        self.kind = kind
        self.content = content
    }
}

/// Computes the list's own new content from the one it has when the operation's turn comes.
public struct ListPatch: Sendable {
    public var patch: ItemPatch.Patch
    /// What `patch` was made from, for those who pass it on.
    package var document: Content?

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

    public var id: ItemID
    public var patch: Patch
    /// What `patch` was made from, for those who pass it on.
    package var document: Content?

    public init(id: ItemID, patch: @escaping Patch) {
        self.init(id: id, document: nil, patch: patch)
    }

    package init(id: ItemID, document: Content?, patch: @escaping Patch) {
        self.id = id
        self.document = document
        self.patch = patch
    }
}
