// The same reads as in UIKit's snapshots. Unknown ids give nil.

extension Snapshot {
    /// The number of items, at all depths. O(1).
    public var numberOfItems: Int { itemIndex.count }
    /// The number of sections. O(1).
    public var numberOfSections: Int { sectionIndex.count }
    /// Whether the list has no sections, and therefore no items. O(1).
    public var isEmpty: Bool { numberOfSections == 0 }

    /// The sections in order. O(sections).
    public var sectionIdentifiers: [SectionID] {
        var ids: [SectionID] = []
        forest.children(Forest.list)?.forEach { ids.append(sectionID($0)) }
        return ids
    }

    /// The size that counts towards limits, in bytes: the ids, kinds and contents of sections and items, and 64 for
    /// each. The list's own content counts the same. O(1).
    package var lengthCounted: Int { forest.lengthCounted }

    /// All items, section by section, parents before their children. O(n).
    public var itemIdentifiers: [ItemID] {
        var ids: [ItemID] = []
        ids.reserveCapacity(numberOfItems)
        forest.children(Forest.list)?.forEach { appendIdentifiers(under: $0, to: &ids) }
        return ids
    }

    private func appendIdentifiers(
        under owner: Handle, to ids: inout [ItemID], where isRead: (Handle) -> Bool = { _ in true }
    ) {
        forest.children(owner)?.forEach { handle in
            ids.append(itemID(handle))
            if isRead(handle) { appendIdentifiers(under: handle, to: &ids, where: isRead) }
        }
    }

    /// The expanded items, in order. O(n).
    package var expandedIdentifiers: [ItemID] {
        var ids: [ItemID] = []
        var cursor = SnapshotCursor(self)
        while let (handle, level) = cursor.nextHandle() {
            if level >= 0, forest.isExpanded(handle) { ids.append(itemID(handle)) }
        }
        return ids
    }

    /// Whether the list has this item, at any depth. O(log n).
    public func contains(_ item: ItemID) -> Bool { handle(item) != nil }
    /// Whether the list has this section. O(log n).
    @_disfavoredOverload  // So that a literal is an item id.
    public func contains(_ section: SectionID) -> Bool { handle(section) != nil }

    /// The complete state, nested. Every `isExpanded` is set. O(n).
    public var sections: [Section] {
        var sections: [Section] = []
        forest.children(Forest.list)?.forEach { handle in
            sections.append(Section(record: forest.record(handle), items: items(under: handle)))
        }
        return sections
    }

    func items(under owner: Handle) -> [Item] {
        var items: [Item] = []
        forest.children(owner)?.forEach { handle in
            items.append(
                Item(
                    record: forest.record(handle), isExpanded: forest.isExpanded(handle),
                    isFolded: forest.isFolded(handle), children: self.items(under: handle)))
        }
        return items
    }
}

// MARK: - Sections

extension Snapshot {
    /// A section with its content and its items. O(items in it).
    public func section(_ id: SectionID) -> Section? {
        handle(id).map { Section(record: forest.record($0), items: items(under: $0)) }
    }

    /// A section without its items. O(log n).
    package func sectionAlone(_ id: SectionID) -> Section? {
        handle(id).map { Section(record: forest.record($0)) }
    }

    /// A section's items with their children. O(items in it).
    public func items(inSection id: SectionID) -> [Item]? {
        handle(id).map(items(under:))
    }

    /// A section's items, parents before their children. O(items in it).
    public func itemIdentifiers(inSection id: SectionID) -> [ItemID]? {
        handle(id).map { section in
            var ids: [ItemID] = []
            appendIdentifiers(under: section, to: &ids)
            return ids
        }
    }

    /// A section's visible items, whose ancestors are all expanded.
    public func visibleItems(inSection id: SectionID) -> [ItemID]? {
        handle(id).map { section in
            var ids: [ItemID] = []
            appendIdentifiers(under: section, to: &ids, where: forest.isExpanded)
            return ids
        }
    }

    /// The items directly in a section.
    public func rootItems(inSection id: SectionID) -> [ItemID]? {
        handle(id).map(childIdentifiers(of:))
    }

    private func childIdentifiers(of owner: Handle) -> [ItemID] {
        var ids: [ItemID] = []
        forest.children(owner)?.forEach { ids.append(itemID($0)) }
        return ids
    }

    /// The number of items in a section, at all depths.
    public func numberOfItems(inSection id: SectionID) -> Int? {
        handle(id).map { forest.weight($0) - 1 }
    }

    /// The index of a section.
    public func index(ofSection id: SectionID) -> Int? {
        handle(id).map(forest.siblingIndex)
    }

    /// The section that contains an item, at any depth. O(depth · log n).
    public func sectionIdentifier(containingItem id: ItemID) -> SectionID? {
        handle(id).map { sectionID(forest.section($0)) }
    }
}

// MARK: - Items

extension Snapshot {
    package func record(of id: ItemID) -> Record? { handle(id).map { forest.record($0) } }

    /// An item with its kind, content, expansion and children. O(items in it).
    public func item(_ id: ItemID) -> Item? {
        handle(id).map { item in
            Item(
                record: forest.record(item), isExpanded: forest.isExpanded(item), isFolded: forest.isFolded(item),
                children: items(under: item))
        }
    }

    /// An item without its children. O(log n).
    package func itemAlone(_ id: ItemID) -> Item? {
        handle(id).map {
            Item(record: forest.record($0), isExpanded: forest.isExpanded($0), isFolded: forest.isFolded($0))
        }
    }

    /// The items directly in a section or under an item, without their children, and whether they have any. O(items returned).
    package func itemsAlone(in container: Container) -> [(item: Item, hasChildren: Bool)] {
        guard let owner = container.parent.flatMap(handle) ?? container.section.flatMap(handle) else { return [] }
        var items: [(item: Item, hasChildren: Bool)] = []
        forest.children(owner)?.forEach { item in
            let alone = Item(
                record: forest.record(item), isExpanded: forest.isExpanded(item), isFolded: forest.isFolded(item))
            items.append((item: alone, hasChildren: forest.children(item) != nil))
        }
        return items
    }

    /// The index of an item in `itemIdentifiers`.
    public func index(ofItem id: ItemID) -> Int? {
        handle(id).map { item in
            let (section, offset) = position(item)
            // The offset includes the sections before it, which are not items.
            return forest.siblingOffset(section) - forest.siblingIndex(section) + offset
        }
    }

    /// The index of an item in `itemIdentifiers(inSection:)` of its section.
    public func indexInSection(ofItem id: ItemID) -> Int? {
        handle(id).map { position($0).offset }
    }

    private func position(_ item: Handle) -> (section: Handle, offset: Int) {
        var offset = forest.siblingOffset(item)
        var owner = forest.parent(item)
        while forest.parent(owner) != Forest.list {
            offset += forest.siblingOffset(owner) + 1
            owner = forest.parent(owner)
        }
        return (owner, offset)
    }

    /// The item at an index of `itemIdentifiers(inSection:)`. Nil if out of range.
    public func itemIdentifier(at index: Int, inSection id: SectionID) -> ItemID? {
        guard let section = handle(id), index >= 0, index < forest.weight(section) - 1 else { return nil }
        var (handle, rest) = forest.child(atOffset: index, under: section)
        while rest > 0 { (handle, rest) = forest.child(atOffset: rest - 1, under: handle) }
        return itemID(handle)
    }

    /// An item's parent. Nil for an item directly in its section.
    public func parent(of id: ItemID) -> ItemID? {
        guard let item = handle(id) else { return nil }
        let parent = forest.parent(item)
        return forest.parent(parent) == Forest.list ? nil : itemID(parent)
    }

    /// An item's direct children.
    public func children(of id: ItemID) -> [ItemID]? {
        handle(id).map(childIdentifiers(of:))
    }

    /// The number of an item's ancestor items: 0 directly in its section.
    public func level(of id: ItemID) -> Int? { handle(id).map(forest.level) }

    /// Whether an item is expanded. O(log n).
    public func isExpanded(_ id: ItemID) -> Bool? { handle(id).map(forest.isExpanded) }

    /// Whether a view with `folded` leaves out an item's children. O(log n).
    public func isFolded(_ id: ItemID) -> Bool? { handle(id).map(forest.isFolded) }

    /// Whether all of an item's ancestors are expanded.
    public func isVisible(_ id: ItemID) -> Bool? {
        guard let item = handle(id) else { return nil }
        var owner = forest.parent(item)
        while forest.parent(owner) != Forest.list {
            guard forest.isExpanded(owner) else { return false }
            owner = forest.parent(owner)
        }
        return true
    }

    /// An item with its descendants, or only its children with theirs. O(items in it).
    public func subtree(of id: ItemID, _ extent: SubtreeExtent = .includingParent) -> [Item]? {
        guard let handle = handle(id) else { return nil }
        let children = items(under: handle)
        switch extent {
        case .childrenOnly: return children
        case .includingParent:
            let isExpanded = forest.isExpanded(handle)
            return [
                Item(
                    record: forest.record(handle), isExpanded: isExpanded, isFolded: forest.isFolded(handle),
                    children: children)
            ]
        }
    }

    /// The extent of `subtree(of:_:)`.
    public enum SubtreeExtent: Sendable {
        /// The item itself, with its descendants.
        case includingParent
        /// Only the item's children, with their descendants.
        case childrenOnly
    }
}

// MARK: - For people

extension Snapshot {
    /// The outline as text: a line for each section and each item, with children indented under their parent. Parents
    /// have the mark `▾` if they are expanded, otherwise `▸`.
    public var visualDescription: String {
        var text = ""
        var cursor = SnapshotCursor(self)
        while let (handle, level) = cursor.nextHandle() {
            guard level >= 0 else {
                text += "\(sectionID(handle))\n"
                continue
            }
            let mark = forest.children(handle) == nil ? " " : forest.isExpanded(handle) ? "▾" : "▸"
            text += String(repeating: "  ", count: level + 1) + "\(mark) \(itemID(handle))\n"
        }
        return text
    }
}
