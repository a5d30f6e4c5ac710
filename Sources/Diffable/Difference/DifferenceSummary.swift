/// The size of a difference, for people: how many items and sections were inserted, deleted, moved and changed.
package struct DifferenceSummary: Equatable, Sendable {
    /// Includes children that were inserted with their parent.
    package var insertedItems = 0
    /// Includes descendants that were deleted with their parent or section.
    package var deletedItems = 0
    package var movedItems = 0
    package var reconfiguredItems = 0
    package var reloadedItems = 0
    package var expandedItems = 0
    package var collapsedItems = 0
    package var insertedSections = 0
    package var deletedSections = 0
    package var movedSections = 0
    package var reloadedSections = 0
    /// 1 if the list's own content has changed, else 0.
    package var reconfiguredList = 0

    /// Counts operations in canonical form. O(what was inserted).
    package init(_ operations: [ListOperation], from old: Snapshot, to new: Snapshot) {
        for operation in operations {
            switch operation {
            case .reconfigureList: reconfiguredList = 1
            case .insertSections(let sections, _):
                insertedSections += sections.count
                for section in sections { insertedItems += section.items.numberOfItems }
            case .insertItems(let items, _): insertedItems += items.numberOfItems
            case .deleteSections(let ids, _): deletedSections += ids.count
            case .moveSection: movedSections += 1
            case .moveItem: movedItems += 1
            case .reloadSections(let reloads): reloadedSections += reloads.count
            case .reloadItems(let reloads): reloadedItems += reloads.count
            case .reconfigureItems(let changes): reconfiguredItems += changes.count
            case .expandItems(let ids): expandedItems += ids.count
            case .collapseItems(let ids): collapsedItems += ids.count
            case .deleteItems, .foldItems, .unfoldItems: break
            case .patchList, .appendSections, .appendItems, .deleteAllItems, .patchItems, .replaceChildren:
                preconditionFailure("a difference has no \(operation)")
            }
        }
        deletedItems = old.numberOfItems + insertedItems - new.numberOfItems
    }
}

extension DifferenceSummary {
    /// The number of items that are moved or deleted.
    var placedItems: Int { insertedItems + deletedItems + movedItems }
}

extension [Item] {
    /// The number of items, with all descendants.
    var numberOfItems: Int { reduce(count) { $0 + $1.children.numberOfItems } }
}
