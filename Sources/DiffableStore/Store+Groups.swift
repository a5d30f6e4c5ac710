import Diffable
import Logging

// MARK: - Gathering

extension Store {
    /// Makes a change the list's head, and visible: at once when the list is volatile, with its group otherwise.
    func commit(_ change: ListChange, answer: Answer) {
        let name = change.state.name
        let held = heldLists[name] ?? HeldList(access: heldAccess(change.access ?? AccessRecord(), of: name))
        commit(change, of: held, answer: answer)
    }

    /// - Parameter held: the list, which may be about to get its name.
    func commit(_ change: ListChange, of held: HeldList, answer: Answer) {
        if let access = change.access { held.headAccess = heldAccess(access, of: change.state.name) }
        switch change.event {
        case .created:
            heldLists[change.state.name] = held
            numberOfHeads += 1
            held.head = change.state
        case .stepped: held.head = change.state
        case .unchanged: break
        case .deleted:
            numberOfHeads -= 1
            held.head = nil
        }
        rememberResult(of: change)
        makeLeases(of: change)
        // A volatile list waits as well when what its name stood for before is still on its way to the disk.
        if change.state.durability == .volatile && held.group <= settledGroup {
            if let commit = makeVisible(change, of: held, encoded: nil) {
                statistics.transactions += 1
                onCommit([commit])
            }
            answer.give()
            scheduleTrimming()
        } else {
            held.group = gathering.number
            gathering.changes.append(change)
            gathering.lists.append(held)
            gathering.answers.append(answer)
            statistics.pendingTransactions += 1
            scheduleGroupStart()
        }
    }

    /// Gives an answer that changes nothing, once all that it rests on is on disk.
    func answer(_ answer: Answer, about name: ListName) {
        let group = heldLists[name]?.group ?? 0
        if group <= settledGroup {
            answer.give()
        } else if group == gathering.number {
            gathering.answers.append(answer)
        } else {
            inFlight?.answers.append(answer)
        }
    }

    /// Calls back when all that was asked so far is on disk, or was refused.
    func answer(whenSettled completion: @escaping @Sendable () -> Void) {
        if !gathering.changes.isEmpty {
            gathering.answers.append(.settled(completion))
        } else if inFlight != nil {
            inFlight?.answers.append(.settled(completion))
        } else {
            completion()
        }
    }

    /// The group starts after what the queue is at now, so that the requests of one read share one sync.
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
        gathering = Group(number: group.number + 1)
        statistics.groups += 1
        statistics.groupSizeMax = max(statistics.groupSizeMax, group.changes.count)
        let executor = executor
        journal.write(group.changes) { result in
            executor.execute { self.assumeIsolated { $0.settle(result) } }
        }
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
            logger.error(
                "the disk is full; transactions were refused, and the lists are as they were",
                metadata: ["transactions": "\(group.changes.count + gathering.changes.count)"])
            refuse(group, .noSpace)
        case .failure(.failed(let reason)):
            logger.critical("storage failed; no more changes are taken", metadata: ["reason": "\(reason)"])
            if case .running = condition { condition = .failed(reason: reason) }
            refuse(group, .storageFailed(reason: reason))
            onFailure(reason)
        }
        closeWhenDrained()
    }

    private func succeed(_ group: Group, _ encodings: [[UInt8]?]) {
        settledGroup = group.number
        statistics.pendingTransactions -= group.changes.count
        var commits = GroupCommits()
        for (index, change) in group.changes.enumerated() {
            guard let commit = makeVisible(change, of: group.lists[index], encoded: encodings[index]) else { continue }
            statistics.transactions += 1
            commits.append(commit)
        }
        // The disk works on the next group while this one is told about.
        startGroup()
        if !commits.commits.isEmpty { onCommit(commits.commits) }
        for answer in group.answers { answer.give() }
        scheduleTrimming()
        endOverdueLeases()
    }

    /// Lets the heads fall back to what is on disk. What has gathered meanwhile was built on them and falls too.
    private func refuse(_ group: Group, _ error: StoreError) {
        let gathered = gathering
        settledGroup = gathered.number
        gathering = Group(number: gathered.number + 1)
        statistics.pendingTransactions = 0
        refuseResults(of: group.changes + gathered.changes)
        refuseLeases(of: group.changes + gathered.changes)
        for (change, held) in zip(group.changes + gathered.changes, group.lists + gathered.lists) {
            replacedLists.remove(change.state.number)
            held.head = held.committed
            held.headAccess = held.access
            if held.committed == nil { heldLists[change.state.name] = nil }
        }
        numberOfHeads = heldLists.count
        for answer in group.answers + gathered.answers { answer.refuse(error) }
    }

    /// Nil when there is nothing to be seen.
    private func makeVisible(_ change: ListChange, of held: HeldList, encoded: [UInt8]?) -> Commit? {
        settleResult(of: change)
        settleLeases(of: change)
        if let access = change.access { held.access = heldAccess(access, of: change.state.name) }
        switch change.event {
        case .unchanged:
            return change.access.map { _ in Commit(event: .unchanged, state: change.state, changesAccess: true) }
        case .created:
            held.committed = change.state
            held.history = History()
            return Commit(event: .created, state: change.state)
        case .stepped(let operations, _):
            var forgotten: [ListState] = []
            if let before = held.committed, let revision = change.revision {
                held.history.append(before, revision)
                if untrimmedLists.last !== held { untrimmedLists.append(held) }
                if revision.length > limits.history.lengthMax { forgotten = [before] }
            }
            held.committed = change.state
            let step = Commit.Step(operations: operations, encoded: encoded)
            return Commit(
                event: .changed(from: change.state.revision - 1, step: step), state: change.state,
                forgotten: forgotten)
        case .deleted:
            let forgotten = held.history.states + [change.state]
            held.committed = nil
            held.history = History()
            // A head is there when the name was taken again before the deletion was on disk.
            if held.head == nil { heldLists[change.state.name] = nil }
            let isReplaced = replacedLists.remove(change.state.number) != nil
            return Commit(event: isReplaced ? .replaced : .deleted, state: change.state, forgotten: forgotten)
        }
    }
}

// MARK: - The past

extension Store {
    /// What history does not keep any more is freed when the queue has done what it is at, and those are answered who
    /// wait: to free a state takes about as long as to make the next one.
    private func scheduleTrimming() {
        guard !untrimmedLists.isEmpty, !isTrimmingScheduled else { return }
        isTrimmingScheduled = true
        executor.execute { self.assumeIsolated { $0.trimHistories() } }
    }

    private func trimHistories() {
        isTrimmingScheduled = false
        for held in untrimmedLists {
            if let now = held.history.newestTime { held.history.trim(limits.history, now: now) }
        }
        untrimmedLists.removeAll(keepingCapacity: true)
    }
}

// MARK: - Closing

extension Store {
    /// Takes nothing more, lets what is on its way reach the disk and be answered, and closes the journal.
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
        journal.close {
            executor.execute { self.assumeIsolated { $0.finishClosing() } }
        }
    }

    private func finishClosing() {
        guard case .closing(let completions) = condition else { preconditionFailure("the journal closes once") }
        condition = .closed
        for completion in completions { completion() }
    }
}
