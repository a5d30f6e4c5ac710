import SharedLog

/// Three members of etcd, the hosts' network paths to them, and their failures: a model of etcd's behaviour.
///
/// - A change is proposed to the leader, written to disks, and applied in one order. The answer may be lost, and so may a
///   proposal if the leader is lost; the client cannot know which.
/// - A read is executed when the leader has confirmed that it still leads.
/// - Each member notifies its watchers with a delay; an isolated member sends nothing.
final class Etcd {
    /// The result of a call. A failure of the member makes a client try the next one.
    typealias Answer = Result<Value, Failure>

    enum Value: Sendable {
        case transaction(TransactionResult)
        case lease(Int64)
        case isAlive(Bool)
        case greeting
    }

    struct Failure: Error {
        var error: EngineError
        var isOfMember: Bool
    }

    enum Request {
        case transaction(Transaction)
        case grant(Duration)
        case keepAlive(Int64)
        case revoke(Int64)
        /// An empty read, which only a member with a leader answers.
        case greeting
    }

    final class Member {
        var isUp = true
        /// Whether the member is cut off from the other members, but not from hosts.
        var isIsolated = false
        var watches: [Int: Watch] = [:]
        /// The number of messages sent to its watchers.
        var told = 0
        var isTelling = false
        /// The time until which it is busy with earlier requests.
        var busy = 0
        /// The time since which it has no leader; nil if it has one.
        var orphaned: Int?
    }

    /// Durations in microseconds. Assumptions for a member on a core of the 2020s; `docs/shared-lists-internals.md` has
    /// measurements of a real one.
    struct Costs {
        /// The delay in a local network.
        var way = 150...600
        var sync = 600...1_400
        /// A member's CPU time for each request, and for each message to a watcher.
        var request = 40
        var message = 8
        var election = 1_000_000...2_000_000
    }

    let world: World
    var costs = Costs()
    let members = (0..<3).map { _ in Member() }
    private(set) var state = EtcdState()
    private(set) var leader: Int? = 0
    private var term = 1
    /// The time when the last proposal is on disk.
    private var written = 0
    /// The messages to watchers, for all members.
    private var history: [[EngineEvent]] = []
    private var watchesMade = 0
    var isFull = false
    let faults: PlantedFault?
    /// Called with the events of each change, after it.
    var onChange: ([EngineEvent]) -> Void = { _ in }
    var figures = Figures()

    /// Counters since the last reset.
    struct Figures {
        var reads = 0
        var changes = 0
        var keepAlives = 0
        var messages = 0
        var bytesToWatchers = 0
        var bytesChanged = 0
    }

    init(_ world: World, _ faults: PlantedFault?) {
        (self.world, self.faults) = (world, faults)
        expireLeases()
    }

    /// Sets the state before all hosts.
    func begin(_ operations: [EngineOperation]) -> [EngineEvent] {
        state.carryOut(operations, succeeded: true).events
    }

    // MARK: Requests

    /// - Parameter answer: called with the answer, if it arrives.
    func send(_ request: Request, from host: NetworkPlace, to member: Int, _ answer: @escaping (Answer) -> Void) {
        guard host.isOpen(.toEtcd, member) else { return }
        var delay = world.number(costs.way)
        if world.chance(host.lateness) { delay += world.number(500_000...8_000_000) }
        world.after(delay) { [self] in
            arrive(request, at: member) { result in
                let isLost = self.world.chance(host.loss)
                self.world.after(self.world.number(self.costs.way)) {
                    guard host.isOpen(.fromEtcd, member) else { return }
                    answer(isLost ? .failure(.connectionLost) : result)
                }
            }
        }
    }

    private func arrive(_ request: Request, at number: Int, _ answer: @escaping (Answer) -> Void) {
        let member = members[number]
        guard member.isUp else {
            return answer(.failure(Failure(error: .unknown("connection refused"), isOfMember: true)))
        }
        guard let leader, isConnected(number), isConnected(leader) else {
            // Some get an error, others wait for a leader until their timeout.
            if world.chance(0.5) {
                world.after(world.number(1_000...100_000)) {
                    answer(.failure(Failure(error: .unknown("etcdserver: no leader"), isOfMember: true)))
                }
            }
            return
        }
        let way = number == leader ? 0 : world.number(costs.way)
        let work = members[leader]
        work.busy = max(work.busy, world.now + way) + costs.request
        world.at(work.busy) { [self] in
            lead(request) { result in self.world.after(way) { if member.isUp { answer(result) } } }
        }
    }

    private func isConnected(_ member: Int) -> Bool { members[member].isUp && !members[member].isIsolated }

    private func lead(_ request: Request, _ answer: @escaping (Answer) -> Void) {
        let asked = term
        switch request {
        case .greeting: world.after(world.number(costs.way)) { if self.isLed(asked) { answer(.success(.greeting)) } }
        case .keepAlive(let lease):
            figures.keepAlives += 1
            answer(.success(.isAlive(faults != .leaseForgotten && state.keepAlive(lease, at: world.now))))
        case .transaction(let transaction) where transaction.isRead:
            figures.reads += 1
            // The other members confirm that it still leads.
            world.after(world.number(costs.way)) { [self] in
                guard isLed(asked) else { return answer(.failure(.leaderLost)) }
                answer(.success(.transaction(carryOut(transaction))))
            }
        case .transaction(let transaction) where isFull && transaction.needsRoom:
            answer(.failure(Failure(error: .full, isOfMember: false)))
        case .transaction, .grant, .revoke:
            figures.changes += 1
            written = max(written, world.now) + world.number(costs.sync) / (written > world.now ? 4 : 1)
            world.at(written + world.number(costs.way)) { [self] in
                if isLed(asked) { return answer(.success(propose(request))) }
                // Another member already had it, or it is lost.
                if world.chance(0.5) { _ = propose(request) }
                answer(.failure(.leaderLost))
            }
        }
    }

    private func isLed(_ asked: Int) -> Bool { leader != nil && term == asked }

    private func propose(_ request: Request) -> Value {
        switch request {
        case .transaction(let transaction): return .transaction(carryOut(transaction))
        case .grant(let time): return .lease(state.grant(time.microseconds, at: world.now))
        case .revoke(let lease): tell(state.revoke(lease))
        case .keepAlive, .greeting: break
        }
        return .greeting
    }

    private func carryOut(_ transaction: Transaction) -> TransactionResult {
        var comparisons = transaction.comparisons
        if faults == .hostDenied { comparisons.removeAll { $0.key.contains("/hosts/") } }
        let succeeded = faults == .swapWithoutCompare || state.holds(comparisons)
        var operations = succeeded ? transaction.operations : transaction.otherwise
        if faults == .noTickets { operations.removeAll { $0.isTicket } }
        let (result, events) = state.carryOut(operations, succeeded: succeeded)
        tell(events)
        return result
    }

    // MARK: Watches

    private func tell(_ events: [EngineEvent]) {
        guard !events.isEmpty else { return }
        onChange(events)
        figures.bytesChanged += events.reduce(0) { $0 + $1.length }
        history.append(events)
        for number in members.indices { goOnTelling(number) }
    }

    private func goOnTelling(_ number: Int) {
        let member = members[number]
        guard !member.isTelling, isConnected(number), leader != nil, member.told < history.count else { return }
        member.isTelling = true
        world.after(number == leader ? 0 : world.number(costs.way)) { [self] in
            member.isTelling = false
            guard isConnected(number) else { return }
            // Waiting messages are sent together, as in etcd.
            let some = history[member.told..<min(member.told + 64, history.count)]
            member.told += some.count
            for (_, watch) in member.watches.sorted(by: { $0.key < $1.key }) {
                let events = some.joined().filter { $0.key.hasPrefix(watch.prefix) }
                if !events.isEmpty { tell(Array(events), to: watch, by: member) }
            }
            goOnTelling(number)
        }
    }

    private func tell(_ events: [EngineEvent], to watch: Watch, by member: Member) {
        member.busy = max(member.busy, world.now) + costs.message
        var times = 1
        var said = events
        if world.chance(watch.place.watchFaults) {
            switch world.number(0...2) {
            case 0: times = 0
            case 1: times = 2
            // An earlier message is repeated.
            default:
                let past = history.suffix(world.number(1...20)).prefix(10).joined()
                said += past.filter { $0.key.hasPrefix(watch.prefix) }
            }
        }
        for _ in 0..<times {
            figures.messages += 1
            figures.bytesToWatchers += said.reduce(0) { $0 + $1.length }
            watch.send(said, at: member.busy + world.number(costs.way), world)
        }
    }

    /// Watches changes from now on, until the watch ends.
    func watch(
        _ prefix: String, at number: Int, for place: NetworkPlace, _ hear: @escaping (WatchMessage) -> Void
    ) -> Watch {
        watchesMade += 1
        let watch = Watch(number: watchesMade, member: number, prefix: prefix, place: place, hear)
        world.after(world.number(costs.way)) { [self] in
            guard members[number].isUp, !watch.isOver else { return watch.end() }
            members[number].watches[watch.number] = watch
            watch.hear(.began)
        }
        return watch
    }

    func end(_ watch: Watch) {
        watch.isOver = true
        members[watch.member].watches[watch.number] = nil
    }

    func endWatches(of number: Int, where isEnded: (Watch) -> Bool = { _ in true }) {
        for (_, watch) in members[number].watches.sorted(by: { $0.key < $1.key }) where isEnded(watch) {
            members[number].watches[watch.number] = nil
            watch.end()
        }
    }

    // MARK: Failures

    /// Removes the leader; another one is elected if most members are present.
    private func loseLeader() {
        leader = nil
        term += 1
        world.after(world.number(costs.election)) { self.elect() }
    }

    private func elect() {
        guard leader == nil else { return }
        let able = members.indices.filter(isConnected)
        guard able.count * 2 > members.count else { return world.after(world.number(costs.election)) { self.elect() } }
        leader = able[world.number(0...able.count - 1)]
        term += 1
        written = max(written, world.now)
        state.renewLeases(at: world.now)
        for number in members.indices { goOnTelling(number) }
    }

    func kill(_ number: Int) {
        members[number].isUp = false
        endWatches(of: number)
        if leader == number { loseLeader() }
    }

    func start(_ number: Int) {
        members[number].isUp = true
        goOnTelling(number)
    }

    func setIsolated(_ number: Int, _ isIsolated: Bool) {
        members[number].isIsolated = isIsolated
        if isIsolated, leader == number { loseLeader() }
        if !isIsolated { goOnTelling(number) }
    }

    /// Discards the history. Watches that are behind end.
    func compact() {
        for number in members.indices { endWatches(of: number) { _ in self.world.chance(0.1) } }
    }

    /// Runs periodic work: leases expire, and watches at members without a leader end.
    private func expireLeases() {
        world.after(500_000) { [self] in
            if leader != nil { for lease in state.endedLeases(at: world.now) { tell(state.revoke(lease)) } }
            for (number, member) in members.enumerated() {
                if leader != nil, isConnected(number) { member.orphaned = nil; continue }
                let since = member.orphaned ?? world.now
                member.orphaned = since
                if world.now - since > 3_000_000 { endWatches(of: number) }
            }
            expireLeases()
        }
    }
}

extension Etcd.Failure {
    fileprivate static let connectionLost = Etcd.Failure(
        error: .unknown("the connection was reset"), isOfMember: true)
    fileprivate static let leaderLost = Etcd.Failure(error: .unknown("etcdserver: leader changed"), isOfMember: true)
}

extension Transaction {
    var isRead: Bool { (operations + otherwise).allSatisfy { if case .get = $0 { true } else { false } } }
    fileprivate var needsRoom: Bool {
        (operations + otherwise).contains { if case .put = $0 { true } else { false } }
    }
}

extension EngineOperation {
    fileprivate var isTicket: Bool {
        if case .put(let key, _, _) = self { key.contains("/turns/") } else { false }
    }
}

extension Duration {
    var microseconds: Int { Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000) }
}
