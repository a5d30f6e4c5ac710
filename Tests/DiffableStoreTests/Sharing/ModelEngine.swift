import Diffable

@testable import DiffableStore

/// A model of the engine: the log of one shared list, in which an append is one compare-and-swap. It knows at any time what
/// the list is like at each revision, which is what the checks go by.
///
/// Unchecked, because it is in a world.
final class ModelEngine: @unchecked Sendable {
    private(set) var log: [[UInt8]] = []
    private(set) var position = SharedPosition.beginning
    /// The list at each revision; the first one is empty.
    private(set) var states = [Snapshot()]
    /// By what made them: the revisions of rows.
    private(set) var rows: [String: [Int]] = [:]
    /// One after the other, as it was set.
    private(set) var accesses = [ModelEngine.firstAccess]
    /// Who holds which items, by what the rows say.
    private(set) var holders: [ItemID: SharedHolder] = [:]
    /// Whose connections have ended.
    var endedHolders: Set<SharedHolder> = []
    /// Of daemons that were killed.
    var endedLives: Set<String> = []
    private let checks: SharingChecks

    static let firstAccess = SharedAccess(owner: "anna", group: ModelUser.group, mode: AccessMode(bits: 0o660))

    init(_ checks: SharingChecks) { self.checks = checks }

    var access: SharedAccess { accesses[accesses.count - 1] }

    var revision: Int { states.count - 1 }

    /// Until when each host is there.
    private var presences: [String: Int] = [:]

    func note(_ host: String, until time: Int) { presences[host] = time }
    func hosts(at time: Int) -> [String] { presences.filter { $0.value > time }.keys.sorted() }

    /// `lost`: head was not that. `refused`: a host is there that must not be.
    func append(
        _ text: [UInt8], after: SharedPosition, absent: [String], by host: String, at time: Int
    ) throws -> SharingOutcome {
        guard after == position else { return .lost }
        let present = hosts(at: time)
        if absent.contains(where: present.contains) { return .refused }
        for row in try SharedBatch(text).rows {
            let before = Set(states[revision].itemIdentifiers)
            if !row.operations.isEmpty { states.append(try states[revision].applying(row.operations, limits: .none)) }
            hold(row, before, by: host, at: time)
            let maker = row.origin?.name?.split(separator: "@").first.map(String.init) ?? ""
            rows[maker, default: []].append(revision)
            if let user = ModelClient.user(of: maker) {
                checks.expect(user.rights(access).contains(.write), "\(user) made \(maker) without the right to")
            }
            if let told = row.access { accesses.append(access.changed(by: told)) }
        }
        position = position.following(text)
        log.append(text)
        return .done
    }

    /// What a row that a host wrote does to the leases.
    private func hold(_ row: SharedRow, _ before: Set<ItemID>, by host: String, at time: Int) {
        let after = Set(states[revision].itemIdentifiers)
        for id in before.subtracting(after) { holders[id] = nil }
        for id in after.subtracting(before) { holders[id] = row.lease }
        guard let ended = row.endedLease else { return }
        checks.expect(isOver(ended, at: time), "\(host) ended what \(ended) holds, which is there")
        checks.expect(!holders.values.contains(ended), "\(host) ended \(ended), and left something of it")
    }

    /// Whether nobody holds it any more.
    func isOver(_ holder: SharedHolder, at time: Int) -> Bool {
        endedHolders.contains(holder) || endedLives.contains(holder.life) || !hosts(at: time).contains(holder.host)
    }
}

extension SharedAccess {
    func changed(by told: SharedAccess) -> SharedAccess {
        SharedAccess(owner: told.owner ?? owner, group: told.group ?? group, mode: told.mode ?? mode)
    }
}

/// What the checks are to find.
enum PlantedFault: CaseIterable {
    /// What was sent and has not been answered is said not to have been sent.
    case unknownIsUnreachable
    /// Nobody looks whether the replica is the newest state.
    case confirmsUnseen
    /// A batch is said to be in the log that lost.
    case lossIsDone
    /// Nobody looks whether the hosts are there that must not be.
    case presenceUnseen
}

/// A model of the connector of one host: calls to the engine, each way with a delay, and lost sometimes; what is in the log
/// is told when it rings, sometimes twice, sometimes from far back; and all ends now and then.
///
/// Unchecked, because it is in a world.
final class ModelConnector: @unchecked Sendable {
    private let world: World
    private let engine: ModelEngine
    private let host: ModelHost
    private let fault: PlantedFault?
    /// Distinguishes the lives of its connection to the daemon.
    private var life = 0
    private var isAttached = false
    /// Whether messages to the engine and from it get lost.
    var isCutOff = false { didSet { if oldValue != isCutOff { look() } } }
    /// In percent.
    var loss = 0

    init(_ world: World, _ engine: ModelEngine, _ host: ModelHost, _ fault: PlantedFault?) {
        (self.world, self.engine, self.host, self.fault) = (world, engine, host, fault)
    }

    func attach() {
        life += 1
        isAttached = true
        let life = life
        let states = host.store.assumeIsolated { store in
            store.attach(host: host.name) { call in
                self.world.after(self.world.number(0...1)) { self.carryOut(call, life) }
            }
        }
        isLive = false
        known = states.first?.position ?? .beginning
        look()
    }

    func detach() {
        life += 1
        isAttached = false
        isLive = false
        host.store.assumeIsolated { $0.detach() }
    }

    private var looksSinceHosts = 0
    /// So long a host is there that is not heard, in milliseconds.
    private static let presence = 3_000

    /// Where the replica was when it said so last.
    private var known = SharedPosition.beginning
    private var isLive = false

    /// The doorbell has rung, or it has been silent for long.
    func look() {
        guard isAttached else { return }
        if isCutOff {
            if isLive { tell(from: nil, isLive: false) }
            isLive = false
            return
        }
        let life = life
        later {
            guard life == self.life, !self.isCutOff else { return }
            // A linearizable look at the log.
            let (end, from) = (self.engine.log.count, self.known.batch)
            self.engine.note(self.host.name, until: self.world.now + Self.presence)
            let hosts = self.engine.hosts(at: self.world.now)
            self.later {
                guard life == self.life else { return }
                // What the daemon knows of hosts is old as a rule.
                self.looksSinceHosts += 1
                if self.world.chance(20) || self.looksSinceHosts > 10 {
                    self.looksSinceHosts = 0
                    self.host.store.assumeIsolated { $0.setHosts(hosts) }
                }
                let start = self.world.chance(20) ? self.world.number(0...from) : from
                self.tell(from: start, to: end, isLive: true)
                self.isLive = true
                if self.world.chance(10) { self.tell(from: start, to: end, isLive: nil) }
            }
        }
    }

    private func later(_ body: @escaping () -> Void) { world.after(world.number(1...12), body) }

    private func tell(from start: Int?, to end: Int = 0, isLive: Bool?) {
        var told = Replication(list: host.list, epoch: host.epoch)
        if let start, start < end { told.batches = Array(engine.log[start..<end]) }
        told.isLive = isLive
        told.beginning = SharedBeginning(access: ModelEngine.firstAccess)
        let life = life
        host.store.assumeIsolated { store in
            store.replicate(told) { result in
                guard life == self.life, case .success(let report) = result else { return }
                self.host.noteFit(report.fits)
                self.known = report.state.position
            }
        }
    }

    private func settle(_ call: Int, _ outcome: SharingOutcome, _ life: Int) {
        guard life == self.life else { return }
        host.store.assumeIsolated { $0.settle(call, outcome) }
        // It says again that it is live when it has looked.
        if outcome == .unknown || outcome == .unreachable || outcome == .lost { look() }
    }

    private func carryOut(_ call: EngineCall, _ life: Int) {
        guard life == self.life else { return }
        switch call {
        case .append(let call, let state, _, _, let text, let absent):
            append(call, text, after: state.position, absent: fault == .presenceUnseen ? [] : absent, life)
        case .confirm(let call, let state): confirm(call, state.position, life)
        case .behind(let state):
            known = state.position
            look()
        case .share(let call, _, _, _), .remove(let call, _, _, _): settle(call, .done, life)
        }
    }

    private func append(_ call: Int, _ text: [UInt8], after: SharedPosition, absent: [String], _ life: Int) {
        if isCutOff { return settle(call, .unreachable, life) }
        let unknown: SharingOutcome = fault == .unknownIsUnreachable ? .unreachable : .unknown
        // What is lost on the way there may come late.
        let isLate = world.chance(loss)
        world.after(isLate ? world.number(50...4_000) : world.number(1...6)) {
            let outcome = self.host.outcome {
                try self.engine.append(text, after: after, absent: absent, by: self.host.name, at: self.world.now)
            }
            if outcome == .done { self.host.ring() }
            if self.isCutOff || self.world.chance(self.loss) { return }
            self.world.after(self.world.number(1...6)) {
                guard life == self.life, self.unanswered.remove(call) != nil else { return }
                if outcome == .lost, self.fault != .lossIsDone {
                    let end = self.engine.log.count
                    self.tell(from: min(self.known.batch, end), to: end, isLive: nil)
                }
                self.settle(call, outcome == .lost && self.fault == .lossIsDone ? .done : outcome, life)
            }
        }
        unanswered.insert(call)
        world.after(500) { if self.unanswered.remove(call) != nil { self.settle(call, unknown, life) } }
    }

    private var unanswered: Set<Int> = []

    private func confirm(_ call: Int, _ position: SharedPosition, _ life: Int) {
        if fault == .confirmsUnseen { return settle(call, .done, life) }
        if isCutOff || world.chance(loss) { return world.after(100) { self.settle(call, .unreachable, life) } }
        later {
            let head = self.engine.position
            let end = self.engine.log.count
            self.later {
                guard life == self.life else { return }
                if head != position { self.tell(from: min(self.known.batch, end), to: end, isLive: nil) }
                self.settle(call, head == position ? .done : .lost, life)
            }
        }
    }
}
