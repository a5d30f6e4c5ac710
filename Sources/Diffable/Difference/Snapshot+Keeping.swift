// The size of a past state. History keeps a list's past within a number of bytes.

extension Snapshot {
    /// The approximate number of bytes that it takes to keep this state after `difference` (in canonical form) has led to the
    /// next one: the records that were deleted, replaced and brought, and a share of the pages that are kept whole once for a
    /// run of states (`History`).
    ///
    /// The same state and difference always give the same number. O(items deleted, changed and inserted).
    package func lengthKept(after difference: [ListOperation]) -> Int {
        var kept = Kept()
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
            // The old owner, and the new one.
            case .moveItem, .moveSection: kept.places += 2
            default: kept.places += 1
            }
        }
        return kept.length(in: self)
    }

    private func noteDeletion(of handle: Handle?, in kept: inout Kept) {
        guard let handle else { return }
        kept.places += 1
        noteSubtree(handle, in: &kept)
    }

    private func noteSubtree(_ handle: Handle, in kept: inout Kept) {
        kept.note(forest.record(handle))
        forest.children(handle)?.forEach { noteSubtree($0, in: &kept) }
    }

    private func record(_ handle: Handle?) -> Record? { handle.map(forest.record) }

    private func noteChange(of record: Record?, to content: Content??, in kept: inout Kept) {
        if let record { kept.note(record) }
        kept.bytes += (content ?? nil)?.bytes.count ?? 0
    }
}

/// What a kept state does not share with the next one.
private struct Kept {
    /// Of records, and of what is brought.
    var bytes = 0
    /// Where items come or go: paths in all trees and indexes but one.
    var places = 0
    /// Items that are another, or none: paths in one tree or index.
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

    /// The pages on a path from the root take about as much as the list's size has bits. Paths to many items share those
    /// near the root, so that each is shorter. Measured in lists of ten to a million items, with up to 5,000 changed.
    /// All of a run take no more than the whole list, which is half as long again in its pages.
    func length(in snapshot: Snapshot) -> Int {
        let bits =
            Int.bitWidth - (snapshot.numberOfItems / max(places, changes, 1)).leadingZeroBitCount
        let paths = 64 * max(bits, 1) * (4 * places + changes)
        let share = snapshot.lengthCounted * 3 / 2 / Self.statesOfRun
        return bytes + 32 * (2 * places + changes) + min(paths, share)
    }

    /// So many states have one whole state.
    private static let statesOfRun = 512
}
