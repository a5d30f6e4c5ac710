import Diffable

/// A part of a list's history: one complete state, and the packed transactions that follow it.
///
/// A state within it is rebuilt by applying the operations to the complete state in order. The length of a run is
/// limited, so that this takes only as long as a few requests.
struct HistoryRun: Sendable {
    private(set) var base: KeptState
    /// The cost of its transactions, in bytes (`Revision.length`).
    private(set) var length = 0
    private var steps = PackedSteps()
    /// The oldest transaction that history still offers. Earlier steps are kept only because later steps build on them.
    private var first: PackedSteps.Cursor
    private(set) var lastRevision: Int
    /// Whether all its transactions have their operations.
    private(set) var isComplete = true

    /// A run ends with a transaction that leads to a multiple of this. The journal keeps complete states for its
    /// checkpoints at the same revisions, and shares memory with these.
    static let countMax = 512
    private static let lengthMax = 512 << 10

    init(from base: ListState) {
        self.base = KeptState(base)
        first = PackedSteps.Cursor(revision: base.revision)
        lastRevision = base.revision
    }

    /// The oldest revision that history still offers.
    var oldest: Int { first.revision }
    /// Whether history offers no transaction of it any more.
    var isEmpty: Bool { first.offset == steps.length }

    /// Appends a transaction. Returns whether the run is now full, so that the next one needs a complete state: the
    /// operations are too long to be kept, or the run has reached its limit.
    mutating func append(_ step: PackedTransaction) -> Bool {
        steps.append(step)
        length += step.revision.length
        lastRevision = step.revision.number
        if step.operations == nil { isComplete = false }
        return step.operations == nil || step.revision.number.isMultiple(of: Self.countMax) || length > Self.lengthMax
    }

    /// Frees unused capacity after the last transaction.
    mutating func close() { steps.shrink() }

    /// The oldest transaction that history still offers.
    var firstRevision: Revision? { isEmpty ? nil : steps.read(at: first).revision }

    /// Removes the oldest transaction from the history that is offered.
    mutating func removeFirst() -> Revision {
        let step = steps.read(at: first)
        first = step.next
        return step.revision
    }

    /// The transactions that history still offers, oldest first.
    var revisions: [Revision] {
        var revisions: [Revision] = []
        var place = first
        while place.offset < steps.length {
            let step = steps.read(at: place)
            revisions.append(step.revision)
            place = step.next
        }
        return revisions
    }

    /// Rebuilds a state. Nil if operations were not kept or do not apply.
    /// - Parameters:
    ///   - revision: not before the revision of `start`.
    ///   - start: a state of this run.
    func state(at revision: Int, from start: ListState) -> ListState? {
        var snapshot = start.snapshot
        var lastReloadRevision = start.lastReloadRevision
        var place = PackedSteps.Cursor(revision: base.revision)
        while place.revision < revision {
            let step = steps.read(at: place)
            place = step.next
            if place.revision <= start.revision { continue }
            guard let operations = steps.operations(of: step, from: snapshot) else { return nil }
            let redraws = snapshot.redrawsAsked &+ step.redraws
            do throws(TransactionError) { try snapshot.apply(operations, limits: .none) } catch { return nil }
            snapshot.setRedrawsAsked(redraws)
            if step.isReload { lastReloadRevision = place.revision }
        }
        return revision == start.revision
            ? start : start.moved(to: revision, snapshot, lastReloadRevision: lastReloadRevision)
    }

    func mapBase(_ change: (ListState) -> ListState) -> HistoryRun {
        var run = self
        run.base = base.map(change)
        return run
    }

    /// A copy with a complete base, which shares unchanged pages with the states of the previous run.
    func unpacked(after before: HistoryRun?) -> HistoryRun {
        var run = self
        run.base = base.unpacked(after: before)
        return run
    }

    /// A copy with a packed base.
    /// - Parameters:
    ///   - before: the previous run, packed.
    ///   - base: its base before packing; nil if that was packed already.
    func packed(after before: HistoryRun?, from base: ListState?) -> HistoryRun {
        var run = self
        run.base = self.base.packed(after: before, from: base)
        run.close()
        return run
    }
}
