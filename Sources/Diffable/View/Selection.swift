/// A choice of the rows of a list: the items that match, possibly sorted, or the items that are not hidden by a
/// collapsed parent.
///
/// A selection is a function between snapshots. `evaluate` computes the rows from a whole list; `advance` brings them
/// up to date at the cost of the changes, with the same result. Selections are applied one after the other: matching
/// comes before collapsing, so that an item is also shown for matches that are hidden because it is collapsed.
package struct Selection: Sendable {
    /// The sections that are shown, with or without items, in the list's order; nil: all sections.
    let sections: Set<SectionID>?
    /// The number of conditions that each item is checked against.
    let terms: Int
    private let isMatch: (@Sendable (Item) -> Bool)?
    private let appendKey: KeyWriter?
    package let expansion: Expansion
    /// Whether items with left-out children are marked.
    let marksFolded: Bool

    /// Appends the values that an item is sorted by: the same number of values for every item.
    package typealias KeyWriter = @Sendable (Item, inout SortKey) -> Void

    /// The items that show their children.
    package enum Expansion: Hashable, Sendable {
        /// All items.
        case all
        /// The items that are expanded in the list.
        case shared
        /// Exactly these items, which are shown as expanded.
        case own(Set<ItemID>)
        /// The items that are expanded in the list, with the expansion of these items inverted.
        case toggled(Set<ItemID>)
    }

    /// Shows the matching items of these sections, with siblings sorted by a key. Nil means no restriction.
    ///
    /// The ancestors of a shown item are shown too, even if they do not match, so that every item keeps its place in
    /// the outline. Siblings with equal keys keep the list's order.
    package init(
        sections: Set<SectionID>? = nil, terms: Int = 1, isMatch: (@Sendable (Item) -> Bool)? = nil,
        appendKey: KeyWriter? = nil
    ) {
        self.sections = sections
        self.terms = terms
        self.isMatch = isMatch
        self.appendKey = appendKey
        self.expansion = .all
        marksFolded = false
    }

    /// Shows the items that are not hidden by a collapsed parent.
    ///
    /// - Parameter marksFolded: whether items with left-out children are marked.
    package init(_ expansion: Expansion, marksFolded: Bool = false) {
        self.marksFolded = marksFolded
        self.sections = nil
        self.terms = 0
        self.isMatch = nil
        self.appendKey = nil
        self.expansion = expansion
    }

    /// Whether siblings are sorted.
    var isSorted: Bool { appendKey != nil }

    func isShown(_ section: SectionID) -> Bool { sections?.contains(section) ?? true }

    func isMatch(_ record: Record) -> Bool { isMatch?(Item(record: record)) ?? true }

    /// Whether an item matches by itself, and is not shown only because of its descendants.
    package func isMet(by item: Item) -> Bool { isMatch(item.record) }

    func key(_ record: Record) -> SortKey? {
        appendKey.map { appendKey in
            var key = SortKey()
            appendKey(Item(record: record), &key)
            return key
        }
    }

    /// Whether an item is shown as expanded, given its expansion in the list.
    func isExpanded(_ record: Record, inList: Bool) -> Bool {
        switch expansion {
        case .all, .shared: inList
        case .own(let ids): ids.contains(ItemID(record: record))
        case .toggled(let ids): ids.contains(ItemID(record: record)) != inList
        }
    }

    /// Whether an item is marked because its children are left out.
    func isFolded(_ handle: Handle, in list: Snapshot) -> Bool {
        marksFolded && list.forest.children(handle) != nil
            && !isOpen(list.forest.record(handle), inList: list.forest.isExpanded(handle))
    }

    /// Whether the children of an item are shown.
    func isOpen(_ record: Record, inList: Bool) -> Bool {
        if case .all = expansion { return true }
        return isExpanded(record, inList: inList)
    }
}

extension Selection.Expansion {
    /// Whether expanding or collapsing an item in the list changes the rows.
    var followsList: Bool {
        switch self {
        case .shared, .toggled: true
        case .all, .own: false
        }
    }

    /// Returns the items that exactly one of the two shows as expanded, in any list; nil if that depends on the list.
    func difference(from other: Self) -> Set<ItemID>? {
        switch (self, other) {
        case (.own(let new), .own(let old)): new.symmetricDifference(old)
        case (.shared, .shared): []
        case (.toggled(let ids), .shared), (.shared, .toggled(let ids)): ids
        case (.toggled(let new), .toggled(let old)): new.symmetricDifference(old)
        default: nil
        }
    }
}

// MARK: - Evaluating

extension Selection {
    /// Returns the rows of a list. O(n log n), or O(n) without a sort key.
    package func evaluate(_ list: Snapshot) -> Snapshot {
        var sections: [Section] = []
        list.forest.children(Forest.list)?.forEach { handle in
            guard isShown(list.sectionID(handle)) else { return }
            sections.append(Section(record: list.forest.record(handle), items: children(of: handle, in: list)))
        }
        return Snapshot(shown: sections, of: list)
    }

    /// Returns the rows of a list, given that another selection shows all of them. Siblings have the order of `shown`,
    /// unless this selection sorts them.
    ///
    /// - Parameter shown: the rows of that selection.
    package func evaluate(_ list: Snapshot, among shown: Snapshot) -> Snapshot {
        var result = evaluate(shown)
        result.redrawsAsked = list.redrawsAsked
        return result
    }

    /// Returns the shown part of an item and its descendants; nil if that is empty.
    func item(_ handle: Handle, in list: Snapshot) -> Item? {
        let record = list.forest.record(handle)
        let isExpanded = list.forest.isExpanded(handle)
        let children = isOpen(record, inList: isExpanded) ? children(of: handle, in: list) : []
        guard !children.isEmpty || isMatch(record) else { return nil }
        return Item(
            record: record, isExpanded: self.isExpanded(record, inList: isExpanded),
            isFolded: marksFolded && isFolded(handle, in: list), children: children)
    }

    private func children(of owner: Handle, in list: Snapshot) -> [Item] {
        guard let siblings = list.forest.children(owner) else { return [] }
        guard let appendKey else {
            var items: [Item] = []
            forEachShown(of: siblings, in: list) { items.append($0) }
            return items
        }
        var items = KeyedSorter(capacity: Int(siblings.count))
        forEachShown(of: siblings, in: list) { items.append($0, appendKey) }
        return items.sorted()
    }

    private func forEachShown(of siblings: SiblingTree, in list: Snapshot, _ body: (Item) -> Void) {
        siblings.forEachLeaf { leaf in
            // Nearly always none of them has children: that is checked once for all of them.
            let haveChildren = leaf.total > leaf.count
            leaf.withHandles { handles in
                for handle in handles {
                    if haveChildren {
                        if let item = item(handle, in: list) { body(item) }
                    } else {
                        let record = list.forest.record(handle)
                        guard isMatch(record) else { continue }
                        body(
                            Item(
                                record: record,
                                isExpanded: isExpanded(record, inList: list.forest.isExpanded(handle))))
                    }
                }
            }
        }
    }

    /// Sorts the items by their keys, if the selection sorts.
    func sorted(_ items: [Item]) -> [Item] {
        guard let appendKey else { return items }
        var keyed = KeyedSorter(capacity: items.count)
        for item in items { keyed.append(item, appendKey) }
        return keyed.sorted()
    }
}

extension Snapshot {
    /// Builds rows from sections and items that are known to be distinct. O(n), and several times faster than inserting
    /// arbitrary ones.
    init(shown sections: [Section], of list: Snapshot) {
        var builder = SnapshotBuilder()
        // The list's own content is always shown.
        builder.set(list: list.listRecord)
        self = mustSucceed { () throws(OperationError) in
            for section in sections { try builder.append(section) }
            return try builder.finished()
        }
        redrawsAsked = list.redrawsAsked
    }
}

/// Returns the result of a change that is known to be possible.
func mustSucceed<R, E: Error>(_ change: () throws(E) -> R) -> R {
    do throws(E) {
        return try change()
    } catch {
        preconditionFailure("what is shown of a list follows the list, but: \(error)")
    }
}
