import Diffable

// Steps from the top of a list to its end and back, by index paths. In an outline, the children of a group of items follow the
// whole group. In a list, a group is one item.

extension Composer {
    func element(after element: Element) -> Element? {
        switch element {
        case .title: document.placeholdersBefore > 0 ? .placeholder(0) : firstHeld
        case .placeholder(let index):
            if index + 1 == document.placeholdersBefore {
                firstHeld
            } else {
                index + 1 < document.rowCount ? .placeholder(index + 1) : nil
            }
        case .top(let section): rootCount(section) > 0 ? .items([section, 0]) : end(ofItemsIn: section)
        case .items(let path): next(path)
        case .more(let section): .bottom(section)
        case .bottom(let section): section + 1 < sectionCount ? .top(section + 1) : lastPlaceholders
        case .empty: nil
        }
    }

    func element(before element: Element) -> Element? {
        switch element {
        case .title: return nil
        case .placeholder(let index):
            if index == 0 { return .title }
            if index > document.rowCount - document.placeholdersBehind || index < document.placeholdersBefore {
                return .placeholder(index - 1)
            }
            return sectionCount > 0 ? .bottom(sectionCount - 1) : beforeHeld
        case .top(let section): return section > 0 ? .bottom(section - 1) : beforeHeld
        case .items(let path): return previous(path)
        case .more(let section): return lastItems(section) ?? .top(section)
        case .bottom(let section):
            return plan(section).look.hasMore && !isCutAtEnd(section)
                ? .more(section) : lastItems(section) ?? .top(section)
        case .empty: return sectionCount > 0 ? .bottom(sectionCount - 1) : .title
        }
    }

    var lastElement: Element {
        if document.placeholdersBehind > 0 { return .placeholder(document.rowCount - 1) }
        if isEmpty { return .empty }
        return sectionCount > 0 ? .bottom(sectionCount - 1) : beforeHeld
    }

    /// Rows after the last loaded ones probably belong to its section.
    func isCutAtEnd(_ section: Int) -> Bool { section == sectionCount - 1 && document.placeholdersBehind > 0 }

    private var firstHeld: Element? { sectionCount > 0 ? .top(0) : lastPlaceholders }

    private var beforeHeld: Element {
        document.placeholdersBefore > 0 ? .placeholder(document.placeholdersBefore - 1) : .title
    }

    private var lastPlaceholders: Element? {
        if isEmpty { return .empty }
        return document.placeholdersBehind > 0 ? .placeholder(document.rowCount - document.placeholdersBehind) : nil
    }

    private func end(ofItemsIn section: Int) -> Element {
        plan(section).look.hasMore && !isCutAtEnd(section) ? .more(section) : .bottom(section)
    }
}

// MARK: - Items

extension Composer {
    func rootCount(_ section: Int) -> Int {
        snapshot.sectionIdentifier(at: section).flatMap { snapshot.numberOfRootItems(inSection: $0) } ?? 0
    }

    /// The number of items under the owner at a path, which is a section's or an item's.
    func siblingCount(_ owner: ArraySlice<Int>) -> Int {
        if owner.count == 1 { return rootCount(owner[owner.startIndex]) }
        return snapshot.itemIdentifier(at: Array(owner)).map(document.childCount) ?? 0
    }

    func groupPath(_ path: [Int]) -> [Int] {
        var path = path
        path[path.count - 1] -= path[path.count - 1] % plan(path[0]).groupCount
        return path
    }

    /// The children of a carousel's items are not drawn: they would be between items that scroll together.
    private func isOpen(_ path: [Int], _ plan: SectionPlan) -> Bool {
        guard plan.kind != .carousel, let id = snapshot.itemIdentifier(at: path) else { return false }
        return document.isOpen(id)
    }

    private func next(_ path: [Int]) -> Element {
        let plan = plan(path[0])
        if let children = firstOpen(path, from: path[path.count - 1], plan) { return .items(children + [0]) }
        return following(path, plan)
    }

    /// The path of the first item of the group, from an index on, whose children are drawn.
    private func firstOpen(_ group: [Int], from index: Int, _ plan: SectionPlan) -> [Int]? {
        if plan.kind == .carousel { return nil }
        let end = min(group[group.count - 1] + plan.groupCount, siblingCount(group.dropLast()))
        return (index..<max(end, index)).lazy.map { group.dropLast() + [$0] }.first { isOpen($0, plan) }
    }

    /// The element after a group and its items' children.
    private func following(_ group: [Int], _ plan: SectionPlan) -> Element {
        let index = group[group.count - 1]
        if plan.kind != .carousel, index + plan.groupCount < siblingCount(group.dropLast()) {
            return .items(group.dropLast() + [index + plan.groupCount])
        }
        guard group.count > 2 else { return end(ofItemsIn: group[0]) }
        let parent = Array(group.dropLast())
        let parents = groupPath(parent)
        if let children = firstOpen(parents, from: parent[parent.count - 1] + 1, plan) { return .items(children + [0]) }
        return following(parents, plan)
    }

    private func previous(_ path: [Int]) -> Element {
        let plan = plan(path[0])
        let index = path[path.count - 1]
        if index > 0 {
            return .items(lastInside(Array(path.dropLast()) + [max(index - plan.groupCount, 0)], plan))
        }
        guard path.count > 2 else { return .top(path[0]) }
        let parent = Array(path.dropLast())
        let parents = groupPath(parent)
        for index in (parents[parents.count - 1]..<parent[parent.count - 1]).reversed() {
            let sibling = Array(parent.dropLast()) + [index]
            if isOpen(sibling, plan) { return .items(lastInside(under: sibling, plan)) }
        }
        return .items(parents)
    }

    private func lastItems(_ section: Int) -> Element? {
        rootCount(section) > 0 ? .items(lastInside(under: [section], plan(section))) : nil
    }

    private func lastInside(under owner: [Int], _ plan: SectionPlan) -> [Int] {
        let count = siblingCount(owner[...])
        return lastInside(owner + [(count - 1) / plan.groupCount * plan.groupCount], plan)
    }

    /// The group, or the last group of its items' children.
    private func lastInside(_ group: [Int], _ plan: SectionPlan) -> [Int] {
        if plan.kind == .carousel { return group }
        let start = group[group.count - 1]
        let end = min(start + plan.groupCount, siblingCount(group.dropLast()))
        for index in (start..<max(end, start)).reversed() {
            let item = Array(group.dropLast()) + [index]
            if isOpen(item, plan) { return lastInside(under: item, plan) }
        }
        return group
    }
}

// MARK: - By id

extension Composer {
    /// The element of a row; for an item that is not drawn, the element of its drawn ancestor. Nil if it does not exist.
    func element(_ id: RowID) -> Element? {
        switch id {
        case .title: return .title
        case .empty: return isEmpty ? .empty : nil
        case .placeholder(let index):
            let isOne =
                index >= 0 && index < document.placeholdersBefore
                || index >= document.rowCount - document.placeholdersBehind && index < document.rowCount
            return isOne ? .placeholder(index) : nil
        case .header(let section): return snapshot.index(ofSection: section).map { .top($0) }
        case .footer(let section): return snapshot.index(ofSection: section).map { .bottom($0) }
        case .more(let section):
            guard let index = snapshot.index(ofSection: section), plan(index).look.hasMore, !isCutAtEnd(index) else {
                return nil
            }
            return .more(index)
        case .item(let item): return snapshot.indexPath(ofItem: item).map { .items(groupPath(drawnPath($0))) }
        }
    }

    /// The last drawn descendant of an item, or the item itself.
    func lastOpen(under item: ItemID) -> ItemID {
        var item = item
        while document.isOpen(item), let last = snapshot.children(of: item)?.last { item = last }
        return item
    }

    /// The path of an item, or of its first ancestor whose children are not drawn.
    func drawnPath(_ path: [Int]) -> [Int] {
        let plan = plan(path[0])
        for length in 2..<max(path.count, 2) where !isOpen(Array(path[..<length]), plan) {
            return Array(path[..<length])
        }
        return path
    }
}
