/// Changes that a view of a flat list can carry out in one batch: what UIKit's `performBatchUpdates` refuses is not in it.
///
/// Nothing changes in a section that moves, no item leaves a section that is deleted, and none comes into one that is
/// inserted: such an item is deleted and inserted instead.
public struct BatchStage: Equatable, Sendable {
    /// The list after it, for the data source.
    public var snapshot: Snapshot
    /// What the batch consists of: from the state before it to `snapshot`.
    public var changes: IndexPathChanges
}

extension Snapshot {
    /// What leads from this state to another, in one batch; in two where sections move: that is the first.
    /// O(d log n) for d changes, and O(s log n) for s sections where some move.
    ///
    /// - Parameters:
    ///   - new: where the last stage ends.
    ///   - difference: `new.difference(from: self)`.
    public func batchStages(to new: Snapshot, _ difference: [ListOperation]) -> [BatchStage] {
        let moved = Set(
            difference.compactMap { operation in
                if case .moveSection(let section, _) = operation { section } else { nil }
            })
        if moved.isEmpty { return [stage(to: new, difference)] }
        let between = moving(moved, asIn: new)
        let rest = new.difference(from: between)
        let first = stage(to: between, between.difference(from: self))
        return rest.isEmpty ? [first] : [first, between.stage(to: new, rest)]
    }

    /// Its sections in the order that they have elsewhere, and nothing else.
    private func moving(_ moved: Set<SectionID>, asIn new: Snapshot) -> Snapshot {
        var operations: [ListOperation] = []
        var previous: SectionID?
        for section in new.sectionIdentifiers where contains(section) {
            if moved.contains(section) {
                operations.append(.moveSection(section, to: previous.map { .after($0) } ?? .front))
            }
            previous = section
        }
        do { return try applying(operations, limits: .none) } catch {
            preconditionFailure("sections that are there can be moved: \(error)")
        }
    }

    private func stage(to new: Snapshot, _ difference: [ListOperation]) -> BatchStage {
        var changes = IndexPathChanges(difference, from: self, to: new)
        changes.splitMoves()
        return BatchStage(snapshot: new, changes: changes)
    }
}

extension IndexPathChanges {
    /// Makes a deletion and an insertion of what leaves a section that is deleted, or comes into one that is inserted.
    fileprivate mutating func splitMoves() {
        let (deleted, inserted) = (Set(deletedSections), Set(insertedSections))
        if deleted.isEmpty, inserted.isEmpty { return }
        var whole: [Move] = []
        for move in movedItems {
            let (leaves, enters) = (deleted.contains(move.from[0]), inserted.contains(move.to[0]))
            if !leaves, !enters {
                whole.append(move)
                continue
            }
            if !leaves { deletedItems.append(move.from) }
            if !enters { insertedItems.append(move.to) }
        }
        if whole.count == movedItems.count { return }
        movedItems = whole
        sortItems()
    }

    mutating func sortItems() {
        deletedItems.sort { $1.lexicographicallyPrecedes($0) }
        insertedItems.sort { $0.lexicographicallyPrecedes($1) }
    }
}
