import Diffable
import DiffableJSON
import Logging

// Shared lists. A change is made to this host's replica, appended to the list's log in etcd, and then committed as any
// other. The connector, a separate process, forwards calls to etcd and reports the batches of other hosts. The list's
// `SharingMachine` decides the next step, and this file carries it out.

extension Store {
    /// Attaches a connector.
    /// - Returns: the positions of the replicas.
    package func attach(host: String, send: @escaping @Sendable (EtcdCall) -> Void) -> [SharedState] {
        detach()
        engine.host = host
        engine.send = send
        engine.hosts = nil
        scheduleSharedLeaseEnds()
        return storedLists.values.compactMap { held in held.shared.flatMap { state(of: $0, held) } }
            .sorted { $0.list < $1.list }
    }

    /// Detaches the connector. Pending calls may still take effect.
    package func detach() {
        guard engine.send != nil else { return }
        engine.send = nil
        engine.isFull = false
        let calls = engine.calls.sorted { $0.key < $1.key }
        engine.calls = [:]
        for held in storedLists.values where held.shared != nil {
            held.shared?.call = nil
            held.shared?.parts = []
            change(held) { $0.detach(&$1) }
        }
        for (number, call) in calls { end(number, call, .unknown) }
    }

    /// Handles the outcome of a call. Ignores calls that have ended or belong to an earlier connector.
    /// - Parameter isFull: whether etcd had no space, for the outcome `unreachable`.
    package func settle(_ call: Int, _ outcome: SharingOutcome, isFull: Bool = false) {
        guard let pending = engine.calls.removeValue(forKey: call) else { return }
        if outcome == .unreachable || outcome == .unknown { engine.isFull = isFull }
        end(call, pending, outcome)
    }

    private func end(_ number: Int, _ call: EtcdLink.PendingCall, _ outcome: SharingOutcome) {
        engine.awaitedCalls.removeAll { $0.call == number }
        switch call {
        case .machine(let name):
            guard let held = storedLists[name], let shared = held.shared, shared.call == number else { return }
            shared.call = nil
            // The hosts are present after all.
            if outcome == .refused, let draft = shared.draft { engine.hosts?.formUnion(draft.absent) }
            change(held) { $0.settle(outcome, &$1) }
        case .creation(let creation): end(creation, outcome)
        case .removal(let removal): end(removal, outcome)
        }
    }

    /// Whether a shared list has every change in etcd. Nil for a list that is not shared.
    package func sharedLiveness(of name: ListName) -> Liveness? { storedLists[name]?.shared?.liveness }

    /// The number of hosts that are present. Nil while unknown.
    package var numberOfHosts: Int? { engine.send == nil ? nil : engine.hosts?.count }

    /// The number of requests that wait for etcd. O(lists)
    package var numberAwaitingEngine: Int {
        storedLists.values.reduce(engine.awaitedCalls.count) { $0 + ($1.shared?.machine.numberAwaited ?? 0) }
    }

    /// The replica that the next batch builds on. It may not be on disk yet.
    func state(of shared: SharedList, _ held: StoredList) -> SharedState? {
        held.head.map {
            SharedState(list: $0.name, epoch: $0.epoch, revision: $0.revision, position: shared.machine.position)
        }
    }

    // MARK: Requests

    func enqueue(_ request: SharedRequest, of held: StoredList, _ shared: SharedList) {
        engine.lastRequest += 1
        let number = engine.lastRequest
        shared.requests[number] = request
        if case .arrival(_, let revision, _) = request { shared.arrivals[number] = revision }
        change(held) { $0.addRequest(number, until: waitEnd, &$1) }
        scheduleWaking()
    }

    private var waitEnd: SharingMachine.Time { clock.running.milliseconds + limits.engineWaitMax * 1_000 }

    /// Schedules the next timeout. Without waiting requests, no timer runs.
    private func scheduleWaking() {
        guard !engine.isWakingScheduled else { return }
        let ofLists = storedLists.values.compactMap { $0.shared?.machine.nextDeadline() }.min()
        guard let first = [ofLists, engine.awaitedCalls.first?.deadline].compactMap(\.self).min() else { return }
        engine.isWakingScheduled = true
        wakeLater(Swift.max(first - clock.running.milliseconds, 1))
    }

    /// Times out expired requests. Called after the time given to `wakeLater`.
    package func endSharedWaits() {
        engine.isWakingScheduled = false
        let now = clock.running.milliseconds
        for held in storedLists.values where held.shared?.machine.isAwaited == true {
            change(held) { $0.timeOutRequests(at: now, &$1) }
        }
        while let first = engine.awaitedCalls.first, first.deadline <= now {
            engine.awaitedCalls.removeFirst()
            if let call = engine.calls[first.call] { engine.calls[first.call] = endWait(for: call) }
        }
        scheduleWaking()
    }

    /// Answers the waiting request. The call may still take effect, and its outcome is handled later.
    private func endWait(for call: EtcdLink.PendingCall) -> EtcdLink.PendingCall {
        switch call {
        case .machine: return call
        case .creation(var creation):
            creation.completion(.failure(.outcomeUnknown(creation.name)))
            creation.completion = { _ in }
            return .creation(creation)
        case .removal(var removal):
            removal.completion(.failure(.outcomeUnknown(removal.name)))
            removal.completion = { _ in }
            return .removal(removal)
        }
    }

    // MARK: Carrying out

    func change(
        _ held: StoredList, _ body: (inout SharingMachine, inout [SharingMachine.Action]) -> Void
    ) {
        guard let shared = held.shared else { return }
        var actions: [SharingMachine.Action] = []
        body(&shared.machine, &actions)
        for action in actions { carryOut(action, of: held, shared) }
    }

    private func carryOut(_ action: SharingMachine.Action, of held: StoredList, _ shared: SharedList) {
        switch action {
        case .build(let requests): beginDraft(of: requests, for: held, shared)
        case .append: append(of: held, shared)
        case .confirm:
            guard let state = state(of: shared, held) else { return }
            call(of: shared, state.list) { .confirm(call: $0, state) }
        case .commit: commitDraft(of: held, shared)
        case .discard:
            shared.draft = nil
            shared.results = [:]
        case .answer(let numbers): answer(numbers, of: held, shared)
        case .refuseUnreachable(let numbers): refuse(numbers, of: shared) { unreachable($0) }
        case .refuseUnknown(let numbers): refuse(numbers, of: shared) { .outcomeUnknown($0) }
        case .askForRows: if let state = state(of: shared, held) { engine.send?(.behind(state)) }
        case .tellLiveness:
            if shared.machine.isLive { scheduleSharedLeaseEnds() } else { shared.awaySince = timeOfDay.milliseconds }
            if let name = held.head?.name { onLiveness(name) }
        }
    }

    private func append(of held: StoredList, _ shared: SharedList) {
        guard let state = state(of: shared, held), let draft = shared.draft, let next = draft.built.next else {
            preconditionFailure("a batch that is appended was made")
        }
        let (text, absent) = (draft.text.bytes, draft.absent.sorted())
        call(of: shared, state.list) {
            .append(call: $0, state, next: next, revision: draft.head.revision, text: text, absent: absent)
        }
    }

    private func call(of shared: SharedList, _ list: ListName, _ body: (Int) -> EtcdCall) {
        shared.call = makeCall(.machine(list), body)
    }

    /// Sends a call. Nil without a connector, whose loss `detach` has already reported to the machine.
    private func makeCall(_ pending: EtcdLink.PendingCall, _ body: (Int) -> EtcdCall) -> Int? {
        guard let send = engine.send else { return nil }
        engine.lastCall += 1
        engine.calls[engine.lastCall] = pending
        send(body(engine.lastCall))
        return engine.lastCall
    }

    /// Sends a creation or removal, whose request times out like others.
    func makeAwaitedCall(_ pending: EtcdLink.PendingCall, _ body: (Int) -> EtcdCall) -> Int? {
        let call = makeCall(pending, body)
        if let call {
            engine.awaitedCalls.append((call, waitEnd))
            scheduleWaking()
        }
        return call
    }

    /// Answers requests that rested on the replica being the newest state.
    private func answer(_ numbers: [SharingMachine.RequestNumber], of held: StoredList, _ shared: SharedList) {
        for number in numbers {
            guard let request = shared.requests.removeValue(forKey: number), let head = held.head else { continue }
            switch request {
            case .leaseEnd: forgetLeaseEnd(shared)
            case .confirmation(_, let completion):
                answer(.list(completion, .success(head)), about: head.name)
            case .arrival(_, let revision, let completion):
                shared.arrivals[number] = nil
                answer(.list(completion, head.result(ifAt: revision)), about: head.name)
            case .change(let change): answer(result(of: number, shared), about: head.name, to: change.context.peer)
            case .access(let change): answer(result(of: number, shared), about: head.name, to: change.peer)
            }
        }
    }

    private func result(of number: SharingMachine.RequestNumber, _ shared: SharedList) -> DeferredReply {
        guard let result = shared.results.removeValue(forKey: number) else {
            preconditionFailure("what rests on the replica has a result")
        }
        return result
    }

    /// The error of a request for which nothing was changed in etcd.
    func unreachable(_ name: ListName) -> StoreError { engine.isFull ? .engineFull(name) : .unreachable(name) }

    private func refuse(
        _ numbers: [SharingMachine.RequestNumber], of shared: SharedList, _ error: (ListName) -> StoreError
    ) {
        for number in numbers {
            shared.results[number] = nil
            switch shared.requests.removeValue(forKey: number) {
            case .change(let change): change.completion(.failure(error(change.name)))
            case .access(let change): change.completion(.failure(error(change.name)))
            case .confirmation(let name, let completion): completion(.failure(.newestUnknown(name)))
            case .arrival(let name, _, let completion):
                shared.arrivals[number] = nil
                completion(.failure(.newestUnknown(name)))
            case .leaseEnd: forgetLeaseEnd(shared)
            case nil: continue
            }
        }
    }

    // MARK: Ends

    /// Answers all requests that wait for etcd, because no connector will answer them any more.
    package func endSharedRequests() {
        for held in storedLists.values where held.shared != nil { endRequests(of: held) }
    }

    /// Drops the draft and refuses all requests of a list.
    func endRequests(of held: StoredList) {
        held.shared?.draft = nil
        held.shared?.call = nil
        change(held) { $0.end(&$1) }
    }

    // MARK: When the disk is full

    /// Resets replicas to the state on disk, and asks the connector for everything after it again.
    func fallBack(_ lists: [StoredList]) {
        for held in lists {
            guard let position = held.access.record.sharing, held.committed != nil else {
                endRequests(of: held)
                held.shared = nil
                continue
            }
            // The list was about to be deleted.
            guard let shared = held.shared else {
                held.shared = SharedList(at: position)
                continue
            }
            guard position != shared.machine.position else { continue }
            shared.call = nil
            change(held) { $0.skip(to: position, &$1) }
            if let state = state(of: shared, held) { engine.send?(.behind(state)) }
        }
    }
}
