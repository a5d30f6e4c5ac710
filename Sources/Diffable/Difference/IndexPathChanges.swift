/// A difference with index paths instead of ids, as views of lists take it.
///
/// An index path is the index of the section, then the index among the siblings on each level down to the item.
/// Deletions, and the origins of moves, are paths in the old state; insertions, the targets of moves, and changed items
/// are paths in the new one. An item that is deleted, inserted or moved with its section or parent is not named.
/// `Snapshot.batchStages` makes of it what `performBatchUpdates` of UIKit takes.
public struct IndexPathChanges: Equatable, Sendable {
    /// What goes from one place to another: an item, or a section, whose path is one index.
    public struct Move: Equatable, Sendable {
        /// Where it stands in the old state.
        public var from: [Int]
        /// Where it stands in the new state.
        public var to: [Int]

        /// Goes from a path in the old state to a path in the new one.
        public init(from: [Int], to: [Int]) {
            self.from = from
            self.to = to
        }
    }

    /// Whether the list's own content is different.
    public var isListReconfigured = false

    /// From the last to the first, so that they can be carried out in this order.
    public var deletedSections: [Int] = []
    /// From the first to the last.
    public var insertedSections: [Int] = []
    /// Each with what is in it; the paths are one index long.
    public var movedSections: [Move] = []
    /// Sections with another content, and those to draw again: their indexes in the new state.
    public var reloadedSections: [Int] = []

    /// From the last to the first.
    public var deletedItems: [[Int]] = []
    /// From the first to the last.
    public var insertedItems: [[Int]] = []
    /// Each with what is under it.
    public var movedItems: [Move] = []
    /// Items with another content, and those to draw again.
    public var reconfiguredItems: [[Int]] = []
    /// Items with another kind, and those to make anew.
    public var reloadedItems: [[Int]] = []
    /// Items that were expanded.
    public var expandedItems: [[Int]] = []
    /// Items that were collapsed.
    public var collapsedItems: [[Int]] = []

    /// The changes of a difference in canonical form between two states. O(log n) for each path.
    public init(_ difference: [ListOperation], from old: Snapshot, to new: Snapshot) {
        for operation in difference { add(operation, old, new) }
        deletedSections.sort(by: >)
        insertedSections.sort()
        sortItems()
    }

    private mutating func add(_ operation: ListOperation, _ old: Snapshot, _ new: Snapshot) {
        switch operation {
        case .reconfigureList: isListReconfigured = true
        case .insertSections(let sections, _):
            insertedSections += sections.compactMap { new.index(ofSection: $0.id) }
        case .deleteSections(let ids, _): deletedSections += ids.compactMap(old.index(ofSection:))
        case .moveSection(let id, _):
            if let from = old.index(ofSection: id), let to = new.index(ofSection: id) {
                movedSections.append(Move(from: [from], to: [to]))
            }
        case .reloadSections(let reloads): reloadedSections += reloads.compactMap { new.index(ofSection: $0.id) }
        case .insertItems(let items, _): insertedItems += items.compactMap { new.indexPath(ofItem: $0.id) }
        case .deleteItems(let ids, _): deletedItems += ids.compactMap(old.indexPath(ofItem:))
        case .moveItem(let id, _):
            if let from = old.indexPath(ofItem: id), let to = new.indexPath(ofItem: id) {
                movedItems.append(Move(from: from, to: to))
            }
        case .reconfigureItems(let changes): reconfiguredItems += changes.compactMap { new.indexPath(ofItem: $0.id) }
        case .reloadItems(let reloads): reloadedItems += reloads.compactMap { new.indexPath(ofItem: $0.id) }
        case .expandItems(let ids): expandedItems += ids.compactMap(new.indexPath(ofItem:))
        case .collapseItems(let ids): collapsedItems += ids.compactMap(new.indexPath(ofItem:))
        // The row is drawn again.
        case .foldItems(let ids), .unfoldItems(let ids): reconfiguredItems += ids.compactMap(new.indexPath(ofItem:))
        case .patchList, .appendSections, .appendItems, .deleteAllItems, .patchItems, .replaceChildren:
            preconditionFailure("a difference is in canonical form")
        }
    }
}
