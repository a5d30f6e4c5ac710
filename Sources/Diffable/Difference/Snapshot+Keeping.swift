extension Snapshot {
    /// About how many bytes of memory are kept for this state alone, once `difference` (in canonical form) has led to
    /// the next one: what is deleted or replaced, and the pages on the way to it. O(items deleted and changed).
    package func lengthKept(after difference: [Operation]) -> Int {
        var kept = 0
        for operation in difference {
            switch operation {
            case .deleteItems(let ids, _):
                for id in ids { kept += Self.pathLength + (handle(id).map(subtreeLength) ?? 0) }
            case .deleteSections(let ids, _):
                for id in ids { kept += Self.pathLength + (handle(id).map(subtreeLength) ?? 0) }
            case .reconfigureItems(let changes):
                for change in changes { kept += replacedLength(handle(change.id)) }
            case .reloadItems(let reloads):
                for reload in reloads { kept += replacedLength(handle(reload.id)) }
            case .reloadSections(let reloads):
                for reload in reloads { kept += replacedLength(handle(reload.id)) }
            case .expandItems(let ids), .collapseItems(let ids): kept += Self.pathLength * ids.count
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
        Self.pathLength + (handle.map { recordLength($0) } ?? 0)
    }

    private func recordLength(_ handle: Handle) -> Int { Self.itemLength + forest.record(handle).contentLength }

    private func subtreeLength(_ handle: Handle) -> Int {
        var length = recordLength(handle)
        forest.children(handle)?.forEach { length += subtreeLength($0) }
        return length
    }
}
