/// What a difference amounts to, for people: how many items and sections came, went, moved and changed.
package struct DifferenceSummary: Equatable, Sendable {
    /// Children that came with their parent count too.
    package var insertedItems = 0
    /// Descendants that went with their parent or section count too.
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

    /// Of operations in canonical form. O(what was inserted).
    package init(_ operations: [Operation], from old: Snapshot, to new: Snapshot) {
        for operation in operations {
            switch operation {
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
            case .deleteItems: break
            case .appendSections, .appendItems, .deleteAllItems, .patchItems, .replaceChildren:
                preconditionFailure("a difference has no \(operation)")
            }
        }
        deletedItems = old.numberOfItems + insertedItems - new.numberOfItems
    }
}

extension DifferenceSummary {
    /// How many get another place or none.
    var placedItems: Int { insertedItems + deletedItems + movedItems }
}

extension [Item] {
    /// With all descendants.
    var numberOfItems: Int { reduce(count) { $0 + $1.children.numberOfItems } }
}
