/// A difference in the form that views of lists take: places instead of ids.
///
/// A place is an index path: the index of the section, then the index among the siblings on each level down to the item.
/// What goes and where a move begins are places in the old state; what comes, where a move ends, and what looks
/// different are places in the new one. That is what `performBatchUpdates` of UIKit takes (what looks different is drawn
/// after the batch: within it, UIKit takes old places), and what `Gio.ListStore.splice` can be fed from. What goes, comes
/// or moves with its section or parent is not named again.
public struct IndexPathChanges: Equatable, Sendable {
    public struct Move: Equatable, Sendable {
        public var from: [Int]
        public var to: [Int]

        public init(from: [Int], to: [Int]) {
            self.from = from
            self.to = to
        }
    }

    /// From the last to the first, so that they can be carried out in this order.
    public var deletedSections: [Int] = []
    /// From the first to the last.
    public var insertedSections: [Int] = []
    public var movedSections: [Move] = []
    public var reloadedSections: [Int] = []

    /// From the last to the first.
    public var deletedItems: [[Int]] = []
    /// From the first to the last.
    public var insertedItems: [[Int]] = []
    public var movedItems: [Move] = []
    /// Whose content is different, or which are to be drawn again.
    public var reconfiguredItems: [[Int]] = []
    /// Whose kind is different, or which are to be made anew.
    public var reloadedItems: [[Int]] = []
    /// Whose children are shown now, or are not.
    public var expandedItems: [[Int]] = []
    public var collapsedItems: [[Int]] = []

    /// Of a difference in canonical form between two states. O(log n) for each place.
    public init(_ difference: [Operation], from old: Snapshot, to new: Snapshot) {
        for operation in difference { add(operation, old, new) }
        deletedSections.sort(by: >)
        insertedSections.sort()
        deletedItems.sort { $1.lexicographicallyPrecedes($0) }
        insertedItems.sort { $0.lexicographicallyPrecedes($1) }
    }

    private mutating func add(_ operation: Operation, _ old: Snapshot, _ new: Snapshot) {
        switch operation {
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
        case .appendSections, .appendItems, .deleteAllItems, .patchItems, .replaceChildren:
            preconditionFailure("a difference is in canonical form")
        }
    }
}
