import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct ItemEvent: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case insert, delete, change, move
    }

    var kind: Kind
    /// The item after the change, or before its deletion.
    var item: Item
    var list: ListName
    var section: SectionID?
    var parent: ItemID?
    var revision: Int
}

extension ItemEvent {
    var json: Content {
        var members: [(String, Content)] = [
            ("list", .string("\(list)".utf8)), ("revision", .number(revision)), ("event", .string(kind.rawValue.utf8)),
        ]
        if let section { members.append(("section", .string("\(section)".utf8))) }
        if let parent { members.append(("parent", .string("\(parent)".utf8))) }
        members.append(("id", .string("\(item.id)".utf8)))
        if let kind = item.kind { members.append(("kind", .string("\(kind)".utf8))) }
        if let content = item.content { members.append(("content", content)) }
        return .object(members)
    }

    /// `NAME=value` for a command, with the names that `handle` uses too.
    var variables: [String] {
        var variables = Self.variables(of: [self]) + ["DIFFABLE_EVENT=\(kind.rawValue)"]
        if let section { variables.append("DIFFABLE_SECTION=\(section)") }
        if let parent { variables.append("DIFFABLE_PARENT=\(parent)") }
        if let content = item.content { variables.append("DIFFABLE_CONTENT=\(content)") }
        return variables.filter { $0.utf8.count <= CommandEnvironment.variableLengthMax }
    }

    static func variables(of events: [ItemEvent]) -> [String] {
        guard let event = events.first else { return [] }
        var ids: [String] = []
        var known: Set<ItemID> = []
        for event in events where known.insert(event.item.id).inserted { ids.append("\(event.item.id)") }
        return [
            "DIFFABLE_LIST=\(event.list)", "DIFFABLE_REVISION=\(event.revision)",
            "DIFFABLE_ITEMS=\(ids.joined(separator: "\n"))",
        ].filter { $0.utf8.count <= CommandEnvironment.variableLengthMax }
    }
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
    /// The events of an update, in the order of its diff. A descendant of an inserted or deleted item has an event too.
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
        case .reconfigureList, .patchList, .moveSection, .reloadSections, .expandItems, .collapseItems, .foldItems,
            .unfoldItems:
            break
        }
    }

    private mutating func insert(_ items: [Item]) {
        for id in flattened(items) { add(.insert, id, in: new) }
    }

    /// Adds the items that the list lost. Descendants of a deleted item may have been moved elsewhere before.
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
