import DequeModule

/// What becomes of a call to the engine.
package enum SharingOutcome: String, CaseIterable, Sendable {
    /// It is as it was asked for.
    case done
    /// Something else was there before. What that is has been told already.
    case lost
    /// Nothing was sent to the engine, and nothing will be.
    case unreachable
    /// It may have happened, and it may happen still.
    case unknown
    /// It did not happen, because a host is there that must not be.
    case refused
}

/// The state machine of one shared list on one host: who waits for what, which batch is under way to the engine, and what
/// becomes of either.
///
/// It is a value without a store, a socket or a clock, so tests drive it through random events. `Store+Sharing` reports what
/// happens, and carries out the `Action`s that come back. The engine is asked through the connector, which answers each call
/// once, or ends.
///
/// - The **position** is how far the replica has come in the log. All that it has is in the engine.
/// - A **request** is to change the list, or only to hear that the replica has all that the engine has. It waits, it is made
///   a part of a batch, or it *rests* on the replica being the newest state: a refusal is one, and so is `changed:false`.
/// - A **batch** is in the log, or it is not; which of them may be unknown for a while. Until it is known, nothing else is
///   tried at its place: what was acknowledged to nobody could be made twice.
struct SharingMachine {
    /// Never used twice.
    typealias RequestNumber = Int
    /// In milliseconds of any clock that does not jump.
    typealias Time = Int

    /// What is to be done.
    enum Action: Equatable {
        /// Make a batch of these, in their order, from the replica as it is, and report it (`finishBuilding`).
        case build([RequestNumber])
        /// Ask the engine to append the batch that was built, or once more the one that was asked for before.
        case append
        /// Ask the engine whether the replica is the newest state.
        case confirm
        /// The batch is in the log, as the next one: its changes are the list's, and whoever waits for them is answered.
        case commit
        /// The batch will never be in the log.
        case discard
        /// What these rest on has proved to be right.
        case answer([RequestNumber])
        /// They did not happen, and nothing was sent that could make them happen.
        case refuseUnreachable([RequestNumber])
        /// Whether they happened is not known.
        case refuseUnknown([RequestNumber])
        /// The connector is to look what comes after the replica's position.
        case askForRows
        case tellLiveness
    }

    /// What was made of requests.
    struct Built: Equatable {
        /// Where the replica was meanwhile.
        var position: SharedPosition
        /// After it; nil when nothing is to be appended.
        var next: SharedPosition?
        /// Those whose changes are in it.
        var requests: [RequestNumber] = []
        /// Those that rest on the replica being the newest state.
        var resting: [RequestNumber] = []
        /// Those that it has no room for.
        var rest: [RequestNumber] = []
    }

    private struct Batch {
        let position: SharedPosition
        let next: SharedPosition
        let requests: [RequestNumber]
        let resting: [RequestNumber]
        /// Whether it was asked for before, which may come true still.
        var isRepeated = false
    }

    private enum Underway {
        case nothing
        case building([RequestNumber])
        case appending(Batch)
        /// Nobody knows whether it is in the log, or will be.
        case doubtful(Batch)
        case confirming([RequestNumber])
    }

    private(set) var position: SharedPosition
    /// Whether nothing that has happened is missing here, but for what is on its way.
    private(set) var isLive = false
    /// Whether the engine may be asked something.
    private var mayCall = false
    private var underway = Underway.nothing
    private var waiting: Deque<RequestNumber> = []
    /// Until when each waits that is not answered.
    private var deadlines: [RequestNumber: Time] = [:]
    /// In the order of their ends, with some that are answered.
    private var ends: Deque<(number: RequestNumber, time: Time)> = []

    init(at position: SharedPosition) { self.position = position }

    /// Whether somebody waits.
    var isAwaited: Bool { !deadlines.isEmpty }

    /// How many wait.
    var numberAwaited: Int { deadlines.count }

    /// When the first of those who wait gives up; nil if nobody does. Those that were answered are let go here.
    mutating func nextDeadline() -> Time? {
        while let first = ends.first, deadlines[first.number] == nil { ends.removeFirst() }
        return ends.first?.time
    }

    // MARK: Requests

    /// Deadlines come in their order.
    mutating func ask(_ number: RequestNumber, until deadline: Time, _ actions: inout [Action]) {
        deadlines[number] = deadline
        ends.append((number, deadline))
        waiting.append(number)
        goOn(&actions)
    }

    /// For one that waits as long as it takes.
    mutating func ask(_ number: RequestNumber, _ actions: inout [Action]) {
        deadlines[number] = .max
        waiting.append(number)
        goOn(&actions)
    }

    /// It was answered: what it asked for was found in the log.
    mutating func forget(_ number: RequestNumber) { deadlines[number] = nil }

    /// Begins what can be begun.
    mutating func goOn(_ actions: inout [Action]) {
        guard mayCall, case .nothing = underway else { return }
        let requests = waiting.filter { deadlines[$0] != nil }
        waiting = []
        guard !requests.isEmpty else { return }
        underway = .building(Array(requests))
        actions.append(.build(Array(requests)))
    }

    mutating func finishBuilding(_ built: Built, _ actions: inout [Action]) {
        guard case .building = underway else { preconditionFailure("what was built was to be built") }
        underway = .nothing
        let isGivenUp = built.requests.contains { deadlines[$0] == nil }
        guard built.position == position, mayCall, !isGivenUp else {
            actions.append(.discard)
            putBack(built.requests + built.resting + built.rest)
            return goOn(&actions)
        }
        putBack(built.rest)
        if let next = built.next {
            underway = .appending(
                Batch(position: position, next: next, requests: built.requests, resting: built.resting))
            actions.append(.append)
        } else {
            let resting = built.resting.filter { deadlines[$0] != nil }
            guard !resting.isEmpty else { return goOn(&actions) }
            underway = .confirming(resting)
            actions.append(.confirm)
        }
    }

    /// They come before all that wait.
    private mutating func putBack(_ numbers: [RequestNumber]) {
        for number in numbers.sorted(by: >) where deadlines[number] != nil { waiting.prepend(number) }
    }

    /// Those whose time is over hear so.
    mutating func endWaits(at now: Time, _ actions: inout [Action]) {
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

    /// What the call that was asked for last has come to.
    mutating func settle(_ outcome: SharingOutcome, _ actions: inout [Action]) {
        switch underway {
        case .nothing, .building, .doubtful: return
        case .appending(let batch): settle(batch, outcome, &actions)
        case .confirming(let requests): settle(requests, outcome, &actions)
        }
        goOn(&actions)
    }

    private mutating func settle(_ batch: Batch, _ outcome: SharingOutcome, _ actions: inout [Action]) {
        switch outcome {
        case .done:
            underway = .nothing
            position = batch.next
            commit(batch, &actions)
        case .unreachable where !batch.isRepeated:
            mayCall = false
            takeBack(batch, &actions)
        // Nobody is told of what is in such a batch, so nothing is lost if an earlier try of it arrives after all.
        case .refused: takeBack(batch, &actions)
        // What came before it would have been told before, and have settled it.
        case .lost, .unreachable, .unknown:
            mayCall = false
            underway = .doubtful(batch)
            if outcome == .lost { actions.append(.askForRows) }
        }
    }

    /// It was not appended: what is in it waits again.
    private mutating func takeBack(_ batch: Batch, _ actions: inout [Action]) {
        underway = .nothing
        actions.append(.discard)
        putBack(batch.requests + batch.resting)
    }

    private mutating func settle(_ requests: [RequestNumber], _ outcome: SharingOutcome, _ actions: inout [Action]) {
        underway = .nothing
        if outcome == .done { return answer(requests, &actions) }
        mayCall = false
        putBack(requests)
        if outcome == .lost { actions.append(.askForRows) }
    }

    /// It was the next one from where the replica was when it was made, so all that rests on that was right then.
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

    /// What a batch of the log is here.
    enum Arrival: Equatable {
        /// It was there before.
        case known
        /// It is the next one, and another host's, or one that this host knows nothing of any more.
        case next
        /// It is the next one, and the one that is under way.
        case own
        /// Something is missing before it.
        case ahead
        /// It is another log's.
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

    /// The next batch has come: the replica takes it. Afterwards `goOn`.
    mutating func take(upTo next: SharedPosition, _ actions: inout [Action]) {
        switch underway {
        case .appending(let batch), .doubtful(let batch):
            underway = .nothing
            if batch.next == next {
                commit(batch, &actions)
            } else {
                actions.append(.discard)
                putBack(batch.requests + batch.resting)
            }
        case .confirming(let requests):
            underway = .nothing
            putBack(requests)
        // What was built is not of use, which shows when it is reported.
        case .nothing, .building: break
        }
        position = next
    }

    /// The replica is somewhere else than one batch further: it was given a whole state, or its disk was full.
    mutating func jump(to position: SharedPosition, _ actions: inout [Action]) {
        if position == self.position { return }
        switch underway {
        case .appending(let batch), .doubtful(let batch):
            underway = .nothing
            actions.append(.discard)
            let unknown = batch.requests.filter { deadlines.removeValue(forKey: $0) != nil }
            if !unknown.isEmpty { actions.append(.refuseUnknown(unknown)) }
            putBack(batch.resting)
        case .confirming(let requests):
            underway = .nothing
            putBack(requests)
        case .nothing, .building: break
        }
        self.position = position
    }

    // MARK: The link to the engine

    /// What the connector says. That it is live may be said again, after a call whose outcome is not known.
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
        goOn(&actions)
    }

    /// There is no connector any more.
    mutating func detach(_ actions: inout [Action]) {
        setLive(false, &actions)
        switch underway {
        case .appending(let batch): underway = .doubtful(batch)
        case .confirming(let requests):
            underway = .nothing
            putBack(requests)
        case .nothing, .building, .doubtful: break
        }
    }

    /// Nothing becomes of what is under way, here.
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
