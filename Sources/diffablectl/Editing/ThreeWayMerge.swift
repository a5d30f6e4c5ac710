import Diffable
import DiffableInput

/// A three-way merge: combines two changes of one state, if they change different things.
enum ThreeWayMerge {
    /// Merges two states of a list. Nil if both changed the same item or section, or both changed the list's own content.
    static func merged(base: Snapshot, mine: Snapshot, theirs: Snapshot) -> Snapshot? {
        let operations = mine.difference(from: base)
        let ours = Touched(operations, from: base)
        let others = Touched(theirs.difference(from: base), from: base)
        guard ours.items.isDisjoint(with: others.items), ours.sections.isDisjoint(with: others.sections),
            !(ours.isOfList && others.isOfList)
        else {
            return nil
        }
        // The item that an operation names as a position may have been deleted.
        return try? theirs.applying(operations)
    }

    static func merged(base: Content?, mine: Content?, theirs: Content?) -> Merged {
        if base == theirs || mine == theirs { return .content(mine) }
        if base == mine { return .content(theirs) }
        guard let base, let mine, let theirs else { return .conflict }
        let (old, our, their) = (JSONReader(base), JSONReader(mine), JSONReader(theirs))
        guard old.isObject, our.isObject, their.isObject else { return .conflict }
        var members: [(String, Content)] = []
        for name in their.memberNames + our.memberNames.filter({ their.member($0) == nil }) {
            let merged = merged(
                base: old.member(name)?.content, mine: our.member(name)?.content, theirs: their.member(name)?.content)
            guard case .content(let value) = merged else { return .conflict }
            if let value { members.append((name, value)) }
        }
        return .content(.object(members))
    }

    enum Merged: Equatable {
        case content(Content?)
        case conflict
    }

    private struct Touched {
        var items: Set<ItemID> = []
        var sections: Set<SectionID> = []
        var isOfList = false

        init(_ operations: [ListOperation], from base: Snapshot) {
            for operation in operations {
                switch operation {
                case .reconfigureList, .patchList: isOfList = true
                case .appendSections(let new), .insertSections(let new, _):
                    for section in new {
                        sections.insert(section.id)
                        add(section.items)
                    }
                case .deleteSections(let ids, _):
                    sections.formUnion(ids)
                    for id in ids { items.formUnion(base.itemIdentifiers(inSection: id) ?? []) }
                case .moveSection(let id, _): sections.insert(id)
                case .reloadSections(let reloads): sections.formUnion(reloads.map(\.id))
                case .appendItems(let new, _), .insertItems(let new, _), .replaceChildren(_, let new): add(new)
                case .deleteItems(let ids, _): for id in ids { add(base.subtree(of: id) ?? []) }
                case .deleteAllItems: items.formUnion(base.itemIdentifiers)
                case .moveItem(let id, _): items.insert(id)
                case .reconfigureItems(let changes): items.formUnion(changes.map(\.id))
                case .patchItems(let changes): items.formUnion(changes.map(\.id))
                case .reloadItems(let changes): items.formUnion(changes.map(\.id))
                case .expandItems(let ids), .collapseItems(let ids): items.formUnion(ids)
                case .foldItems, .unfoldItems: break
                }
            }
        }

        private mutating func add(_ new: [Item]) {
            for item in new {
                items.insert(item.id)
                add(item.children)
            }
        }
    }
}
