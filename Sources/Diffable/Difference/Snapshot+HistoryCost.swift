// The memory of an earlier state. It counts towards the limit for a list's history, in bytes.

extension Snapshot {
    /// The approximate memory of keeping this state after `difference` (in canonical form) has led to the next one, in
    /// bytes: the records that were deleted, replaced and added, and a share of the pages of the complete state that is
    /// kept for each run of states (`History`).
    ///
    /// Deterministic for the same state and diff. O(items deleted, changed and inserted).
    package func lengthKept(after difference: [ListOperation]) -> Int {
        var kept = UnsharedSize()
        for operation in difference {
            switch operation {
            case .reconfigureList(let content): noteChange(of: listRecord, to: content, in: &kept)
            case .deleteItems(let ids, _): for id in ids { noteDeletion(of: handle(id), in: &kept) }
            case .deleteSections(let ids, _): for id in ids { noteDeletion(of: handle(id), in: &kept) }
            case .reconfigureItems(let changes):
                for change in changes { noteChange(of: record(handle(change.id)), to: change.content, in: &kept) }
            case .reloadItems(let reloads):
                for reload in reloads { noteChange(of: record(handle(reload.id)), to: reload.content, in: &kept) }
            case .reloadSections(let reloads):
                for reload in reloads { noteChange(of: record(handle(reload.id)), to: reload.content, in: &kept) }
            case .expandItems(let ids), .collapseItems(let ids), .foldItems(let ids), .unfoldItems(let ids):
                kept.changes += ids.count
            case .insertItems(let items, _):
                kept.places += 1
                kept.note(items)
            case .insertSections(let sections, _):
                for section in sections {
                    kept.places += 1
                    kept.note(section.record)
                    kept.note(section.items)
                }
            // The old owner and the new one.
            case .moveItem, .moveSection: kept.places += 2
            default: kept.places += 1
            }
        }
        return kept.length(in: self)
    }

    private func noteDeletion(of handle: Handle?, in kept: inout UnsharedSize) {
        guard let handle else { return }
        kept.places += 1
        noteSubtree(handle, in: &kept)
    }

    private func noteSubtree(_ handle: Handle, in kept: inout UnsharedSize) {
        kept.note(forest.record(handle))
        forest.children(handle)?.forEach { noteSubtree($0, in: &kept) }
    }

    private func record(_ handle: Handle?) -> Record? { handle.map(forest.record) }

    private func noteChange(of record: Record?, to content: Content??, in kept: inout UnsharedSize) {
        if let record { kept.note(record) }
        kept.bytes += (content ?? nil)?.bytes.count ?? 0
    }
}

/// The parts of a kept state that it does not share with the next one.
private struct UnsharedSize {
    /// The length of old records and of new contents, in bytes.
    var bytes = 0
    /// The number of positions at which items are added or removed: paths in all trees and indexes except one.
    var places = 0
    /// The number of items that change or are removed: paths in one tree or index.
    var changes = 0

    mutating func note(_ record: Record) {
        changes += 1
        // The size of a record without its id, kind and content.
        bytes += 64 + record.contentLength
    }

    mutating func note(_ items: [Item]) {
        for item in items {
            note(item.record)
            note(item.children)
        }
    }

    /// The pages on a path from the root take about as much as the list's size has bits. Paths to many items share
    /// pages near the root, so each is shorter. Measured in lists of 10 to 1,000,000 items with up to 5,000 changes.
    /// All states of a run take at most the complete list, whose pages add another half of its length.
    func length(in snapshot: Snapshot) -> Int {
        let bits =
            Int.bitWidth - (snapshot.numberOfItems / max(places, changes, 1)).leadingZeroBitCount
        let paths = 64 * max(bits, 1) * (4 * places + changes)
        let share = snapshot.lengthCounted * 3 / 2 / Self.statesOfRun
        return bytes + 32 * (2 * places + changes) + min(paths, share)
    }

    /// The number of states for each complete state.
    private static let statesOfRun = 512
}
