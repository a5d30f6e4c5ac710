/// Changes that a view of a flat list can make in one batch, without anything that UIKit's `performBatchUpdates` refuses.
///
/// Nothing changes inside a section that moves. An item that leaves a deleted section or enters an inserted one is
/// deleted or inserted instead of moved.
public struct BatchStage: Equatable, Sendable {
    /// The list after the batch, for the data source.
    public var snapshot: Snapshot
    /// The changes from the previous state to `snapshot`.
    public var changes: IndexPathChanges
}

extension Snapshot {
    /// The stages from this state to another: one, or two if sections move and other things change too. Costs O(d log
    /// n) for d changes, and O(s log n) for s sections if some move.
    /// - Parameters:
    ///   - new: the state after the last stage.
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
    /// Replaces moves out of deleted sections with insertions, and moves into inserted sections with deletions.
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
