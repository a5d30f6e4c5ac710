// The size of a past state. History keeps a list's past within a number of bytes.

extension Snapshot {
    /// The approximate number of bytes that this state takes after `difference` (in canonical form) has led to the next one. In
    /// memory these are the deleted or replaced records and the pages on their paths; on disk, the inserted records.
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
            case .expandItems(let ids), .collapseItems(let ids): kept.changes += ids.count
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
        return kept.length(in: numberOfItems)
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
    /// Of records, of what is brought, and of what the state is beside its items.
    var bytes = 512
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
    func length(in size: Int) -> Int {
        let bits = Int.bitWidth - (size / max(places, changes, 1)).leadingZeroBitCount
        return bytes + 64 * max(bits, 1) * (4 * places + changes)
    }
}
