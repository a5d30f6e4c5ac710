import Diffable
import DiffableJSON
import Logging

// MARK: - Gathering

extension Store {
    /// Makes a change the list's head, and visible: at once for a volatile list, with its commit group for a durable one.
    func commit(_ change: ListChange, answer: DeferredReply) {
        let name = change.state.name
        let held = storedLists[name] ?? StoredList(access: storedAccess(change.access ?? AccessRecord(), of: name))
        commit(change, of: held, answer: answer)
    }

    /// - Parameter held: the list, which `storedLists` may not contain yet under its name.
    func commit(_ change: ListChange, of held: StoredList, answer: DeferredReply) {
        if let access = change.access { held.headAccess = storedAccess(access, of: change.state.name) }
        switch change.event {
        case .created, .undeleted:
            storedLists[change.state.name] = held
            numberOfHeads += 1
            held.head = change.state
            held.headSchemas = change.schemas
        case .stepped, .advanced: held.head = change.state
        case .unchanged: if let schemas = change.schemas { held.headSchemas = schemas }
        case .purged: break
        case .deleted:
            numberOfHeads -= 1
            held.head = nil
        }
        usages.recount(held)
        holdDeletion(of: change, held)
        rememberResult(of: change)
        // A volatile list has to wait while an earlier list of its name is not on disk yet.
        let isAtOnce = change.state.durability == .volatile && held.group <= settledGroup
        makeLeases(of: change, isAtOnce: isAtOnce)
        if isAtOnce {
            if let commit = makeVisible(change, of: held, encoded: nil) {
                countTransaction(of: change)
                onCommit([commit])
            }
            answer.complete()
            scheduleTrimming()
            freeInBackground(change)
        } else {
            held.group = gathering.number
            gathering.changes.append(change)
            gathering.lists.append(held)
            gathering.answers.append(answer)
            changesGathered += 1
            statistics.pendingTransactions += 1
            scheduleGroupStart()
        }
    }

    /// Answers a request that changes nothing, once everything that the answer depends on is on disk.
    func answer(_ answer: DeferredReply, about name: ListName) {
        let group = storedLists[name]?.group ?? 0
        if group <= settledGroup {
            answer.complete()
        } else if group == gathering.number {
            gathering.answers.append(answer)
        } else {
            inFlight?.answers.append(answer)
        }
    }

    /// Calls back when all earlier changes are on disk, or were refused.
    func answer(whenSettled completion: @escaping @Sendable () -> Void) { answer(whenSettled: .settled(completion)) }

    /// Answers once all earlier changes are on disk. If they are refused, the answer is that error.
    func answer(whenSettled answer: DeferredReply) {
        if !gathering.changes.isEmpty {
            gathering.answers.append(answer)
        } else if inFlight != nil {
            inFlight?.answers.append(answer)
        } else {
            answer.complete()
        }
    }

    /// Starts the group after the queue's current work, so that all requests of one socket read share one sync.
    private func scheduleGroupStart() {
        guard inFlight == nil, groupStart == .notScheduled else { return }
        groupStart = .scheduled
        executor.execute { self.assumeIsolated { $0.startGroup() } }
    }

    private func startGroup() {
        groupStart = .notScheduled
        guard inFlight == nil, !gathering.changes.isEmpty else { return }
        let group = gathering
        inFlight = group
        gathering = CommitGroup(number: group.number + 1)
        statistics.groups += 1
        statistics.groupSizeMax = max(statistics.groupSizeMax, group.changes.count)
        let executor = executor
        journal.write(group.changes) { result in
            executor.execute { self.assumeIsolated { $0.settle(result) } }
        }
        onGroupStart()
    }
}

// MARK: - Settling

extension Store {
    private func settle(_ result: Result<[[UInt8]?], JournalError>) {
        guard let group = inFlight else { preconditionFailure("the journal answered a group that was not in flight") }
        inFlight = nil
        switch result {
        case .success(let encodings): succeed(group, encodings)
        case .failure(.noSpace):
            isDiskFull = true
            logger.error(
                """
                the disk of the state directory is full; transactions were refused, and the lists are unchanged. Free some space \
                on it; clients have to send what was refused again
                """,
                metadata: ["transactions": "\(group.changes.count + gathering.changes.count)"])
            refuse(group, .noSpace)
        case .failure(.failed(let reason)):
            logger.critical(
                "storage failed, and no more changes are accepted; check the disk, and then restart diffabled",
                metadata: ["reason": "\(reason)"])
            if case .running = condition { condition = .failed(reason: reason) }
            failure = reason
            refuse(group, .storageFailed(reason: reason))
            onFailure(reason)
        }
        closeWhenDrained()
    }

    private func succeed(_ group: CommitGroup, _ encodings: [[UInt8]?]) {
        settledGroup = group.number
        isDiskFull = false
        statistics.pendingTransactions -= group.changes.count
        var commits = GroupCommits()
        for (index, change) in group.changes.enumerated() {
            guard let commit = makeVisible(change, of: group.lists[index], encoded: encodings[index]) else { continue }
            countTransaction(of: change)
            commits.append(commit)
        }
        // The disk can write the next group while subscribers receive this one.
        startGroup()
        if !commits.commits.isEmpty { onCommit(commits.commits) }
        for answer in group.answers { answer.complete() }
        for held in group.lists where held.shared != nil { answerArrivals(of: held) }
        for change in group.changes { freeInBackground(change) }
        for former in group.formerLeases.values { if let former { background?.free(former, former.count) } }
        scheduleTrimming()
        endOverdueLeases()
        purgeDeletedLists()
    }

    /// Resets the heads to the state on disk. The group that has gathered since builds on the failed group, so it is refused too.
    private func refuse(_ group: CommitGroup, _ error: StoreError) {
        let gathered = gathering
        settledGroup = gathered.number
        gathering = CommitGroup(number: gathered.number + 1)
        statistics.pendingTransactions = 0
        refuseResults(of: group.changes + gathered.changes)
        refuseLeases(of: [gathered, group])
        for (change, held) in zip(group.changes + gathered.changes, group.lists + gathered.lists) {
            replacedLists.remove(change.state.number)
            held.head = held.committed
            held.headAccess = held.access
            held.headSchemas = held.schemas
            refuseDeletion(of: change.state.number)
            if held.committed == nil, storedLists[change.state.name] === held { storedLists[change.state.name] = nil }
            usages.recount(held)
        }
        numberOfHeads = storedLists.count
        fallBack(group.lists + gathered.lists)
        for answer in group.answers + gathered.answers { answer.fail(with: error) }
        onGroupStart()
    }

    private func freeInBackground(_ change: ListChange) {
        guard let background, case .stepped(let operations, _) = change.event else { return }
        let size = operations.size(in: nil, max: background.sizeMax)
        if size > background.sizeMax { background.free(change, size) }
    }

    /// Counts a transaction. A purge is not a client's transaction.
    private func countTransaction(of change: ListChange) {
        if case .purged = change.event { return }
        statistics.transactions += 1
    }

    /// Makes a change visible. Nil if there is nothing to report.
    private func makeVisible(_ change: ListChange, of held: StoredList, encoded: [UInt8]?) -> Commit? {
        settleResult(of: change)
        settleLeases(of: change)
        var isAccessNew = false
        if let access = change.access {
            let former = held.access.effective
            held.access = storedAccess(access, of: change.state.name)
            isAccessNew = held.access.effective != former
        }
        switch change.event {
        case .unchanged:
            if let schemas = change.schemas { held.schemas = schemas }
            // The progress of a shared list is stored with its access, but is not visible.
            guard isAccessNew else { return nil }
            return Commit(event: .unchanged, state: change.state, changesAccess: true)
        case .created:
            held.committed = change.state
            held.schemas = change.schemas
            held.history = History()
            historyBudget.remove(held)
            return Commit(event: .created, state: change.state)
        case .stepped(let operations, let delivery):
            var forgotten: [ListState] = []
            if let before = held.committed, let revision = change.revision {
                let packed = PackedOperations(
                    operations, to: revision, from: before.snapshot,
                    json: encoded ?? OperationsWriter.array(operations))
                var step = PackedTransaction(revision, delivery, packed)
                step.redraws = change.state.snapshot.redrawsAsked &- before.snapshot.redrawsAsked
                held.history.append(step, after: before)
                if untrimmedLists.last !== held { untrimmedLists.append(held) }
                // The receivers of the commit free large states in the background.
                forgotten = held.history.dropOutgrownStates(limits.history)
                if !limits.history.isNewestKept, revision.length > Self.lengthFreedAtOnceMax {
                    forgotten.append(before)
                }
            }
            held.committed = change.state
            let step = Commit.Transaction(operations: operations, encoded: encoded)
            return Commit(
                event: .changed(from: change.state.revision - 1, transaction: step), state: change.state,
                forgotten: forgotten)
        case .advanced(let former, _):
            let forgotten = held.history.wholeStates + [former]
            held.committed = change.state
            held.history = History()
            historyBudget.remove(held)
            return Commit(
                event: .changed(from: former.revision, transaction: nil), state: change.state, forgotten: forgotten)
        case .undeleted:
            guard let deleted = releaseDeletion(of: change.state.number) else {
                preconditionFailure("only a list that was deleted comes back")
            }
            held.committed = change.state
            held.schemas = change.schemas
            held.history = deleted.history.named(change.state.name)
            untrimmedLists.append(held)
            return Commit(event: .created, state: change.state)
        case .purged:
            let history = releaseDeletion(of: change.state.number)?.history ?? History()
            return Commit(event: .unchanged, state: change.state, forgotten: history.wholeStates + [change.state])
        case .deleted(let deletion):
            var forgotten: [ListState] = []
            if let deletion {
                settleDeletion(of: change, deletion, held)
            } else {
                forgotten = held.history.wholeStates + [change.state]
            }
            held.committed = nil
            held.schemas = nil
            held.history = History()
            historyBudget.remove(held)
            // The name may be in use again by a list that was also deleted. Until those changes are on disk, later
            // changes of the name have to wait for them.
            if held.head == nil, held.group <= settledGroup { storedLists[change.state.name] = nil }
            let isReplaced = replacedLists.remove(change.state.number) != nil
            return Commit(event: isReplaced ? .replaced : .deleted, state: change.state, forgotten: forgotten)
        }
    }
}

// MARK: - The past

extension Store {
    /// Trims after the queue's current work and its replies, because freeing a state takes about as long as making the next one.
    private func scheduleTrimming() {
        guard !untrimmedLists.isEmpty || areDeletionsUncounted, !isTrimmingScheduled else { return }
        isTrimmingScheduled = true
        executor.execute { self.assumeIsolated { $0.trimHistories() } }
    }

    private func trimHistories() {
        isTrimmingScheduled = false
        purgeDeletedLists()
        packDeletions()
        for held in untrimmedLists {
            guard let now = held.history.newestTime else { continue }
            held.history.trim(limits.history, now: now)
            freeLargeDroppedStates(of: held)
            if held.history.isWorthPacking, unpackedLists.last !== held { unpackedLists.append(held) }
            historyBudget.noteChange(of: held, cost: held.history.cost, newest: held.history.newestCost)
        }
        untrimmedLists.removeAll(keepingCapacity: true)
        historyBudget.keep(within: limits.history.lengthInAllMax) { held, excess, cut in
            held.history.shorten(to: held.history.cost - excess, cut)
            freeLargeDroppedStates(of: held)
            return held.history.cost
        }
    }

    /// Packs the histories of lists whose contents were mostly replaced. Waits one second after the change, because
    /// connected clients ask for the previous state at once, if at all.
    /// - Returns: whether some histories are left for later.
    package func packHistories() -> Bool {
        let now = clock.running
        let lists = unpackedLists
        unpackedLists = []
        for held in lists {
            guard held.history.isWorthPacking, let state = held.committed, let newest = held.history.newestTime,
                storedLists[state.name] === held
            else { continue }
            if newest.milliseconds > now.milliseconds - Self.packingDelay {
                unpackedLists.append(held)
            } else {
                packHistory(of: state, held)
            }
        }
        return !unpackedLists.isEmpty
    }

    private func packHistory(of state: ListState, _ held: StoredList) {
        let history = held.history
        let size = history.wholeStates.map(\.snapshot.numberOfItems).max() ?? 0
        guard let background, size > background.sizeMax else {
            held.history = history.packed()
            return
        }
        background.compute(size: size, { history.packed() }) { packed in
            self.assumeIsolated { store in
                guard let held = store.storedLists[state.name], held.committed === state,
                    held.history.isSame(as: packed)
                else { return }
                held.history = packed
            }
            background.free(history, size)
        }
    }

    /// Unpacks a list's history and rebuilds earlier states, in the background if that takes long. Until then, the
    /// history must not be read.
    /// - Parameters:
    ///   - revisions: the revisions whose states are needed.
    ///   - then: called when it is done.
    /// - Returns: whether the history is ready now; `then` is not called in that case.
    package func unpackHistory(
        of name: ListName, for revisions: [Int] = [], then: @escaping @Sendable () -> Void
    ) -> Bool {
        guard let held = storedLists[name], let committed = held.committed, let background else { return true }
        let number = committed.number
        if historyWaits[number] != nil {
            historyWaits[number]?.append(then)
            return false
        }
        let history = held.history
        let (packedItems, remadeSize) = (history.packedItems, history.workToRebuild(revisions))
        let size = packedItems + remadeSize
        guard size > background.sizeMax else { return true }
        historyWaits[number] = [then]
        let find: @Sendable () -> History = {
            var found = packedItems > 0 ? history.unpacked() : history
            if remadeSize > 0 { for revision in revisions { _ = found.state(at: revision) } }
            return found
        }
        background.compute(size: size, find) { found in
            self.assumeIsolated { store in
                if let held = store.storedLists[name], held.committed?.number == number {
                    let hadRemadeStates = held.history.hasRebuiltStates
                    if packedItems > 0, held.history.isSame(as: found) {
                        held.history = found
                    } else {
                        held.history.adoptRebuiltStates(of: found)
                    }
                    if packedItems > 0 { store.unpackedLists.append(held) }
                    store.limitRebuiltStates(of: held, had: hadRemadeStates)
                }
                for body in store.historyWaits.removeValue(forKey: number) ?? [] { body() }
            }
        }
        return false
    }

    /// In milliseconds.
    private static let packingDelay = 1_000

    private func freeLargeDroppedStates(of held: StoredList) {
        let states = held.history.takeLargeDroppedStates()
        if let last = states.last { background?.free(states, last.snapshot.numberOfItems) }
    }

    /// Drops history that is too old or exceeds the current limits.
    func trimHistory(of held: StoredList, now: RunningTime) {
        held.history.trim(limits.history, now: now)
        freeLargeDroppedStates(of: held)
        historyBudget.set(held.history.cost, of: held)
    }

    /// The length in bytes of a transaction up to which the state before it is freed immediately.
    private static let lengthFreedAtOnceMax = 4 << 20
}

// MARK: - Closing

extension Store {
    /// Refuses new changes, waits until earlier ones are on disk and answered, and closes the journal.
    package func shutDown(completion: @escaping @Sendable () -> Void) {
        switch condition {
        case .running, .failed, .unreadable: condition = .draining(completions: [completion])
        case .draining(let completions): condition = .draining(completions: completions + [completion])
        case .closing(let completions): condition = .closing(completions: completions + [completion])
        case .closed: return completion()
        }
        closeWhenDrained()
    }

    package func shutDown() async {
        await withCheckedContinuation { continuation in
            shutDown { continuation.resume() }
        }
    }

    private func closeWhenDrained() {
        guard case .draining(let completions) = condition, inFlight == nil, gathering.changes.isEmpty else { return }
        condition = .closing(completions: completions)
        let executor = executor
        journal.close { failure in
            executor.execute { self.assumeIsolated { $0.finishClosing(failure) } }
        }
    }

    private func finishClosing(_ failure: String?) {
        guard case .closing(let completions) = condition else { preconditionFailure("the journal closes once") }
        self.failure = self.failure ?? failure
        condition = .closed
        for completion in completions { completion() }
    }
}
