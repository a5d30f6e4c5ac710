import Diffable

extension Operation {
    /// The operation with every expansion that it does not say taken from a state, where that has the item.
    func keepingExpansion(of known: Snapshot) -> Operation {
        switch self {
        case .appendSections(let sections): .appendSections(sections.map { $0.keepingExpansion(of: known) })
        case .insertSections(let sections, let position):
            .insertSections(sections.map { $0.keepingExpansion(of: known) }, at: position)
        case .appendItems(let items, let container):
            .appendItems(items.map { $0.keepingExpansion(of: known) }, to: container)
        case .insertItems(let items, let position):
            .insertItems(items.map { $0.keepingExpansion(of: known) }, at: position)
        case .replaceChildren(let parent, let items):
            .replaceChildren(of: parent, with: items.map { $0.keepingExpansion(of: known) })
        case .deleteSections, .moveSection, .reloadSections, .deleteItems, .deleteAllItems, .moveItem,
            .reconfigureItems, .patchItems, .reloadItems, .expandItems, .collapseItems:
            self
        }
    }
}

extension Section {
    fileprivate func keepingExpansion(of known: Snapshot) -> Section {
        var section = self
        section.items = items.map { $0.keepingExpansion(of: known) }
        return section
    }
}

extension Item {
    fileprivate func keepingExpansion(of known: Snapshot) -> Item {
        var item = self
        item.isExpanded = isExpanded ?? known.isExpanded(id)
        item.children = children.map { $0.keepingExpansion(of: known) }
        return item
    }
}
