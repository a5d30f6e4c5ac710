import Diffable
import DiffableInput

/// A diff for users: a line for each section or item that is inserted, deleted, moved or changed. `+` is inserted, `-` deleted,
/// `>` moved, `~` changed, `▾` expanded and `▸` collapsed.
struct ChangeLines {
    private let terminal: Terminal
    private let old: Snapshot
    private let new: Snapshot
    private(set) var lines: [String] = []

    init(_ operations: [ListOperation], from old: Snapshot, to new: Snapshot, on terminal: Terminal) {
        self.terminal = terminal
        self.old = old
        self.new = new
        for operation in operations { append(operation) }
    }

    private mutating func append(_ operation: ListOperation) {
        switch operation {
        case .reconfigureList, .patchList: changeList()
        case .appendSections(let sections): for section in sections { insert(section, at: nil) }
        case .insertSections(let sections, let position):
            for (offset, section) in sections.enumerated() { insert(section, at: offset == 0 ? position : nil) }
        case .deleteSections(let ids, _): for id in ids { delete(id) }
        case .moveSection(let id, let position): add(.moved, ">", "section \(id)", where: place(position))
        case .reloadSections(let reloads):
            for reload in reloads { add(.changed, "~", "section \(words(reload.id, in: new))") }
        case .appendItems(let items, let container): insert(items, at: .end(of: container))
        case .insertItems(let items, let position): insert(items, at: position)
        case .deleteItems(let ids, _): for id in ids { delete(id) }
        case .deleteAllItems: add(.deleted, "-", "all sections and items")
        case .moveItem(let id, let position): add(.moved, ">", words(id, in: new), where: place(position))
        case .reconfigureItems(let items): for item in items { change(item.id) }
        case .patchItems(let items): for item in items { change(item.id) }
        case .reloadItems(let items): for item in items { change(item.id) }
        case .expandItems(let ids): for id in ids { add(.changed, "▾", "\(id)") }
        case .collapseItems(let ids): for id in ids { add(.changed, "▸", "\(id)") }
        case .foldItems, .unfoldItems: break
        case .replaceChildren(let parent, let items):
            insert(items, at: .end(of: .parent(parent)))
        }
    }

    /// `place` is the position, which is dimmed after the words.
    private mutating func add(_ style: Terminal.Style, _ mark: String, _ words: String, where place: String = "") {
        let line = "\(terminal.styled(mark, style)) \(words)"
        lines.append(place.isEmpty ? line : "\(line)  \(terminal.styled("(\(place))", .dim))")
    }
}

// MARK: - Items

extension ChangeLines {
    private mutating func insert(_ items: [Item], at position: ItemPosition) {
        insert(items, place: place(position))
    }

    private mutating func insert(_ items: [Item], place: String) {
        var cursor = ItemCursor(items)
        var place = place
        while let (record, level, _, _) = cursor.next() {
            let margin = String(repeating: "  ", count: level)
            let words = ItemWords(terminal).line(Item(record: record), fromColumn: margin.count + 2)
            add(.inserted, "+", margin + words, where: place)
            // The other items are after the first one or below it.
            place = ""
        }
    }

    private mutating func delete(_ id: ItemID) {
        let below = old.subtree(of: id, .childrenOnly).map { $0.reduce(0) { $0 + 1 + counted($1.children) } } ?? 0
        add(
            .deleted, "-", words(id, in: old),
            where: below == 0 ? "" : "with \(DiffableInput.counted(below, "item")) below it")
    }

    private func counted(_ items: [Item]) -> Int { items.reduce(items.count) { $0 + counted($1.children) } }

    private mutating func change(_ id: ItemID) {
        let before = old.itemAlone(id)
        let after = new.itemAlone(id)
        if let before, let after, before.kind != after.kind {
            let kinds = [before.kind, after.kind].map { $0?.description ?? "no kind" }
            add(.changed, "~", words(id, in: new), where: "\(kinds[0]) is now \(kinds[1])")
        } else if let before, before.content != after?.content {
            let text = ContentSummary.describing(before.content, of: id.description)
            let isSeen = text != ContentSummary.describing(after?.content, of: id.description)
            // A change of members that the item's line does not show is written as pairs.
            let note = isSeen ? "was \(text)" : ContentSummary.changes(from: before.content, to: after?.content)
            add(
                .changed, "~", words(id, in: new),
                where: isSeen && text.isEmpty ? "" : terminal.fitting(note, fromColumn: 40))
        } else {
            add(.changed, "~", words(id, in: new), where: "to be drawn again")
        }
    }

    private func words(_ id: ItemID, in snapshot: Snapshot) -> String {
        ItemWords(terminal).line(id.description, snapshot.itemAlone(id)?.content, fromColumn: 2)
    }

    private func place(_ position: ItemPosition) -> String {
        switch position {
        case .before(let anchor, let container): "\(words(container))before \(anchor)"
        case .after(let anchor, let container): "\(words(container))after \(anchor)"
        case .front(let container): "\(words(container))first"
        case .end(let container): "\(words(container))last"
        }
    }

    private func words(_ container: Container?) -> String {
        if let parent = container?.parent { return "under \(parent), " }
        return container?.section.map { "in \($0), " } ?? ""
    }
}

// MARK: - The list and its sections

extension ChangeLines {
    private mutating func changeList() {
        let words = ItemWords(terminal).line("the list", new.content, fromColumn: 2)
        let note = ContentSummary.changes(from: old.content, to: new.content)
        add(.changed, "~", words, where: terminal.fitting(note, fromColumn: 40))
    }

    private mutating func insert(_ section: Section, at position: SectionPosition?) {
        add(.inserted, "+", "section \(words(section.id, in: new))", where: position.map(place) ?? "")
        insert(section.items, place: "")
    }

    private mutating func delete(_ id: SectionID) {
        let count = old.itemIdentifiers(inSection: id)?.count ?? 0
        add(
            .deleted, "-", "section \(words(id, in: old))",
            where: count == 0 ? "" : "with \(DiffableInput.counted(count, "item"))")
    }

    private func words(_ id: SectionID, in snapshot: Snapshot) -> String {
        ItemWords(terminal).line(id.description, snapshot.sectionAlone(id)?.content, fromColumn: 10)
    }

    private func place(_ position: SectionPosition) -> String {
        switch position {
        case .front: "first"
        case .before(let anchor): "before \(anchor)"
        case .after(let anchor): "after \(anchor)"
        }
    }
}
