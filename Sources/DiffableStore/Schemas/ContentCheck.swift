import Diffable
import DiffableJSON

/// An item whose content does not match the schemas of its list.
package struct InvalidContent: Error, Sendable, Equatable {
    package let item: ItemID
    /// The index of the operation that wrote it. Nil if no operation did.
    package var operation: Int?
    package let violation: Violation
    /// Whether the item existed before, and the schemas are new.
    package var isExisting = false

    /// For example `/due of item "milk" must be a string, not 7`.
    package var sentence: String { violation.sentence(of: item.description) }
}

// The final state of a transaction is checked, and not its intermediate states: an item that one operation inserts and
// the next one patches is checked once. The diff contains every written item and no unchanged one.

extension SchemaSet {
    /// Throws if a written item does not match. O(written items)
    /// - Parameters:
    ///   - difference: the canonical diff that leads to `new`.
    ///   - request: the requested operations, so that the error can name one of them.
    func check(
        _ difference: [ListOperation], to new: Snapshot, request: [ListOperation] = []
    ) throws(InvalidContent) {
        if isEmpty { return }
        var first: InvalidContent?
        forEachInvalidItem(in: difference, of: new) { misfit in
            first = misfit
            return .stop
        }
        guard let first else { return }
        throw self.firstInvalidItem(of: request, in: difference, to: new) ?? first
    }

    /// The invalid item of the request's earliest operation. An item belongs to the last operation that wrote it.
    private func firstInvalidItem(
        of request: [ListOperation], in difference: [ListOperation], to new: Snapshot
    ) -> InvalidContent? {
        if request.isEmpty { return nil }
        var misfits: [ItemID: InvalidContent] = [:]
        forEachInvalidItem(in: difference, of: new) { misfit in
            misfits[misfit.item] = misfit
            return .goOn
        }
        var order: [ItemID: Int] = [:]
        var count = 0
        for (index, operation) in request.enumerated() {
            operation.forEachItemWritten { item, _ in
                guard misfits[item] != nil else { return .goOn }
                misfits[item]?.operation = index
                order[item] = count
                count += 1
                return .goOn
            }
        }
        return order.min { $0.value < $1.value }.flatMap { misfits[$0.key] }
    }

    private func forEachInvalidItem(
        in difference: [ListOperation], of new: Snapshot, _ body: (InvalidContent) -> Continuation
    ) {
        for operation in difference {
            let continuation = operation.forEachItemWritten { item, record in
                guard let record = record ?? new.record(of: item), let violation = check(record) else { return .goOn }
                return body(InvalidContent(item: ItemID(record: record), violation: violation))
            }
            if continuation == .stop { return }
        }
    }

    /// Throws if an existing item does not match. O(items)
    func checkAll(of snapshot: Snapshot) throws(InvalidContent) {
        if isEmpty { return }
        var cursor = SnapshotCursor(snapshot)
        while let element = cursor.next() {
            guard case .item(let record, _, _, _) = element, let violation = check(record) else { continue }
            throw InvalidContent(item: ItemID(record: record), violation: violation, isExisting: true)
        }
    }
}

private enum Continuation {
    case goOn, stop
}

extension ListOperation {
    /// Calls `body` with each item that gets a kind or a content, and with its record if the operation contains all of it.
    @discardableResult
    fileprivate func forEachItemWritten(_ body: (ItemID, Record?) -> Continuation) -> Continuation {
        switch self {
        case .appendSections(let sections), .insertSections(let sections, _):
            for section in sections where section.items.forEachItem(body) == .stop { return .stop }
        case .appendItems(let items, _), .insertItems(let items, _), .replaceChildren(_, let items):
            return items.forEachItem(body)
        case .reconfigureItems(let changes):
            for change in changes where change.content != nil && body(change.id, nil) == .stop { return .stop }
        case .reloadItems(let reloads):
            for reload in reloads where reload.kind != nil || reload.content != nil {
                if body(reload.id, nil) == .stop { return .stop }
            }
        case .patchItems(let patches):
            for patch in patches where body(patch.id, nil) == .stop { return .stop }
        case .reconfigureList, .patchList, .deleteSections, .moveSection, .reloadSections, .deleteItems,
            .deleteAllItems,
            .moveItem, .expandItems, .collapseItems, .foldItems, .unfoldItems:
            break
        }
        return .goOn
    }
}

extension [Item] {
    /// Visits parents before their children.
    fileprivate func forEachItem(_ body: (ItemID, Record?) -> Continuation) -> Continuation {
        for item in self {
            if body(item.id, item.record) == .stop { return .stop }
            if !item.children.isEmpty, item.children.forEachItem(body) == .stop { return .stop }
        }
        return .goOn
    }
}
