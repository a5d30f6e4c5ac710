import Diffable

/// A part of a list's past: one whole state, and the transactions that follow it, as bytes.
///
/// A state within it is made again as a start makes it: the operations are applied to the whole state one after the other. So
/// a run has no more of them than takes about as long as a few requests.
struct PastRun: Sendable {
    /// The state before its first transaction.
    private(set) var base: KeptState
    /// What its transactions take together, in bytes (`Revision.length`).
    private(set) var length = 0
    private var steps = PackedSteps()
    /// Those before it are there for the others alone.
    private var first: PackedSteps.Place
    /// The revision after its last transaction.
    private(set) var lastRevision: Int
    /// Whether all its transactions are kept with their operations.
    private(set) var isComplete = true

    /// A run ends with a transaction that leads to a multiple of it. The journal keeps whole states for its checkpoints at
    /// the same revisions, which share with these what did not change.
    static let countMax = 512
    private static let lengthMax = 512 << 10

    init(from base: ListState) {
        self.base = KeptState(base)
        first = PackedSteps.Place(revision: base.revision)
        lastRevision = base.revision
    }

    /// The oldest revision whose state is wanted.
    var oldest: Int { first.revision }
    /// Whether no transaction is wanted any more.
    var isEmpty: Bool { first.offset == steps.length }

    /// Returns whether the run is full now: the state after this transaction is not made again from it, because its operations
    /// are too long, or there are enough.
    mutating func append(_ step: PastStep) -> Bool {
        steps.append(step)
        length += step.revision.length
        lastRevision = step.revision.number
        if step.operations == nil { isComplete = false }
        return step.operations == nil || step.revision.number.isMultiple(of: Self.countMax) || length > Self.lengthMax
    }

    /// There will be no more transactions.
    mutating func close() { steps.shrink() }

    /// The oldest transaction that is wanted.
    var firstRevision: Revision? { isEmpty ? nil : steps.read(at: first).revision }

    /// Wants the oldest transaction no more.
    mutating func removeFirst() -> Revision {
        let step = steps.read(at: first)
        first = step.next
        return step.revision
    }

    /// Of the transactions that are wanted, oldest first.
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

    /// Nil only if what was kept is not what led there.
    /// - Parameters:
    ///   - revision: none before that of `start`.
    ///   - start: a state of this run.
    func state(at revision: Int, from start: ListState) -> ListState? {
        var snapshot = start.snapshot
        var lastReloadRevision = start.lastReloadRevision
        var place = PackedSteps.Place(revision: base.revision)
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

    /// The same with another state in place of its base.
    func mapBase(_ change: (ListState) -> ListState) -> PastRun {
        var run = self
        run.base = base.map(change)
        return run
    }

    /// The same with a whole base. It shares unchanged pages with the states of the run before it.
    func unpacked(after before: PastRun?) -> PastRun {
        var run = self
        run.base = base.unpacked(after: before)
        return run
    }

    /// The same with a packed base.
    /// - Parameters:
    ///   - before: the run before this one, packed.
    ///   - base: its base; nil if that was packed already.
    func packed(after before: PastRun?, from base: ListState?) -> PastRun {
        var run = self
        run.base = self.base.packed(after: before, from: base)
        run.close()
        return run
    }
}
