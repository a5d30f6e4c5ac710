// Bringing what is shown up to date. What goes or moves is taken out first: then all that is left stands in the order
// of the new list, and the place of what comes is found by bisection. At the end come contents and expansion, which may
// let an item in, take it out, or give it another place.

extension Selection {
    /// What is shown of a list, given what was shown of an earlier state of it, and the difference between the two.
    ///
    /// Costs O(log² n) for each item that changed, and O(items) for the subtree under one that comes, moves or is
    /// unfolded.
    ///
    /// - Parameter old: the earlier state.
    package func advance(_ shown: Snapshot, from old: Snapshot, to list: Snapshot, by difference: [ListOperation])
        -> Snapshot
    {
        var advance = Advance(selection: self, list: list, shown: shown)
        for operation in difference { advance.takeOut(operation) }
        for operation in difference { advance.place(operation) }
        for operation in difference { advance.touch(operation) }
        if marksFolded { for operation in difference { advance.markParents(operation, old) } }
        return advance.shown
    }

    /// What is shown of the same list, given what another selection showed that differs in its expansion alone.
    ///
    /// Costs O(items under those that are folded or unfolded) when both have an expansion of their own, or both follow the
    /// list's, otherwise O(n).
    package func advance(_ shown: Snapshot, of list: Snapshot, from previous: Expansion) -> Snapshot {
        if previous == expansion { return shown }
        guard let folded = expansion.difference(from: previous) else { return evaluate(list) }
        var advance = Advance(selection: self, list: list, shown: shown)
        for id in folded { advance.fold(id) }
        return advance.shown
    }
}

private struct Advance {
    let selection: Selection
    let list: Snapshot
    var shown: Snapshot

    init(selection: Selection, list: Snapshot, shown: Snapshot) {
        self.selection = selection
        self.list = list
        self.shown = shown
        // It may lead back as well as on.
        self.shown.redrawsAsked = list.redrawsAsked
    }

    // MARK: Taking out

    mutating func takeOut(_ operation: ListOperation) {
        switch operation {
        case .moveItem(let id, _): remove(id)
        case .deleteItems(let ids, _): for id in ids { remove(id) }
        case .deleteSections(let ids, _): apply(.deleteSections(ids, .isPassedOver))
        default: break
        }
    }

    /// Removes an item, and those above it that were only shown because of it.
    private mutating func remove(_ id: ItemID) {
        guard let item = shown.handle(id) else { return }
        let owner = shown.forest.parent(item)
        apply(.deleteItems([id]))
        prune(from: owner)
    }

    /// Removes an item with nothing under it that does not match itself, and those above it of which the same is true
    /// then.
    private mutating func prune(from owner: Handle) {
        var owner = owner
        while shown.forest.parent(owner) != Forest.list, shown.forest.children(owner) == nil {
            let record = shown.forest.record(owner)
            // What the list does not have any more has its own deletion.
            guard let current = list.itemHandle(record), !selection.isMatch(list.forest.record(current)) else { return }
            owner = shown.forest.parent(owner)
            apply(.deleteItems([ItemID(record: record)]))
        }
    }

    // MARK: Placing

    mutating func place(_ operation: ListOperation) {
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

    /// After the last section before it that is shown. Placements come in the list's order, so that one is in its place.
    private func position(of id: SectionID) -> SectionPosition {
        guard let section = list.handle(id) else { return .front }
        guard let sections = selection.sections else {
            // All are shown.
            return list.forest.previousSibling(section).map { .after(list.sectionID($0)) } ?? .front
        }
        let index = list.forest.siblingIndex(section)
        let before = sections.compactMap { other in
            shown.contains(other) ? list.handle(other).map(list.forest.siblingIndex) : nil
        }.filter { $0 < index }.max()
        guard let before, let previous = list.forest.children(Forest.list)?[before] else { return .front }
        return .after(list.sectionID(previous))
    }

    /// Inserts what is shown of an item and what is under it, with those above it that are not shown yet.
    private mutating func insert(_ id: ItemID) {
        guard !shown.contains(id), var handle = list.handle(id), isReached(handle),
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

    /// Whether its section is shown and nothing above it is folded.
    private func isReached(_ item: Handle) -> Bool {
        var owner = list.forest.parent(item)
        while list.forest.parent(owner) != Forest.list {
            guard selection.isOpen(list.forest.record(owner), inList: list.forest.isExpanded(owner)) else {
                return false
            }
            owner = list.forest.parent(owner)
        }
        return selection.isShown(list.sectionID(owner))
    }

    /// The last of the siblings that are shown which comes before an item of the list.
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

    /// Whether a sibling that is shown comes before what has that key and index.
    private func precedes(_ sibling: Handle, _ key: SortKey?, _ index: Int) -> Bool {
        let record = shown.forest.record(sibling)
        // By the content that it is shown with: a new one comes to its turn later.
        if let key, let other = selection.key(record), other != key { return other < key }
        guard let handle = list.itemHandle(record) else {
            preconditionFailure("what left the list has been taken out")
        }
        return list.forest.siblingIndex(handle) < index
    }

    // MARK: Contents and expansion

    mutating func touch(_ operation: ListOperation) {
        switch operation {
        case .reconfigureList: shown.setListRecord(list.listRecord)
        case .reloadSections(let reloads): for reload in reloads { touch(reload.id) }
        case .reconfigureItems(let changes): for change in changes { touch(change.id) }
        case .reloadItems(let reloads): for reload in reloads { touch(reload.id) }
        case .expandItems(let ids), .collapseItems(let ids): for id in ids { foldWithList(id) }
        default: break
        }
    }

    private mutating func touch(_ id: SectionID) {
        guard let section = shown.handle(id), let current = list.handle(id) else { return }
        shown.forest.setRecord(list.forest.record(current), of: section)
    }

    private mutating func touch(_ id: ItemID) {
        guard let current = list.handle(id) else { return }
        let record = list.forest.record(current)
        guard let item = shown.handle(id) else { return insert(id) }
        guard shown.forest.children(item) != nil || selection.isMatch(record) else { return remove(id) }
        if selection.isSorted, selection.key(record) != selection.key(shown.forest.record(item)) {
            showAnew(id, item)
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

    /// Shows an item anew, with or without what is under it.
    mutating func fold(_ id: ItemID) {
        if let item = shown.handle(id) { showAnew(id, item) }
    }

    /// Takes an item out and brings in what is to be shown of it now, in the place that it has now. That may be nothing,
    /// because what it was shown for has changed as well; then those above it go too that were only shown because of it.
    private mutating func showAnew(_ id: ItemID, _ item: Handle) {
        let owner = shown.forest.parent(item)
        apply(.deleteItems([id]))
        insert(id)
        prune(from: owner)
    }

    // MARK: Marks

    /// Marks items that have got their first child, or lost their last one, while their children are left out.
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
        possible { () throws(TransactionError) in try shown.apply([operation], limits: .none) }
    }
}
