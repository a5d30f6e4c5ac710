import DequeModule

/// The outcome of a call to etcd.
package enum SharingOutcome: String, CaseIterable, Sendable {
    /// The call has taken effect.
    case done
    /// Another change was appended first. The connector has already reported it.
    case lost
    /// Nothing was sent to etcd, and nothing will be.
    case unreachable
    /// The call may have taken effect, or may still do so.
    case unknown
    /// The call had no effect, because a host is present that has to be absent.
    case refused
}

/// The state machine of one shared list on one host. It tracks the waiting requests, the batch that is being appended,
/// and their outcomes.
///
/// It is a value without a store, a socket or a clock, so that tests can drive it with random events. `Store+Sharing`
/// reports events and carries out the `Action`s that are returned. Calls to etcd go through the connector, which
/// answers each call once unless it disconnects.
///
/// - The **position** is the replica's place in the log. Everything in the replica is also in etcd.
/// - A **request** asks for a change, or for confirmation that the replica has everything that etcd has. It waits, becomes
///   part of a batch, or *rests* on the replica being the newest state: for example, a refusal and `changed:false` do.
/// - A **batch** is in the log or not, and for a while this may be unknown. Until it is known, nothing else is tried at
///   its position, because an unacknowledged change could be made twice.
struct SharingMachine {
    /// Unique while the daemon runs.
    typealias RequestNumber = Int
    /// In milliseconds of any monotonic clock.
    typealias Time = Int

    enum Action: Equatable {
        /// Build a batch of these requests, in order, from the current replica, and report it (`finishBuilding`).
        case build([RequestNumber])
        /// Ask etcd to append the built batch, possibly again.
        case append
        /// Ask etcd whether the replica is the newest state.
        case confirm
        /// The batch is the next one in the log: commit its changes and answer its requests.
        case commit
        /// Drop the batch, which will never be in the log.
        case discard
        /// Answer these requests: the replica was the newest state.
        case answer([RequestNumber])
        /// Refuse these requests: they had no effect, and nothing was sent that could still have one.
        case refuseUnreachable([RequestNumber])
        /// Refuse these requests: it is unknown whether they took effect.
        case refuseUnknown([RequestNumber])
        /// Ask the connector for the log after the replica's position.
        case askForRows
        case tellLiveness
    }

    struct BuiltBatch: Equatable {
        /// The replica's position during the build.
        var position: SharedPosition
        /// The position after the batch. Nil if there is nothing to append.
        var next: SharedPosition?
        /// Requests with changes in the batch.
        var requests: [RequestNumber] = []
        /// Requests that rest on the replica being the newest state.
        var resting: [RequestNumber] = []
        /// Requests that did not fit into the batch.
        var rest: [RequestNumber] = []
    }

    private struct Batch {
        let position: SharedPosition
        let next: SharedPosition
        let requests: [RequestNumber]
        let resting: [RequestNumber]
        /// Whether an earlier attempt to append it may still succeed.
        var isRepeated = false
    }

    private enum Underway {
        case nothing
        case building([RequestNumber])
        case appending(Batch)
        /// It is unknown whether the batch is in the log, or will be.
        case doubtful(Batch)
        case confirming([RequestNumber])
    }

    private(set) var position: SharedPosition
    /// Whether the replica has every change except those in transit.
    private(set) var isLive = false
    /// Whether a call to etcd is allowed.
    private var mayCall = false
    private var underway = Underway.nothing
    private var waiting: Deque<RequestNumber> = []
    private var deadlines: [RequestNumber: Time] = [:]
    /// Requests by deadline, including some that are already answered.
    private var ends: Deque<(number: RequestNumber, time: Time)> = []

    init(at position: SharedPosition) { self.position = position }

    var isAwaited: Bool { !deadlines.isEmpty }

    var numberAwaited: Int { deadlines.count }

    /// The earliest deadline, or nil without waiting requests. Drops answered requests from the queue.
    mutating func nextDeadline() -> Time? {
        while let first = ends.first, deadlines[first.number] == nil { ends.removeFirst() }
        return ends.first?.time
    }

    // MARK: Requests

    /// Adds a request. Deadlines have to be in ascending order.
    mutating func addRequest(_ number: RequestNumber, until deadline: Time, _ actions: inout [Action]) {
        deadlines[number] = deadline
        ends.append((number, deadline))
        waiting.append(number)
        buildNextBatch(&actions)
    }

    /// Adds a request without a deadline.
    mutating func addRequest(_ number: RequestNumber, _ actions: inout [Action]) {
        deadlines[number] = .max
        waiting.append(number)
        buildNextBatch(&actions)
    }

    /// Removes a request whose answer was found in the log.
    mutating func forget(_ number: RequestNumber) { deadlines[number] = nil }

    /// Builds the next batch if nothing else is in progress.
    mutating func buildNextBatch(_ actions: inout [Action]) {
        guard mayCall, case .nothing = underway else { return }
        let requests = waiting.filter { deadlines[$0] != nil }
        waiting = []
        guard !requests.isEmpty else { return }
        underway = .building(Array(requests))
        actions.append(.build(Array(requests)))
    }

    mutating func finishBuilding(_ built: BuiltBatch, _ actions: inout [Action]) {
        guard case .building = underway else { preconditionFailure("what was built was to be built") }
        underway = .nothing
        let isGivenUp = built.requests.contains { deadlines[$0] == nil }
        guard built.position == position, mayCall, !isGivenUp else {
            actions.append(.discard)
            requeue(built.requests + built.resting + built.rest)
            return buildNextBatch(&actions)
        }
        requeue(built.rest)
        if let next = built.next {
            underway = .appending(
                Batch(position: position, next: next, requests: built.requests, resting: built.resting))
            actions.append(.append)
        } else {
            let resting = built.resting.filter { deadlines[$0] != nil }
            guard !resting.isEmpty else { return buildNextBatch(&actions) }
            underway = .confirming(resting)
            actions.append(.confirm)
        }
    }

    /// Puts requests before all that are waiting.
    private mutating func requeue(_ numbers: [RequestNumber]) {
        for number in numbers.sorted(by: >) where deadlines[number] != nil { waiting.prepend(number) }
    }

    /// Times out expired requests.
    mutating func timeOutRequests(at now: Time, _ actions: inout [Action]) {
        var ended: Set<RequestNumber> = []
        while let first = ends.first, first.time <= now || deadlines[first.number] == nil {
            ends.removeFirst()
            if deadlines.removeValue(forKey: first.number) != nil { ended.insert(first.number) }
        }
        let unknown: Set<RequestNumber> =
            switch underway {
            case .appending(let batch), .doubtful(let batch): ended.intersection(batch.requests)
            case .nothing, .building, .confirming: []
            }
        let unreachable = ended.subtracting(unknown).sorted()
        if !unreachable.isEmpty { actions.append(.refuseUnreachable(unreachable)) }
        if !unknown.isEmpty { actions.append(.refuseUnknown(unknown.sorted())) }
        waiting.removeAll { ended.contains($0) }
    }

    // MARK: What becomes of calls

    /// Handles the outcome of the last call.
    mutating func settle(_ outcome: SharingOutcome, _ actions: inout [Action]) {
        switch underway {
        case .nothing, .building, .doubtful: return
        case .appending(let batch): settle(batch, outcome, &actions)
        case .confirming(let requests): settle(requests, outcome, &actions)
        }
        buildNextBatch(&actions)
    }

    private mutating func settle(_ batch: Batch, _ outcome: SharingOutcome, _ actions: inout [Action]) {
        switch outcome {
        case .done:
            underway = .nothing
            position = batch.next
            commit(batch, &actions)
        case .unreachable where !batch.isRepeated:
            mayCall = false
            requeueRequests(batch, &actions)
        // A batch can be refused only if it requires absent hosts. It then contains only the ends of leases, whose
        // requests get no answer. So nothing is lost if an earlier attempt arrives after all.
        case .refused: requeueRequests(batch, &actions)
        // An earlier batch at this position would have been reported already and would have settled it.
        case .lost, .unreachable, .unknown:
            mayCall = false
            underway = .doubtful(batch)
            if outcome == .lost { actions.append(.askForRows) }
        }
    }

    /// Makes the requests of a batch wait again, because it was not appended.
    private mutating func requeueRequests(_ batch: Batch, _ actions: inout [Action]) {
        underway = .nothing
        actions.append(.discard)
        requeue(batch.requests + batch.resting)
    }

    private mutating func settle(_ requests: [RequestNumber], _ outcome: SharingOutcome, _ actions: inout [Action]) {
        underway = .nothing
        if outcome == .done { return answer(requests, &actions) }
        mayCall = false
        requeue(requests)
        if outcome == .lost { actions.append(.askForRows) }
    }

    /// The batch directly follows the position it was built at, so everything that rested on that position was right.
    private mutating func commit(_ batch: Batch, _ actions: inout [Action]) {
        actions.append(.commit)
        for number in batch.requests { deadlines[number] = nil }
        answer(batch.resting, &actions)
    }

    private mutating func answer(_ requests: [RequestNumber], _ actions: inout [Action]) {
        let answered = requests.filter { deadlines.removeValue(forKey: $0) != nil }
        if !answered.isEmpty { actions.append(.answer(answered)) }
    }

    // MARK: What is told of the log

    /// How a batch of the log relates to the replica.
    enum Arrival: Equatable {
        /// The replica has it already.
        case known
        /// It is the next one, from another host or from an earlier incarnation.
        case next
        /// It is the next one, and the one being appended.
        case own
        /// An earlier batch is missing.
        case ahead
        /// It belongs to a different log.
        case misfit
    }

    func arrival(of batch: Int, after chain: SharedChain, upTo next: SharedPosition) -> Arrival {
        if batch <= position.batch { return .known }
        if batch > position.batch + 1 { return .ahead }
        guard chain == position.chain else { return .misfit }
        switch underway {
        case .appending(let own), .doubtful(let own): return own.next == next ? .own : .next
        case .nothing, .building, .confirming: return .next
        }
    }

    /// Advances the replica by the next batch. Call `buildNextBatch` afterwards.
    mutating func advance(to next: SharedPosition, _ actions: inout [Action]) {
        switch underway {
        case .appending(let batch), .doubtful(let batch):
            underway = .nothing
            if batch.next == next {
                commit(batch, &actions)
            } else {
                actions.append(.discard)
                requeue(batch.requests + batch.resting)
            }
        case .confirming(let requests):
            underway = .nothing
            requeue(requests)
        // `finishBuilding` will find that the position has changed.
        case .nothing, .building: break
        }
        position = next
    }

    /// Moves the replica by other than one batch: after a complete state, or after a full disk.
    mutating func skip(to position: SharedPosition, _ actions: inout [Action]) {
        if position == self.position { return }
        switch underway {
        case .appending(let batch), .doubtful(let batch):
            underway = .nothing
            actions.append(.discard)
            let unknown = batch.requests.filter { deadlines.removeValue(forKey: $0) != nil }
            if !unknown.isEmpty { actions.append(.refuseUnknown(unknown)) }
            requeue(batch.resting)
        case .confirming(let requests):
            underway = .nothing
            requeue(requests)
        case .nothing, .building: break
        }
        self.position = position
    }

    // MARK: The link to etcd

    /// Handles the connector's report. It may repeat that the list is live, after a call with an unknown outcome.
    mutating func setLive(_ isLive: Bool, _ actions: inout [Action]) {
        if isLive != self.isLive {
            self.isLive = isLive
            actions.append(.tellLiveness)
        }
        mayCall = isLive
        guard isLive else { return }
        if case .doubtful(var batch) = underway {
            batch.isRepeated = true
            underway = .appending(batch)
            actions.append(.append)
        }
        buildNextBatch(&actions)
    }

    /// Handles the loss of the connector.
    mutating func detach(_ actions: inout [Action]) {
        setLive(false, &actions)
        switch underway {
        case .appending(let batch): underway = .doubtful(batch)
        case .confirming(let requests):
            underway = .nothing
            requeue(requests)
        case .nothing, .building, .doubtful: break
        }
    }

    /// Refuses all requests and drops the batch.
    mutating func end(_ actions: inout [Action]) {
        var unknown: Set<RequestNumber> = []
        switch underway {
        case .appending(let batch), .doubtful(let batch): unknown = Set(batch.requests)
        case .nothing, .building, .confirming: break
        }
        let all = deadlines.keys.sorted()
        deadlines = [:]
        ends = []
        waiting = []
        underway = .nothing
        let unreachable = all.filter { !unknown.contains($0) }
        if !unreachable.isEmpty { actions.append(.refuseUnreachable(unreachable)) }
        let open = all.filter { unknown.contains($0) }
        if !open.isEmpty { actions.append(.refuseUnknown(open)) }
    }
}
