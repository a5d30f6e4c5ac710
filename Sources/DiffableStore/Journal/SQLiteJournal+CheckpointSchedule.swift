import Diffable

// When a list gets a new checkpoint: after enough journal rows, or while nothing is written.

extension SQLiteJournal {
    enum CheckpointTrigger {
        case group
        case idleness
    }

    func considerCheckpoint(of list: JournalledList, on trigger: CheckpointTrigger = .group) {
        guard case .none = list.checkpointing, list.base != nil else { return }
        // Rows that history needs do not count, because a checkpoint does not remove them.
        let checkpointLength = trigger == .idleness ? list.checkpointLength / 4 : list.checkpointLength
        let isLong = list.journalLength > max(journalLengthMin, checkpointLength)
        let isSlow = list.journalSteps > max(limits.journalStepsMin, list.state.snapshot.numberOfItems / 2)
        guard isLong || isSlow, list.journalLength > list.journalLengthMin else { return }
        list.checkpointing = .due
        maintenance.append(.checkpoint(list: list.state.number))
    }

    private var journalLengthMin: Int {
        min(limits.journalLengthMin, max(16 << 10, limits.journalLengthInAllMax / max(lists.count, 1)))
    }

    func awaitIdleness() {
        guard !isIdlenessAwaited else { return }
        isIdlenessAwaited = true
        let groupsSeen = groupsWritten
        executor.execute(afterMilliseconds: limits.idleMilliseconds) {
            self.assumeIsolated { $0.lookForIdleness(since: groupsSeen) }
        }
    }

    private func lookForIdleness(since groupsSeen: Int) {
        isIdlenessAwaited = false
        if case .closed = maintenanceState { return }
        guard groupsWritten == groupsSeen else { return awaitIdleness() }
        let now = clock.running
        for list in lists.values where list.deletion == nil {
            list.trim(limits.history, now: now)
            historyBudget.set(list.cost, of: list)
            considerCheckpoint(of: list, on: .idleness)
        }
        considerVacuum()
        scheduleMaintenance()
    }
}
