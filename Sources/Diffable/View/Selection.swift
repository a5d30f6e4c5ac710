/// What is shown of a list: some of its items, in an order of their own, or those that nobody has folded away.
///
/// A selection is a function between snapshots. `evaluate` makes what is shown from a whole list; `advance` brings it up
/// to date at the cost of what changed, with the same result. Selections are used one after the other: what matches is
/// found before anything is folded away, so that an item is shown for a match that is folded away under it.
package struct Selection: Sendable {
    /// The sections that are shown, with or without items, in the list's order; nil: all.
    let sections: Set<SectionID>?
    /// How many things are asked of each item.
    let terms: Int
    private let isMatch: (@Sendable (Item) -> Bool)?
    private let appendKey: KeyWriter?
    package let expansion: Expansion
    /// Whether items are marked whose children it leaves out.
    let marksFolded: Bool

    /// Appends what an item is sorted by; as many values for each.
    package typealias KeyWriter = @Sendable (Item, inout SortKey) -> Void

    /// Whose children are shown.
    package enum Expansion: Hashable, Sendable {
        /// Everybody's.
        case all
        /// Those of items that are expanded in the list.
        case shared
        /// Those of these items, which are shown as expanded, and no others.
        case own(Set<ItemID>)
        /// Those of items that are expanded in the list, but of these the other way round.
        case toggled(Set<ItemID>)
    }

    /// Shows the items that match, of these sections, with siblings sorted by a key; what is nil says nothing.
    ///
    /// An item under which another one is shown is shown too, whatever it is, so that every item stands where it
    /// belongs. Siblings with equal keys keep the list's order.
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

    /// Shows what is not folded away.
    ///
    /// - Parameter marksFolded: whether items are marked whose children it leaves out.
    package init(_ expansion: Expansion, marksFolded: Bool = false) {
        self.marksFolded = marksFolded
        self.sections = nil
        self.terms = 0
        self.isMatch = nil
        self.appendKey = nil
        self.expansion = expansion
    }

    /// Whether siblings have an order of their own.
    var isSorted: Bool { appendKey != nil }

    func isShown(_ section: SectionID) -> Bool { sections?.contains(section) ?? true }

    func isMatch(_ record: Record) -> Bool { isMatch?(Item(record: record)) ?? true }

    /// Whether an item matches by itself, and is not only shown because another stands under it.
    package func isMet(by item: Item) -> Bool { isMatch(item.record) }

    func key(_ record: Record) -> SortKey? {
        appendKey.map { appendKey in
            var key = SortKey()
            appendKey(Item(record: record), &key)
            return key
        }
    }

    /// Whether an item is shown as expanded, given whether it is in the list.
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
    /// What is shown of an item changes when it is expanded or collapsed in the list.
    var followsList: Bool {
        switch self {
        case .shared, .toggled: true
        case .all, .own: false
        }
    }

    /// The items that only one of the two shows as expanded, whatever the list is; nil when that depends on the list.
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
    /// What is shown of a list. O(n log n), without a sort key O(n).
    package func evaluate(_ list: Snapshot) -> Snapshot {
        var sections: [Section] = []
        list.forest.children(Forest.list)?.forEach { handle in
            guard isShown(list.sectionID(handle)) else { return }
            sections.append(Section(record: list.forest.record(handle), items: children(of: handle, in: list)))
        }
        return Snapshot(shown: sections, of: list)
    }

    /// The same, when all that it shows is in what another selection shows of the list, in the list's order or in its own.
    package func evaluate(_ list: Snapshot, among shown: Snapshot) -> Snapshot {
        var result = evaluate(shown)
        result.redrawsAsked = list.redrawsAsked
        return result
    }

    /// What is shown of an item and what is under it; nil when nothing is.
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
        var items = KeyedItems(capacity: Int(siblings.count))
        forEachShown(of: siblings, in: list) { items.append($0, appendKey) }
        return items.sorted()
    }

    private func forEachShown(of siblings: SiblingTree, in list: Snapshot, _ body: (Item) -> Void) {
        siblings.forEachLeaf { leaf in
            // Nearly always nothing stands under any of them: that need not be looked up for each.
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

    /// The items in the order of their keys, if they have an order of their own.
    func sorted(_ items: [Item]) -> [Item] {
        guard let appendKey else { return items }
        var keyed = KeyedItems(capacity: items.count)
        for item in items { keyed.append(item, appendKey) }
        return keyed.sorted()
    }
}

extension Snapshot {
    /// Sections and items that are known to be different from each other: what is shown of a list. O(n), and several times
    /// faster than bringing in what may be anything.
    init(shown sections: [Section], of list: Snapshot) {
        var builder = SnapshotBuilder()
        // Whatever else is shown, the list's own content is.
        builder.set(list: list.listRecord)
        self = possible { () throws(OperationError) in
            for section in sections { try builder.append(section) }
            return try builder.finished()
        }
        redrawsAsked = list.redrawsAsked
    }
}

/// The result of a change that is known to be possible.
func possible<R, E: Error>(_ change: () throws(E) -> R) -> R {
    do throws(E) {
        return try change()
    } catch {
        preconditionFailure("what is shown of a list follows the list, but: \(error)")
    }
}
