extension Snapshot {
    /// About how many bytes it takes to keep this state, once `difference` (in canonical form) has led to the next one:
    /// in memory what is deleted or replaced and the pages on the way to it, on disk what is brought.
    ///
    /// It is the same for the same state and difference, whoever asks. O(items deleted, changed and brought).
    package func lengthKept(after difference: [Operation]) -> Int {
        var kept = 0
        for operation in difference {
            switch operation {
            case .deleteItems(let ids, _):
                for id in ids { kept += Self.pathLength + (handle(id).map(subtreeLength) ?? 0) }
            case .deleteSections(let ids, _):
                for id in ids { kept += Self.pathLength + (handle(id).map(subtreeLength) ?? 0) }
            case .reconfigureItems(let changes):
                for change in changes { kept += replacedLength(handle(change.id)) + length(change.content) }
            case .reloadItems(let reloads):
                for reload in reloads { kept += replacedLength(handle(reload.id)) + length(reload.content) }
            case .reloadSections(let reloads):
                for reload in reloads { kept += replacedLength(handle(reload.id)) + length(reload.content) }
            case .expandItems(let ids), .collapseItems(let ids): kept += Self.pathLength * ids.count
            case .insertItems(let items, _): kept += Self.pathLength + broughtLength(items)
            case .insertSections(let sections, _):
                kept += Self.pathLength
                for section in sections { kept += recordLength(section.record) + broughtLength(section.items) }
            default: kept += Self.pathLength
            }
        }
        return kept
    }

    /// Of the pages from the root to one item, in the trees and indexes of a large list.
    private static let pathLength = 2_048
    /// Of an item beside its id, kind and content.
    private static let itemLength = 64

    private func replacedLength(_ handle: Handle?) -> Int {
        Self.pathLength + (handle.map { recordLength(forest.record($0)) } ?? 0)
    }

    private func recordLength(_ record: Record) -> Int { Self.itemLength + record.contentLength }

    private func length(_ content: Content??) -> Int { (content ?? nil)?.bytes.count ?? 0 }

    private func broughtLength(_ items: [Item]) -> Int {
        var length = 0
        for item in items { length += recordLength(item.record) + broughtLength(item.children) }
        return length
    }

    private func subtreeLength(_ handle: Handle) -> Int {
        var length = recordLength(forest.record(handle))
        forest.children(handle)?.forEach { length += subtreeLength($0) }
        return length
    }
}
