import Diffable

package struct Merge {
    private let content: Content?
    private let sections: [Section]
    /// Whether the input gives the sections of items, so that items in other sections are moved.
    private let saysSection: Bool

    /// `default` is for items without a section of their own. `saysSection` may be nil: then the input gives sections if it has
    /// any other than the default.
    package init(_ input: Input, into default: SectionID = ItemBuilder.defaultSection, saysSection: Bool? = nil) {
        switch input {
        case .whole(let list):
            content = list.content ?? nil
            sections = list.sections
            // Rows without a section are in the default section only because each item needs one.
            self.saysSection = saysSection ?? sections.contains { $0.id != ItemBuilder.defaultSection }
        case .items(let items):
            content = nil
            sections = [Section(id: `default`, items: items)]
            self.saysSection = true
        }
    }

    package func applied(to snapshot: Snapshot) throws -> Snapshot {
        var operations: [ListOperation] = content.map { [.reconfigureList($0)] } ?? []
        for section in sections {
            if let known = snapshot.section(section.id) {
                if let content = section.content, content != known.content {
                    operations.append(.reloadSections([SectionReload(id: section.id, content: .some(content))]))
                }
            } else if saysSection {
                operations.append(.appendSections([Section(id: section.id, content: section.content)]))
            }
        }
        for section in sections {
            merge(section.items, into: saysSection ? .section(section.id) : .lastSection, snapshot, &operations)
        }
        do throws(TransactionError) { return try snapshot.applying(operations) } catch {
            throw InputError("the input does not fit the list, and nothing was changed: \(error.reason)")
        }
    }

    private func merge(
        _ items: [Item], into container: Container, _ snapshot: Snapshot, _ operations: inout [ListOperation]
    ) {
        var new: [Item] = []
        for item in items {
            if let known = snapshot.item(item.id) {
                change(known, to: item, in: container, snapshot, &operations)
            } else {
                new.append(Item(id: item.id, kind: item.kind, content: item.content, isExpanded: item.isExpanded))
            }
        }
        if !new.isEmpty { operations.append(.appendItems(new, to: container)) }
        for item in items where !item.children.isEmpty {
            merge(item.children, into: .parent(item.id), snapshot, &operations)
        }
    }

    private func change(
        _ known: Item, to item: Item, in container: Container, _ snapshot: Snapshot, _ operations: inout [ListOperation]
    ) {
        if let kind = item.kind, kind != known.kind {
            operations.append(.reloadItems([ItemReload(id: item.id, kind: .some(kind))]))
        }
        if let content = item.content, content != known.content {
            operations.append(.reconfigureItems([ItemReconfiguration(id: item.id, content: .some(content))]))
        }
        if let isExpanded = item.isExpanded, isExpanded != known.isExpanded {
            operations.append(isExpanded ? .expandItems([item.id]) : .collapseItems([item.id]))
        }
        let parent = snapshot.parent(of: item.id)
        if let wanted = container.parent {
            if wanted != parent { operations.append(.moveItem(item.id, to: .end(of: container))) }
        } else if let section = container.section {
            if parent != nil || section != snapshot.sectionIdentifier(containingItem: item.id) {
                operations.append(.moveItem(item.id, to: .end(of: container)))
            }
        }
    }
}
