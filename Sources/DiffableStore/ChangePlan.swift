import Diffable
import DiffableJSON

/// The change that a request asks for, independent of any state. A value, so it can be evaluated on any thread.
enum ChangePlan: Sendable {
    case transact([ListOperation])
    case apply(Target, Delivery)
    case undo(UndoTarget)

    /// The inputs of a change: the list's head, and everything else that decides the result.
    struct BaseState: Sendable {
        let head: ListState
        let schemas: ListSchemas?
        let past: RestoredState?
        let limits: SnapshotLimits
        var lease: Lease?
        /// The current leases of the list. Nil for none.
        var leases: Leases?
    }

    /// Computes the change from a head. O(size of the plan + size of the head).
    func computeChange(from basis: BaseState) throws(StoreError) -> ComputedChange {
        let head = basis.head
        switch self {
        case .transact(let operations):
            let new: Snapshot
            do throws(TransactionError) {
                new = try head.snapshot.applying(operations, limits: basis.limits)
            } catch {
                throw .transaction(head.name, error)
            }
            let difference = new.difference(from: head.snapshot, after: operations)
            if let schemas = basis.schemas { try schemas.check(difference, to: new, of: head.name, operations) }
            return ComputedChange(new: new, operations: difference)
        case .apply(let target, let delivery): return try computeChange(basis, to: target, delivery)
        case .undo:
            guard let past = basis.past else { preconditionFailure("what is undone to was looked up") }
            let new = past.state.snapshot.restored(after: head.snapshot)
            let difference = new.difference(from: head.snapshot)
            if let schemas = basis.schemas { try schemas.check(difference, to: new, of: head.name) }
            return ComputedChange(new: new, operations: difference, undoStep: past.step)
        }
    }

    private func computeChange(
        _ basis: BaseState, to target: Target, _ delivery: Delivery
    ) throws(StoreError) -> ComputedChange {
        let (head, name) = (basis.head, basis.head.name)
        let new: Snapshot
        do throws(TargetError) {
            new = try target.snapshot(from: head.snapshot, limits: basis.limits)
        } catch {
            switch error {
            case .state(.duplicateItem(let item)):
                if let repetition = target.repetition(of: item) { throw .repetition(name, repetition) }
                throw .operation(name, .duplicateItem(item))
            case .state(let error): throw .operation(name, error)
            case .transaction(let error): throw .transaction(name, error)
            }
        }
        let difference = new.difference(from: head.snapshot)
        if let schemas = basis.schemas { try schemas.check(difference, to: new, of: name, target.operations) }
        let shared = new.sharing(with: head.snapshot, by: difference)
        return ComputedChange(new: shared, operations: difference, delivery: delivery)
    }
}

struct RestoredState: Sendable {
    let state: ListState
    /// Nil if the state is not on the undo path, so that restoring it is an ordinary change.
    let step: UndoStep?
}

struct ComputedChange: Sendable {
    var new: Snapshot
    var operations: [ListOperation]
    var delivery = Delivery.difference
    var undoStep: UndoStep?
    /// Nil until computed. A change that is computed in the background has them already.
    var consequences: Consequences?

    struct Consequences: Sendable {
        let lengthKept: Int
        let summary: DifferenceSummary
        /// Nil if not computed.
        var leases: ComputedLeases?
    }

    /// Marks a change that only asks for a redraw, so that undo skips it.
    func withUndoStep(on path: () -> UndoPath) -> ComputedChange {
        guard undoStep == nil, !operations.isEmpty, operations.onlyAskToDrawAgain else { return self }
        var change = self
        let position = path().position
        change.undoStep = UndoStep(from: position, to: position)
        return change
    }

    /// Adds the consequences except for leases. O(length of the change).
    func withConsequences(from old: Snapshot) -> ComputedChange {
        var change = self
        change.consequences = Consequences(
            lengthKept: old.lengthKept(after: operations), summary: DifferenceSummary(operations, from: old, to: new))
        return change
    }

    /// Adds all consequences, including the effect on leases. O(length of the change).
    func withConsequences(from basis: ChangePlan.BaseState) -> ComputedChange {
        var change = withConsequences(from: basis.head.snapshot)
        change.consequences?.leases = ComputedLeases(operations, from: basis.head, to: new, basis.lease, basis.leases)
        return change
    }
}

extension ChangePlan {
    /// The approximate work of computing the change, in items, counted up to `max`.
    func size(from head: Snapshot, past: Snapshot?, max: Int) -> Int {
        switch self {
        case .transact(let operations): operations.size(in: head, max: max)
        case .apply(let target, _): target.size(max: max) + head.numberOfItems
        case .undo:
            past.map { $0.sharesMostPages(with: head, pagesMax: max / 128) ? 0 : $0.numberOfItems + head.numberOfItems }
                ?? 0
        }
    }

    /// The approximate work of reading the request itself, in items, counted up to `max`.
    func sizeOfRequest(max: Int) -> Int {
        switch self {
        case .transact(let operations): operations.size(in: nil, max: max)
        case .apply(let target, _): target.size(max: max)
        case .undo: 0
        }
    }
}

/// The approximate memory of a decoded item in addition to its line, in bytes.
private let lengthOfItem = 96

extension Target {
    /// The approximate memory of the decoded contents, in bytes.
    /// - Parameter length: the length of their line, in bytes.
    package func lengthInMemory(line length: Int) -> Int { length + lengthOfItem * size(max: .max) }

    /// The approximate number of items that the target contains or names, counted up to `max`.
    fileprivate func size(max: Int) -> Int {
        switch self {
        case .whole(let list): list.sections.reduce(0) { $0 > max ? $0 : $0 + $1.items.size(max: max) + 1 }
        case .section(_, let items): items.size(max: max)
        case .operations(let operations, _): operations.size(in: nil, max: max)
        }
    }
}

extension [ListOperation] {
    /// The approximate memory of the decoded operations, in bytes.
    /// - Parameter length: the length of their lines, in bytes.
    package func lengthInMemory(line length: Int) -> Int { length + lengthOfItem * size(max: .max) }

    /// The approximate number of items that the operations insert, name or move, counted up to `max`. With a state, it
    /// includes items that are deleted implicitly.
    package func size(in head: Snapshot? = nil, max: Int) -> Int {
        var size = count
        for operation in self where size <= max {
            switch operation {
            case .reconfigureList, .patchList, .moveItem, .reloadSections: break
            case .appendSections(let sections), .insertSections(let sections, _):
                for section in sections where size <= max { size += section.items.size(max: max) + 1 }
            case .appendItems(let items, _), .insertItems(let items, _): size += items.size(max: max)
            case .replaceChildren(_, let items): size += items.size(max: max) + (head?.numberOfItems ?? 0)
            case .deleteAllItems, .deleteSections, .moveSection: size += head?.numberOfItems ?? 0
            case .deleteItems(let ids, _):
                size += ids.count
                if let head { for id in ids.prefix(max) { size += head.numberOfChildren(of: id) ?? 0 } }
            case .reconfigureItems(let changes): size += changes.count
            case .patchItems(let patches): size += patches.count
            case .reloadItems(let reloads): size += reloads.count
            case .expandItems(let ids), .collapseItems(let ids), .foldItems(let ids), .unfoldItems(let ids):
                size += ids.count
            }
        }
        return size
    }
}

extension [Item] {
    /// The number of items and descendants, counted up to `max`.
    fileprivate func size(max: Int) -> Int {
        var size = count
        for item in self where size <= max && !item.children.isEmpty { size += item.children.size(max: max - size) }
        return size
    }
}
