import Diffable

// Which state `undo` and `redo` restore, and when they are refused.

extension Store {
    /// Finds the state that an undo or a redo restores. Nil for any other plan.
    /// - Parameter drafted: states of an uncommitted draft, with their undo steps.
    func stateToRestore(
        _ plan: ChangePlan, _ held: StoredList, _ head: ListState, drafted: [(state: ListState, step: UndoStep?)] = []
    ) throws(StoreError) -> RestoredState? {
        guard case .undo(let target) = plan else { return nil }
        let path = undoPath(of: head, in: held, drafted: drafted)
        let (revision, step) = try restoredRevision(target, path, head)
        if let state = drafted.last(where: { $0.state.revision == revision })?.state
            ?? state(before: head, at: revision)
        {
            return RestoredState(state: state, step: step)
        }
        throw .noSuchRevision(head.name, revision, oldest: path.oldest, current: head.revision)
    }

    func restoredRevision(
        _ target: UndoTarget, _ path: UndoPath, _ head: ListState
    ) throws(StoreError) -> (revision: Int, step: UndoStep?) {
        switch target {
        case .revision(let wanted):
            return (wanted, wanted >= path.oldest && wanted <= head.revision ? path.step(to: wanted) : nil)
        case .back(let count), .forward(let count):
            let isRedo = if case .forward = target { true } else { false }
            let (position, found) = isRedo ? path.positionAfterRedo(count) : path.positionAfterUndo(count)
            guard found == count, let kept = path.revision(at: position) else {
                throw .nothingToUndo(head.name, isRedo: isRedo, wanted: count, found: found, current: head.revision)
            }
            return (kept, UndoStep(from: path.position, to: position))
        }
    }

    /// The undo path of a head, from history and from changes that are not on disk yet.
    func undoPath(
        of head: ListState, in held: StoredList, drafted: [(state: ListState, step: UndoStep?)] = []
    ) -> UndoPath {
        let history = history(before: head, in: held)
        var steps = history?.undoSteps ?? [:]
        let underway = (inFlight?.changes ?? []) + gathering.changes
        var oldest = history?.oldest ?? (held.committed?.number == head.number ? held.committed?.revision : nil)
        for change in underway where change.state.number == head.number {
            oldest = oldest ?? change.state.revision
            if let step = change.revision?.undoStep { steps[change.state.revision] = step }
        }
        for (state, step) in drafted { if let step { steps[state.revision] = step } }
        return UndoPath(head: head.revision, oldest: oldest ?? head.revision, steps: steps)
    }

    private func history(before head: ListState, in held: StoredList) -> History? {
        if let committed = held.committed, committed.number == head.number {
            trimHistory(of: held, now: clock.running)
            return held.history
        }
        // The list is being undeleted or renamed.
        if let deleted = deletions[head.number]?.committed { return deleted.history }
        return formerList(of: head)?.history
    }
}
