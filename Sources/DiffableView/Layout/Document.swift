import Diffable

/// What is drawn: a state of a list, or a window of one, and what the viewer's user has of his own to say about it.
package struct Document: Sendable {
    package private(set) var snapshot: Snapshot
    /// Where the snapshot lies in the list, of a window.
    package private(set) var extent: Window.Extent?
    /// Items that the viewer's user expanded or collapsed.
    package var expansion: [ItemID: Bool] = [:]
    /// While rows are shown because something matches, all items are expanded, except these, which the viewer's user has
    /// collapsed since; nil at other times.
    var closedInMatches: Set<ItemID>?
    /// Items that were seen with children, which are folded away now where the list comes folded.
    private(set) var knownParents: Set<ItemID> = []
    /// Whether accessories for editing are shown.
    package var isEditing = false
    let cache: LookCache
    let looks: Looks
    let listLook: ListLook
    private let user: Content?
    private let wording: Wording

    /// For whom items have their texts.
    package enum Wording: Sendable {
        case seen
        /// For somebody who has them read out, or under the fingers.
        case spoken
    }

    /// - Parameter user: what the viewer's user says about looks, in the form of a list's content.
    package init(
        _ snapshot: Snapshot, extent: Window.Extent? = nil, user: Content? = nil, wording: Wording = .seen
    ) {
        self.snapshot = snapshot
        self.extent = extent
        self.user = user
        self.wording = wording
        cache = LookCache(wording)
        looks = Looks(list: snapshot.content, user: user)
        listLook = looks.listLook
    }

    /// The same viewer's next state. The list's content is taken apart again only if it changed.
    package func updated(to snapshot: Snapshot, extent: Window.Extent? = nil) -> Document {
        var next = self
        if snapshot.content != self.snapshot.content {
            next = Document(snapshot, user: user, wording: wording)
            next.expansion = expansion
            next.closedInMatches = closedInMatches
            next.knownParents = knownParents
            next.isEditing = isEditing
        }
        next.snapshot = snapshot
        next.extent = extent
        return next
    }

    /// Notes which items have children, for when these are folded away.
    mutating func noteParents(in snapshot: Snapshot) {
        if knownParents.count > Self.knownParentsMax { knownParents = [] }
        let last = snapshot.itemIdentifiers.last
        for item in snapshot.itemIdentifiers {
            if snapshot.numberOfChildren(of: item) ?? 0 > 0 {
                knownParents.insert(item)
            } else if item != last, snapshot.isExpanded(item) == true {
                // Whatever there was is gone. Behind the last row there may be more than is held.
                knownParents.remove(item)
            }
        }
    }

    private static let knownParentsMax = 20_000

    /// How many rows are before those that are held, and behind them.
    var placeholdersBefore: Int { max(extent?.offset ?? 0, 0) }
    var placeholdersBehind: Int {
        extent.map { max($0.total - max($0.offset, 0) - snapshot.numberOfItems, 0) } ?? 0
    }

    /// Of all rows of the list, held or not.
    package var rowCount: Int { placeholdersBefore + snapshot.numberOfItems + placeholdersBehind }

    /// The indices in the snapshot of the rows that are not drawn, because they are under collapsed ones. O(items) of an outline.
    var foldedRows: [Int] {
        let isFlat = snapshot.sectionIdentifiers.allSatisfy {
            snapshot.numberOfItems(inSection: $0) == snapshot.numberOfRootItems(inSection: $0)
        }
        if isFlat { return [] }
        var hidden: Set<ItemID> = []
        var rows: [Int] = []
        for (index, item) in snapshot.itemIdentifiers.enumerated() {
            guard let parent = snapshot.parent(of: item), hidden.contains(parent) || !isOpen(parent) else { continue }
            hidden.insert(item)
            rows.append(index)
        }
        return rows
    }

    /// How many items' looks were resolved so far.
    package var resolvedLookCount: Int { cache.resolvedCount }

    package func isExpanded(_ id: ItemID) -> Bool {
        if let closedInMatches, childCount(id) > 0 { return !closedInMatches.contains(id) }
        return expansion[id] ?? snapshot.isExpanded(id) ?? false
    }

    func childCount(_ id: ItemID) -> Int { snapshot.numberOfChildren(of: id) ?? 0 }

    /// Whether it has children, here or folded away; as far as that is known.
    func isParent(_ id: ItemID) -> Bool { childCount(id) > 0 || knownParents.contains(id) }

    /// Whether its children are drawn.
    func isOpen(_ id: ItemID) -> Bool { childCount(id) > 0 && isExpanded(id) }
}
