/// One step from the rows of one state to those of the next.
///
/// The steps of an update are carried out in their order, one after the other: the places of each are those in the rows as the
/// steps before it left them. So an array, a `Gio.ListStore` and a terminal can take them as they come, while
/// `performBatchUpdates` of UIKit, which wants the places of before and after, takes `BatchStage`s.
public enum RowChange: Equatable, Sendable {
    /// Takes the rows at these places out.
    case remove(Range<Int>)
    /// The first of them is at this place then.
    case insert([VisibleRow], at: Int)
    /// They are taken out, and then put in so that the first of them is at `to`.
    case move(Range<Int>, to: Int)
    /// Its content, kind, level, section or expansion is another, it has children now or none any more, or somebody asked to
    /// draw it again. These steps come last.
    case reload(VisibleRow, at: Int)
}

extension Array where Element == VisibleRow {
    /// Does what a step says. O(rows).
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
    /// The steps from the rows of an earlier state to these. O(log² n) for each item that changed, and O(1) for each row that
    /// comes.
    public func changes(from old: VisibleRows) -> [RowChange] {
        changes(from: old, by: list.difference(from: old.list))
    }

    /// The same, of a known difference between the two lists.
    package func changes(from old: VisibleRows, by difference: [ListOperation]) -> [RowChange] {
        var writer = RowChangeWriter(from: old, to: self)
        for operation in shown.difference(from: old.shown) { writer.place(operation) }
        for operation in difference { writer.touch(operation) }
        writer.reload()
        return writer.changes
    }
}

/// Carries the difference of what is shown out, one operation after the other, and notes which rows that concerns.
///
/// What is placed where is read from what is shown (`rows`). Whether a row looks different is read from the whole list: a
/// child that comes under a collapsed item is not shown, but the item can be expanded then.
private struct RowChangeWriter {
    private let old: VisibleRows
    private let new: VisibleRows
    /// What is shown after the operations so far.
    private var rows: Snapshot
    /// Items whose row may have become another.
    private var touched: Set<ItemID> = []
    /// Items that look different whatever their row says.
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
        possible { () throws(TransactionError) in try rows.apply([operation], limits: .none) }
    }

    private static func ids(_ items: [Item]) -> [ItemID] { items.flatMap { [$0.id] + ids($0.children) } }

    // MARK: Looks

    mutating func touch(_ operation: ListOperation) {
        switch operation {
        case .reconfigureItems(let changes): redrawn.formUnion(changes.lazy.map(\.id))
        case .foldItems(let ids), .unfoldItems(let ids): redrawn.formUnion(ids)
        case .reloadItems(let reloads): redrawn.formUnion(reloads.lazy.map(\.id))
        case .expandItems(let ids), .collapseItems(let ids): touched.formUnion(ids)
        // Whoever gets its first child, or loses its last one.
        case .insertItems(let items, _): touchParents(of: items.lazy.map(\.id))
        case .deleteItems(let ids, _): touchParents(of: ids)
        case .moveItem(let id, _): touchParents(of: CollectionOfOne(id))
        case .deleteSections, .insertSections, .moveSection, .reloadSections, .reconfigureList: break
        case .patchList, .appendSections, .appendItems, .deleteAllItems, .patchItems, .replaceChildren:
            preconditionFailure("a difference is in canonical form")
        }
    }

    private mutating func touchParents(of items: some Sequence<ItemID>) {
        for item in items {
            if let parent = old.list.parent(of: item) { touched.insert(parent) }
            if let parent = new.list.parent(of: item) { touched.insert(parent) }
        }
    }

    /// Reloads what was shown before and looks different, from the first to the last.
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
