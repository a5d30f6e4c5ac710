import Diffable
import Synchronization

/// The content to draw: a state of a list, or a window of one, and the user's own settings for it.
package struct Document: Sendable {
    package private(set) var snapshot: Snapshot
    /// The position of a window's snapshot in the list.
    package private(set) var extent: Window.Extent?
    package var expansion: [ItemID: Bool] = [:]
    /// In search results, all items are expanded except these, which the user has collapsed since; nil otherwise.
    var closedInMatches: Set<ItemID>?
    /// Items that once had children, which may be folded now if the daemon folds the list.
    private(set) var knownParents: Set<ItemID> = []
    package var isEditing = false
    let cache: LookCache
    private var counts = SectionCounts()
    private(set) var traits = TraitsCache()
    let looks: Looks
    let listLook: ListLook
    private let user: Content?
    private let wording: Wording

    package enum Wording: Sendable {
        case seen
        case spoken
    }

    /// `user` is the user's own appearance, in the form of a list's content.
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

    /// The same viewer's next state. The list's content is parsed again only if it changed.
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
        next.counts = SectionCounts()
        next.traits = TraitsCache()
        return next
    }

    mutating func noteParents(in snapshot: Snapshot, after before: Snapshot? = nil) {
        if knownParents.count > Self.knownParentsMax { knownParents = [] }
        let last = snapshot.itemIdentifiers.last
        for item in snapshot.itemIdentifiers {
            if snapshot.numberOfChildren(of: item) ?? 0 > 0 || snapshot.isFolded(item) == true {
                knownParents.insert(item)
            } else if before?.isFolded(item) == true, snapshot.isExpanded(item) == false {
                // The item's children were deleted while they were left out.
                knownParents.remove(item)
            } else if item != last, snapshot.isExpanded(item) == true {
                // Its children were deleted. After the last row there may be more rows than are loaded.
                knownParents.remove(item)
            }
        }
    }

    private static let knownParentsMax = 20_000

    /// The number of rows before the loaded ones, and after them.
    var placeholdersBefore: Int { max(extent?.offset ?? 0, 0) }
    var placeholdersBehind: Int {
        extent.map { max($0.total - max($0.offset, 0) - snapshot.numberOfItems, 0) } ?? 0
    }

    /// The number of all rows of the list, loaded or not.
    package var rowCount: Int { placeholdersBefore + snapshot.numberOfItems + placeholdersBehind }

    /// The indices in the snapshot of the rows that are not drawn, because an ancestor is collapsed. O(items) of an outline.
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

    /// The number of a section's root items that a badge counts; nil if not all are loaded. O(their contents) the first time.
    func count(_ count: Badge.Count, _ section: SectionID) -> Int? {
        guard placeholdersBefore + placeholdersBehind == 0 else { return nil }
        if case .all = count { return snapshot.numberOfRootItems(inSection: section) }
        return counts.number(of: section) {
            (snapshot.rootItems(inSection: section) ?? []).count { snapshot.itemAlone($0).map(count.includes) ?? false }
        }
    }

    package var resolvedLookCount: Int { cache.resolvedCount }

    package func isExpanded(_ id: ItemID) -> Bool {
        if let closedInMatches, childCount(id) > 0 { return !closedInMatches.contains(id) }
        return expansion[id] ?? snapshot.isExpanded(id) ?? false
    }

    func childCount(_ id: ItemID) -> Int { snapshot.numberOfChildren(of: id) ?? 0 }

    /// Whether it has children, loaded or folded, as far as that is known.
    func isParent(_ id: ItemID) -> Bool { childCount(id) > 0 || knownParents.contains(id) }

    func isOpen(_ id: ItemID) -> Bool { childCount(id) > 0 && isExpanded(id) }
}

/// The numbers of one state's items that badges count.
private final class SectionCounts: Sendable {
    private let known = Mutex<[SectionID: Int]>([:])

    func number(of section: SectionID, _ count: () -> Int) -> Int {
        if let number = known.withLock({ $0[section] }) { return number }
        let number = count()
        known.withLock { $0[section] = number }
        return number
    }
}
