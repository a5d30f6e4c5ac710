import Diffable

/// What is drawn: a state of a list, or a window of one, and what the viewer's user has of his own to say about it.
package struct Document: Sendable {
    package private(set) var snapshot: Snapshot
    /// Where the snapshot lies in the list, of a window.
    package private(set) var extent: Window.Extent?
    /// Items that the viewer's user expanded or collapsed.
    package var expansion: [ItemID: Bool] = [:]
    /// Whether accessories for editing are shown.
    package var isEditing = false
    let cache = LookCache()
    let looks: Looks
    let listLook: ListLook
    private let user: Content?

    /// - Parameter user: what the viewer's user says about looks, in the form of a list's content.
    package init(_ snapshot: Snapshot, extent: Window.Extent? = nil, user: Content? = nil) {
        self.snapshot = snapshot
        self.extent = extent
        self.user = user
        looks = Looks(list: snapshot.content, user: user)
        listLook = looks.listLook
    }

    /// The same viewer's next state. The list's content is taken apart again only if it changed.
    package func updated(to snapshot: Snapshot, extent: Window.Extent? = nil) -> Document {
        var next = self
        if snapshot.content != self.snapshot.content {
            next = Document(snapshot, user: user)
            next.expansion = expansion
            next.isEditing = isEditing
        }
        next.snapshot = snapshot
        next.extent = extent
        return next
    }

    /// How many rows are before those that are held, and behind them.
    var placeholdersBefore: Int { max(extent?.offset ?? 0, 0) }
    var placeholdersBehind: Int {
        extent.map { max($0.total - max($0.offset, 0) - snapshot.numberOfItems, 0) } ?? 0
    }

    /// Of all rows of the list, held or not.
    package var rowCount: Int { placeholdersBefore + snapshot.numberOfItems + placeholdersBehind }

    /// How many items' looks were resolved so far.
    package var resolvedLookCount: Int { cache.resolvedCount }

    package func isExpanded(_ id: ItemID) -> Bool { expansion[id] ?? snapshot.isExpanded(id) ?? false }

    func childCount(_ id: ItemID) -> Int { snapshot.numberOfChildren(of: id) ?? 0 }

    /// Whether its children are drawn.
    func isOpen(_ id: ItemID) -> Bool { childCount(id) > 0 && isExpanded(id) }
}
