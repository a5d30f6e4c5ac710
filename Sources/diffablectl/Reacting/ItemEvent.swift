import ArgumentParser
import Diffable
import DiffableClient

/// A change of one item.
struct ItemEvent: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case insert, delete, change, move
    }

    var kind: Kind
    /// The item now, or before it was deleted.
    var item: Item
    var list: ListName
    var section: SectionID?
    var parent: ItemID?
    var revision: Int
}

/// `insert,change`
struct ItemEventKinds: ExpressibleByArgument {
    let kinds: Set<ItemEvent.Kind>

    static let all = ItemEventKinds(kinds: Set(ItemEvent.Kind.allCases))

    private init(kinds: Set<ItemEvent.Kind>) { self.kinds = kinds }

    init?(argument: String) {
        let words = argument.split(separator: ",", omittingEmptySubsequences: false)
        let kinds = words.compactMap { ItemEvent.Kind(rawValue: $0.trimming(" ")) }
        guard kinds.count == words.count else { return nil }
        self.kinds = Set(kinds)
    }

    static let allValueStrings = ItemEvent.Kind.allCases.map(\.rawValue)
}

extension Substring {
    fileprivate func trimming(_ mark: Character) -> String {
        String(drop { $0 == mark }.reversed().drop { $0 == mark }.reversed())
    }
}

extension ItemEvent {
    /// The events of an update, in the order of its difference. A descendant of an inserted or deleted item has an event too.
    static func all(in update: ListUpdate<Content?>) -> [ItemEvent] {
        ItemEventReader(update).events
    }
}

private struct ItemEventReader {
    private let update: ListUpdate<Content?>
    private let old: Snapshot
    private let new: Snapshot
    private(set) var events: [ItemEvent] = []

    init(_ update: ListUpdate<Content?>) {
        self.update = update
        old = update.previous.untyped
        new = update.snapshot.untyped
        for operation in update.difference { append(operation) }
    }

    private mutating func append(_ operation: ListOperation) {
        switch operation {
        case .appendSections(let sections), .insertSections(let sections, _):
            for section in sections { insert(section.items) }
        case .appendItems(let items, _), .insertItems(let items, _), .replaceChildren(_, let items): insert(items)
        case .deleteSections(let ids, _):
            for id in ids { delete(old.itemIdentifiers(inSection: id) ?? []) }
        case .deleteItems(let ids, _):
            for id in ids { delete(flattened(old.subtree(of: id) ?? [])) }
        case .deleteAllItems: delete(old.itemIdentifiers)
        case .moveItem(let id, _): add(.move, id, in: new)
        case .reconfigureItems(let items): for item in items { add(.change, item.id, in: new) }
        case .patchItems(let items): for item in items { add(.change, item.id, in: new) }
        case .reloadItems(let items): for item in items { add(.change, item.id, in: new) }
        case .reconfigureList, .patchList, .moveSection, .reloadSections, .expandItems, .collapseItems: break
        }
    }

    private mutating func insert(_ items: [Item]) {
        for id in flattened(items) { add(.insert, id, in: new) }
    }

    /// Its former descendants may be elsewhere now.
    private mutating func delete(_ ids: [ItemID]) {
        for id in ids where !new.contains(id) { add(.delete, id, in: old) }
    }

    private mutating func add(_ kind: ItemEvent.Kind, _ id: ItemID, in snapshot: Snapshot) {
        guard let item = snapshot.itemAlone(id) else { return }
        events.append(
            ItemEvent(
                kind: kind, item: item, list: update.list, section: snapshot.sectionIdentifier(containingItem: id),
                parent: snapshot.parent(of: id), revision: update.revision))
    }

    private func flattened(_ items: [Item]) -> [ItemID] { items.flatMap { [$0.id] + flattened($0.children) } }
}
