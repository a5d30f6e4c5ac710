/// One step from the rows of one state to the rows of the next.
///
/// The steps of an update are carried out in order: the indexes of each refer to the rows after the previous steps. So
/// an array, a `Gio.ListStore` or a terminal can apply them one by one. UIKit's `performBatchUpdates`, which needs
/// indexes before and after, uses `BatchStage`s.
public enum RowChange: Equatable, Sendable {
    /// Removes the rows at these indexes.
    case remove(Range<Int>)
    /// Inserts rows. The first of them gets this index.
    case insert([VisibleRow], at: Int)
    /// Removes the rows, then inserts them so that the first of them has the index `to`.
    case move(Range<Int>, to: Int)
    /// Replaces a row whose content, kind, level, section or expansion changed, that gained its first child or lost its
    /// last, or that has a request to redraw. These steps come last.
    case reload(VisibleRow, at: Int)
}

extension Array where Element == VisibleRow {
    /// Applies a step. O(rows).
    public mutating func carryOut(_ change: RowChange) {
        switch change {
        case .remove(let rows): removeSubrange(rows)
        case .insert(let rows, let place): insert(contentsOf: rows, at: place)
        case .move(let rows, let place):
            let moved = self[rows]
            removeSubrange(rows)
            insert(contentsOf: moved, at: place)
        case .reload(let row, let place): self[place] = row
        }
    }
}

extension VisibleRows {
    /// The steps from the rows of an earlier state. O(log² n) for each changed item, and O(1) for each inserted row.
    public func changes(from old: VisibleRows) -> [RowChange] {
        changes(from: old, by: list.difference(from: old.list))
    }

    /// The steps from the rows of an earlier state, given the diff between the two lists.
    package func changes(from old: VisibleRows, by difference: [ListOperation]) -> [RowChange] {
        var writer = RowChangeWriter(from: old, to: self)
        for operation in shown.difference(from: old.shown) { writer.place(operation) }
        for operation in difference { writer.noteChange(operation) }
        writer.reload()
        return writer.changes
    }
}

/// Applies the diff of the shown rows, one operation after the other, and records the affected rows.
///
/// Positions are computed from the shown rows (`rows`). Whether a row looks different is computed from the whole list:
/// a child added under a collapsed item is not shown, but the item can be expanded then.
private struct RowChangeWriter {
    private let old: VisibleRows
    private let new: VisibleRows
    /// The shown rows after the operations so far.
    private var rows: Snapshot
    private var touched: Set<ItemID> = []
    /// Items to redraw even if their row is equal.
    private var redrawn: Set<ItemID> = []
    private(set) var changes: [RowChange] = []

    init(from old: VisibleRows, to new: VisibleRows) {
        self.old = old
        self.new = new
        rows = old.shown
    }

    // MARK: Places

    mutating func place(_ operation: ListOperation) {
        switch operation {
        case .insertSections(let sections, _):
            apply(operation)
            insert(sections.flatMap(\.items))
        case .insertItems(let items, _):
            apply(operation)
            insert(items)
        case .moveSection(let id, _):
            let items = rows.itemIdentifiers(inSection: id) ?? []
            move(items, by: operation)
        case .moveItem(let id, _):
            let items = Self.ids(rows.subtree(of: id) ?? [])
            move(items, by: operation)
            touched.formUnion(items)
        case .deleteItems(let ids, let unknown):
            for id in ids { remove(Self.ids(rows.subtree(of: id) ?? []), by: .deleteItems([id], unknown)) }
        case .deleteSections(let ids, let unknown):
            for id in ids { remove(rows.itemIdentifiers(inSection: id) ?? [], by: .deleteSections([id], unknown)) }
        case .reconfigureList, .reloadSections, .reloadItems, .reconfigureItems, .expandItems, .collapseItems,
            .foldItems, .unfoldItems:
            break
        case .patchList, .appendSections, .appendItems, .deleteAllItems, .patchItems, .replaceChildren:
            preconditionFailure("a difference is in canonical form")
        }
    }

    private mutating func insert(_ items: [Item]) {
        let ids = Self.ids(items)
        guard let first = ids.first else { return }
        changes.append(.insert(ids.compactMap { new[$0] }, at: place(of: first)))
    }

    private mutating func move(_ items: [ItemID], by operation: ListOperation) {
        guard let first = items.first else { return apply(operation) }
        let from = place(of: first)
        apply(operation)
        let to = place(of: first)
        if from != to { changes.append(.move(from..<from + items.count, to: to)) }
    }

    private mutating func remove(_ items: [ItemID], by operation: ListOperation) {
        guard let first = items.first else { return apply(operation) }
        let place = place(of: first)
        apply(operation)
        if case .remove(let before)? = changes.last, before.lowerBound == place {
            changes[changes.count - 1] = .remove(place..<before.upperBound + items.count)
        } else {
            changes.append(.remove(place..<place + items.count))
        }
    }

    private func place(of item: ItemID) -> Int {
        guard let index = rows.index(ofItem: item) else { preconditionFailure("what was placed is there") }
        return index
    }

    private mutating func apply(_ operation: ListOperation) {
        mustSucceed { () throws(TransactionError) in try rows.apply([operation], limits: .none) }
    }

    private static func ids(_ items: [Item]) -> [ItemID] { items.flatMap { [$0.id] + ids($0.children) } }

    // MARK: Looks

    mutating func noteChange(_ operation: ListOperation) {
        switch operation {
        case .reconfigureItems(let changes): redrawn.formUnion(changes.lazy.map(\.id))
        case .foldItems(let ids), .unfoldItems(let ids): redrawn.formUnion(ids)
        case .reloadItems(let reloads): redrawn.formUnion(reloads.lazy.map(\.id))
        case .expandItems(let ids), .collapseItems(let ids): touched.formUnion(ids)
        // An item may get its first child, or lose its last one.
        case .insertItems(let items, _): noteParents(of: items.lazy.map(\.id))
        case .deleteItems(let ids, _): noteParents(of: ids)
        case .moveItem(let id, _): noteParents(of: CollectionOfOne(id))
        case .deleteSections, .insertSections, .moveSection, .reloadSections, .reconfigureList: break
        case .patchList, .appendSections, .appendItems, .deleteAllItems, .patchItems, .replaceChildren:
            preconditionFailure("a difference is in canonical form")
        }
    }

    private mutating func noteParents(of items: some Sequence<ItemID>) {
        for item in items {
            if let parent = old.list.parent(of: item) { touched.insert(parent) }
            if let parent = new.list.parent(of: item) { touched.insert(parent) }
        }
    }

    /// Reloads rows that existed before and look different, in ascending order.
    mutating func reload() {
        let different = redrawn.union(touched).compactMap { id -> (index: Int, row: VisibleRow)? in
            guard let before = old[id], let row = new[id], redrawn.contains(id) || row != before,
                let index = new.index(of: id)
            else { return nil }
            return (index, row)
        }
        changes += different.sorted { $0.index < $1.index }.map { .reload($0.row, at: $0.index) }
    }
}
