import Diffable
import DiffableJSON

/// What a request asks for: with a state of the list, all that a change is made of. A value, to be worked on anywhere.
enum ChangePlan: Sendable {
    case transact([ListOperation])
    case apply(Target, Delivery)
    case undo(UndoTarget)

    /// What is made of a list's head.
    struct Basis: Sendable {
        let head: ListState
        let schemas: ListSchemas?
        /// The state to restore. Nil unless the plan is an undo or a redo.
        let past: RestoredState?
        let limits: SnapshotLimits
        /// The lease of the inserted items and sections.
        var lease: Lease?
        /// The leases of the list.
        var leases: Leases?
    }

    /// O(what the plan names and the head has).
    func change(_ basis: Basis) throws(StoreError) -> MadeChange {
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
            return MadeChange(new: new, operations: difference)
        case .apply(let target, let delivery): return try change(basis, to: target, delivery)
        case .undo:
            guard let past = basis.past else { preconditionFailure("what is undone to was looked up") }
            let new = past.state.snapshot.restored(after: head.snapshot)
            let difference = new.difference(from: head.snapshot)
            if let schemas = basis.schemas { try schemas.check(difference, to: new, of: head.name) }
            return MadeChange(new: new, operations: difference, undoStep: past.step)
        }
    }

    private func change(
        _ basis: Basis, to target: Target, _ delivery: Delivery
    ) throws(StoreError) -> MadeChange {
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
        return MadeChange(new: shared, operations: difference, delivery: delivery)
    }
}

/// An earlier state of a list.
struct RestoredState: Sendable {
    let state: ListState
    /// Nil if the state is not on the undo path, so that restoring it is an ordinary change.
    let step: UndoStep?
}

/// The new state of a change, and the way there.
struct MadeChange: Sendable {
    var new: Snapshot
    /// The canonical difference.
    var operations: [ListOperation]
    var delivery = Delivery.difference
    /// Set for an undo or a redo.
    var undoStep: UndoStep?
    /// What follows from them, if it was found beside the queue.
    var consequences: Consequences?

    struct Consequences: Sendable {
        /// `Snapshot.lengthKept`.
        let lengthKept: Int
        let summary: DifferenceSummary
        /// Nil if it is not known.
        var leases: FoundLeases?
    }

    /// Marks a change that only asks for a redraw, so that undo skips it.
    func withUndoStep(on path: () -> UndoPath) -> MadeChange {
        guard undoStep == nil, !operations.isEmpty, operations.onlyAskToDrawAgain else { return self }
        var change = self
        let position = path().position
        change.undoStep = UndoStep(from: position, to: position)
        return change
    }

    /// With what follows from it. O(what it changes).
    func complete(from old: Snapshot) -> MadeChange {
        var change = self
        change.consequences = Consequences(
            lengthKept: old.lengthKept(after: operations), summary: DifferenceSummary(operations, from: old, to: new))
        return change
    }

    /// The change with its consequences, the effect on leases included. O(length of the change).
    func complete(_ basis: ChangePlan.Basis) -> MadeChange {
        var change = complete(from: basis.head.snapshot)
        change.consequences?.leases = FoundLeases(operations, from: basis.head, to: new, basis.lease, basis.leases)
        return change
    }
}

extension ChangePlan {
    /// About how much work it is to find what it makes of a state, in items, as far as that is more than `max`.
    func size(from head: Snapshot, past: Snapshot?, max: Int) -> Int {
        switch self {
        case .transact(let operations): operations.size(in: head, max: max)
        case .apply(let target, _): target.size(max: max) + head.numberOfItems
        case .undo:
            past.map { $0.isNear(head, pagesMax: max / 128) ? 0 : $0.numberOfItems + head.numberOfItems } ?? 0
        }
    }

    /// About how much work it is to read what it says, in items.
    func sizeSaid(max: Int) -> Int {
        switch self {
        case .transact(let operations): operations.size(in: nil, max: max)
        case .apply(let target, _): target.size(max: max)
        case .undo: 0
        }
    }
}

/// The approximate memory of a decoded item besides its line, in bytes.
private let lengthOfItem = 96

extension Target {
    /// The approximate memory of the decoded contents, in bytes.
    ///
    /// - Parameter length: the length of their line, in bytes.
    package func lengthInMemory(line length: Int) -> Int { length + lengthOfItem * size(max: .max) }

    /// The approximate number of items that it contains or names, counted up to `max`.
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
    ///
    /// - Parameter length: the length of their lines, in bytes.
    package func lengthInMemory(line length: Int) -> Int { length + lengthOfItem * size(max: .max) }

    /// About how many items they bring, name or move; with a state, also those that they take away unnamed. What is more
    /// than `max` is not counted further.
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
    /// With all that is below them; what is more than `max` is not counted further.
    fileprivate func size(max: Int) -> Int {
        var size = count
        for item in self where size <= max && !item.children.isEmpty { size += item.children.size(max: max - size) }
        return size
    }
}
