/// What is shown of a list: some of its items, in an order of their own, or those that nobody has folded away.
///
/// A selection is a function between snapshots. `evaluate` makes what is shown from a whole list; `advance` brings it up
/// to date at the cost of what changed, with the same result. Selections are used one after the other: what matches is
/// found before anything is folded away, so that an item is shown for a match that is folded away under it.
package struct Selection: Sendable {
    /// The sections that are shown, with or without items, in the list's order; nil: all.
    let sections: Set<SectionID>?
    private let isMatch: (@Sendable (Item) -> Bool)?
    private let key: (@Sendable (Item) -> SortKey)?
    let expansion: Expansion

    /// Whose children are shown.
    package enum Expansion: Hashable, Sendable {
        /// Everybody's.
        case all
        /// Those of items that are expanded in the list.
        case shared
        /// Those of these items, which are shown as expanded, and no others.
        case own(Set<ItemID>)
    }

    /// Shows the items that match, of these sections, with siblings sorted by a key; what is nil says nothing.
    ///
    /// An item under which another one is shown is shown too, whatever it is, so that every item stands where it
    /// belongs. Siblings with equal keys keep the list's order.
    package init(
        sections: Set<SectionID>? = nil, isMatch: (@Sendable (Item) -> Bool)? = nil,
        key: (@Sendable (Item) -> SortKey)? = nil
    ) {
        self.sections = sections
        self.isMatch = isMatch
        self.key = key
        self.expansion = .all
    }

    /// Shows what is not folded away.
    package init(_ expansion: Expansion) {
        self.sections = nil
        self.isMatch = nil
        self.key = nil
        self.expansion = expansion
    }

    /// Whether siblings have an order of their own.
    var isSorted: Bool { key != nil }

    func isShown(_ section: SectionID) -> Bool { sections?.contains(section) ?? true }

    func isMatch(_ record: Record) -> Bool { isMatch?(Item(record: record)) ?? true }

    func key(_ record: Record) -> SortKey? { key?(Item(record: record)) }

    /// Whether an item is shown as expanded, given whether it is in the list.
    func isExpanded(_ record: Record, inList: Bool) -> Bool {
        switch expansion {
        case .all, .shared: inList
        case .own(let ids): ids.contains(ItemID(record: record))
        }
    }

    /// Whether the children of an item are shown.
    func isOpen(_ record: Record, inList: Bool) -> Bool {
        if case .all = expansion { return true }
        return isExpanded(record, inList: inList)
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
        return possible { () throws(OperationError) in try Snapshot(sections, limits: .none) }
    }

    /// What is shown of an item and what is under it; nil when nothing is.
    func item(_ handle: Handle, in list: Snapshot) -> Item? {
        let record = list.forest.record(handle)
        let isExpanded = list.forest.isExpanded(handle)
        let children = isOpen(record, inList: isExpanded) ? children(of: handle, in: list) : []
        guard !children.isEmpty || isMatch(record) else { return nil }
        return Item(
            record: record, isExpanded: self.isExpanded(record, inList: isExpanded), children: children)
    }

    private func children(of owner: Handle, in list: Snapshot) -> [Item] {
        var items: [Item] = []
        list.forest.children(owner)?.forEach { handle in
            if let item = item(handle, in: list) { items.append(item) }
        }
        guard isSorted else { return items }
        // Sorting is stable, so equal keys leave the list's order.
        let keyed = items.map { (key: key($0.record), item: $0) }
        return keyed.sorted { a, b in
            guard let a = a.key, let b = b.key else { return false }
            return a < b
        }.map(\.item)
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
