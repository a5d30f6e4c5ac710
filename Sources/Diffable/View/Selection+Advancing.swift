// Brings the rows up to date. Deleted and moved items are taken out first: then all remaining items are in the order of
// the new list, and bisection finds the places of inserted ones. Contents and expansion are last, because they may
// insert, remove or move an item.

extension Selection {
    /// Returns the rows of a list, from the rows of an earlier state and the diff between the two states.
    ///
    /// Costs O(log² n) for each changed item, and O(items) for the subtree of an item that is inserted, moved or
    /// expanded.
    ///
    /// - Parameter old: the earlier state.
    package func advance(_ shown: Snapshot, from old: Snapshot, to list: Snapshot, by difference: [ListOperation])
        -> Snapshot
    {
        var advance = RowsAdvance(selection: self, list: list, shown: shown)
        for operation in difference { advance.removeObsolete(operation) }
        for operation in difference { advance.insertNew(operation) }
        for operation in difference { advance.updateContent(operation) }
        if marksFolded { for operation in difference { advance.markParents(operation, old) } }
        return advance.shown
    }

    /// Returns the rows of the same list, from the rows of a selection that differs only in its expansion.
    ///
    /// Costs O(descendants of items that are expanded or collapsed) if both have their own expansion, or both follow
    /// the list's expansion, otherwise O(n).
    package func advance(_ shown: Snapshot, of list: Snapshot, from previous: Expansion) -> Snapshot {
        if previous == expansion { return shown }
        guard let folded = expansion.difference(from: previous) else { return evaluate(list) }
        var advance = RowsAdvance(selection: self, list: list, shown: shown)
        for id in folded { advance.fold(id) }
        return advance.shown
    }
}

private struct RowsAdvance {
    let selection: Selection
    let list: Snapshot
    var shown: Snapshot

    init(selection: Selection, list: Snapshot, shown: Snapshot) {
        self.selection = selection
        self.list = list
        self.shown = shown
        // The new state may also be an older one.
        self.shown.redrawsAsked = list.redrawsAsked
    }

    // MARK: Taking out

    mutating func removeObsolete(_ operation: ListOperation) {
        switch operation {
        case .moveItem(let id, _): remove(id)
        case .deleteItems(let ids, _): for id in ids { remove(id) }
        case .deleteSections(let ids, _): apply(.deleteSections(ids, .isPassedOver))
        default: break
        }
    }

    /// Removes an item, and the ancestors that were shown only because of it.
    private mutating func remove(_ id: ItemID) {
        guard let item = shown.handle(id) else { return }
        let owner = shown.forest.parent(item)
        apply(.deleteItems([id]))
        prune(from: owner)
    }

    /// Removes an item without children that does not match itself, and then its ancestors in the same condition.
    private mutating func prune(from owner: Handle) {
        var owner = owner
        while shown.forest.parent(owner) != Forest.list, shown.forest.children(owner) == nil {
            let record = shown.forest.record(owner)
            // An item that is no longer in the list has its own deletion.
            guard let current = list.itemHandle(record), !selection.isMatch(list.forest.record(current)) else { return }
            owner = shown.forest.parent(owner)
            apply(.deleteItems([ItemID(record: record)]))
        }
    }

    // MARK: Placing

    mutating func insertNew(_ operation: ListOperation) {
        switch operation {
        case .insertSections(let sections, _):
            for section in sections where selection.isShown(section.id) {
                apply(.insertSections([Section(record: section.record)], at: position(of: section.id)))
                for item in section.items { insert(item.id) }
            }
        case .moveSection(let id, _):
            if shown.contains(id) { apply(.moveSection(id, to: position(of: id))) }
        case .insertItems(let items, _): for item in items { insert(item.id) }
        case .moveItem(let id, _): insert(id)
        case .patchList, .appendSections, .appendItems, .deleteAllItems, .patchItems, .replaceChildren:
            preconditionFailure("a difference is in canonical form")
        default: break
        }
    }

    /// Returns the position after the last shown section before it. That section is in its place already, because
    /// sections are placed in the list's order.
    private func position(of id: SectionID) -> SectionPosition {
        guard let section = list.handle(id) else { return .front }
        guard let sections = selection.sections else {
            // All sections are shown.
            return list.forest.previousSibling(section).map { .after(list.sectionID($0)) } ?? .front
        }
        let index = list.forest.siblingIndex(section)
        let before = sections.compactMap { other in
            shown.contains(other) ? list.handle(other).map(list.forest.siblingIndex) : nil
        }.filter { $0 < index }.max()
        guard let before, let previous = list.forest.children(Forest.list)?[before] else { return .front }
        return .after(list.sectionID(previous))
    }

    /// Inserts the shown part of an item and its descendants, with the ancestors that are not shown yet.
    private mutating func insert(_ id: ItemID) {
        guard !shown.contains(id), var handle = list.handle(id), isInVisibleSubtree(handle),
            var item = selection.item(handle, in: list)
        else { return }
        var owner = list.forest.parent(handle)
        while list.forest.parent(owner) != Forest.list, shown.itemHandle(list.forest.record(owner)) == nil {
            let record = list.forest.record(owner)
            let isExpanded = selection.isExpanded(record, inList: list.forest.isExpanded(owner))
            item = Item(record: record, isExpanded: isExpanded, children: [item])
            handle = owner
            owner = list.forest.parent(handle)
        }
        let container: Container
        let shownOwner: Handle?
        if list.forest.parent(owner) == Forest.list {
            container = .section(list.sectionID(owner))
            shownOwner = shown.sectionHandle(list.forest.record(owner))
        } else {
            container = .parent(list.itemID(owner))
            shownOwner = shown.itemHandle(list.forest.record(owner))
        }
        let previous = shownOwner.flatMap { last(under: $0, before: handle) }
        apply(.insertItems([item], at: previous.map { .after(shown.itemID($0)) } ?? .front(of: container)))
    }

    /// Whether its section is shown and all its ancestors are expanded.
    private func isInVisibleSubtree(_ item: Handle) -> Bool {
        var owner = list.forest.parent(item)
        while list.forest.parent(owner) != Forest.list {
            guard selection.isOpen(list.forest.record(owner), inList: list.forest.isExpanded(owner)) else {
                return false
            }
            owner = list.forest.parent(owner)
        }
        return selection.isShown(list.sectionID(owner))
    }

    /// Returns the last shown sibling before the place of an item of the list.
    private func last(under owner: Handle, before item: Handle) -> Handle? {
        guard let siblings = shown.forest.children(owner) else { return nil }
        let index = list.forest.siblingIndex(item)
        let key = selection.key(list.forest.record(item))
        var start = 0
        var end = Int(siblings.count)
        while start < end {
            let middle = (start + end) / 2
            if precedes(siblings[middle], key, index) {
                start = middle + 1
            } else {
                end = middle
            }
        }
        return start == 0 ? nil : siblings[start - 1]
    }

    /// Whether a shown sibling is before an item with this key and index.
    private func precedes(_ sibling: Handle, _ key: SortKey?, _ index: Int) -> Bool {
        let record = shown.forest.record(sibling)
        // Compares the sibling's shown content: its new content, if any, is handled later.
        if let key, let other = selection.key(record), other != key { return other < key }
        guard let handle = list.itemHandle(record) else {
            preconditionFailure("what left the list has been taken out")
        }
        return list.forest.siblingIndex(handle) < index
    }

    // MARK: Contents and expansion

    mutating func updateContent(_ operation: ListOperation) {
        switch operation {
        case .reconfigureList: shown.setListRecord(list.listRecord)
        case .reloadSections(let reloads): for reload in reloads { updateContent(reload.id) }
        case .reconfigureItems(let changes): for change in changes { updateContent(change.id) }
        case .reloadItems(let reloads): for reload in reloads { updateContent(reload.id) }
        case .expandItems(let ids), .collapseItems(let ids): for id in ids { foldWithList(id) }
        default: break
        }
    }

    private mutating func updateContent(_ id: SectionID) {
        guard let section = shown.handle(id), let current = list.handle(id) else { return }
        shown.forest.setRecord(list.forest.record(current), of: section)
    }

    private mutating func updateContent(_ id: ItemID) {
        guard let current = list.handle(id) else { return }
        let record = list.forest.record(current)
        guard let item = shown.handle(id) else { return insert(id) }
        guard shown.forest.children(item) != nil || selection.isMatch(record) else { return remove(id) }
        if selection.isSorted, selection.key(record) != selection.key(shown.forest.record(item)) {
            reinsert(id, item)
        } else {
            shown.forest.setRecord(record, of: item)
        }
    }

    private mutating func foldWithList(_ id: ItemID) {
        switch selection.expansion {
        case .all:
            guard let item = shown.handle(id), let current = list.handle(id) else { return }
            shown.forest.setExpanded(list.forest.isExpanded(current), of: item)
        case .shared, .toggled: fold(id)
        case .own: break
        }
    }

    /// Updates an item after its expansion has changed.
    mutating func fold(_ id: ItemID) {
        if let item = shown.handle(id) { reinsert(id, item) }
    }

    /// Removes an item, then inserts its new form at its new place. The new form may be empty, because the descendants
    /// that it was shown for have changed as well. Then the ancestors that were shown only because of it are removed
    /// too.
    private mutating func reinsert(_ id: ItemID, _ item: Handle) {
        let owner = shown.forest.parent(item)
        apply(.deleteItems([id]))
        insert(id)
        prune(from: owner)
    }

    // MARK: Marks

    /// Marks or unmarks items that have got their first child, or lost their last one, while their children are left
    /// out.
    mutating func markParents(_ operation: ListOperation, _ old: Snapshot) {
        switch operation {
        case .insertItems(let items, _): for item in items { markParent(of: item.id, in: list) }
        case .deleteItems(let ids, _): for id in ids { markParent(of: id, in: old) }
        case .moveItem(let id, _):
            markParent(of: id, in: old)
            markParent(of: id, in: list)
        default: break
        }
    }

    private mutating func markParent(of id: ItemID, in state: Snapshot) {
        guard let parent = state.parent(of: id), let item = shown.handle(parent), let current = list.handle(parent)
        else { return }
        shown.forest.setFolded(selection.isFolded(current, in: list), of: item)
    }

    private mutating func apply(_ operation: ListOperation) {
        mustSucceed { () throws(TransactionError) in try shown.apply([operation], limits: .none) }
    }
}
