/// A diff with index paths instead of ids, in the form that views of lists need.
///
/// An index path is the index of the section, followed by the index among the siblings on each level down to the item.
/// Deletions, and the origins of moves, are paths in the old state; insertions, the destinations of moves, and changed
/// items are paths in the new one. An item that is deleted, inserted or moved with its section or parent is not listed.
/// `Snapshot.batchStages` turns it into the form that UIKit's `performBatchUpdates` needs.
public struct IndexPathChanges: Equatable, Sendable {
    /// The move of an item, or of a section, whose path is a single index.
    public struct Move: Equatable, Sendable {
        /// The path in the old state.
        public var from: [Int]
        /// The path in the new state.
        public var to: [Int]

        /// Creates a move from a path in the old state to a path in the new one.
        public init(from: [Int], to: [Int]) {
            self.from = from
            self.to = to
        }
    }

    /// Whether the list's own content has changed.
    public var isListReconfigured = false

    /// In descending order, so that they can be deleted one after the other.
    public var deletedSections: [Int] = []
    /// In ascending order.
    public var insertedSections: [Int] = []
    /// The moves of sections with their items. The paths are single indexes.
    public var movedSections: [Move] = []
    /// Sections with changed content or a request to redraw, as indexes in the new state.
    public var reloadedSections: [Int] = []

    /// In descending order, so that they can be deleted one after the other.
    public var deletedItems: [[Int]] = []
    /// In ascending order.
    public var insertedItems: [[Int]] = []
    /// The moves of items with their descendants.
    public var movedItems: [Move] = []
    /// Items with changed content or a request to redraw.
    public var reconfiguredItems: [[Int]] = []
    /// Items with a changed kind or a request to reload.
    public var reloadedItems: [[Int]] = []
    /// Items that were expanded.
    public var expandedItems: [[Int]] = []
    /// Items that were collapsed.
    public var collapsedItems: [[Int]] = []

    /// The changes of a canonical diff between two states. O(log n) for each path.
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
