import Diffable

@testable import DiffableStore

/// A model of etcd: the log of one shared list, with compare-and-swap appends. The checks use its list at each revision.
///
/// Unchecked, because a world uses one thread.
final class ModelEngine: @unchecked Sendable {
    private(set) var log: [[UInt8]] = []
    private(set) var position = SharedPosition.beginning
    /// The list at each revision; the first one is empty.
    private(set) var states = [Snapshot()]
    /// The revisions of rows, by the request that made them.
    private(set) var rows: [String: [Int]] = [:]
    /// All access settings, in order.
    private(set) var accesses = [ModelEngine.firstAccess]
    /// The holder of each leased item, according to the rows.
    private(set) var holders: [ItemID: SharedHolder] = [:]
    /// Holders with ended connections.
    var endedHolders: Set<SharedHolder> = []
    /// Incarnations of killed daemons.
    var endedLives: Set<String> = []
    private let checks: SharingChecks

    static let firstAccess = SharedAccess(owner: "anna", group: ModelUser.group, mode: AccessMode(bits: 0o660))

    init(_ checks: SharingChecks) { self.checks = checks }

    var access: SharedAccess { accesses[accesses.count - 1] }

    var revision: Int { states.count - 1 }

    /// The time at which each host's presence expires.
    private var presences: [String: Int] = [:]

    func note(_ host: String, until time: Int) { presences[host] = time }
    func hosts(at time: Int) -> [String] { presences.filter { $0.value > time }.keys.sorted() }

    /// Appends a batch. `lost`: the head was different. `refused`: a host is present that must not be.
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

    /// Updates the leases for a row of a host.
    private func hold(_ row: SharedRow, _ before: Set<ItemID>, by host: String, at time: Int) {
        let after = Set(states[revision].itemIdentifiers)
        for id in before.subtracting(after) { holders[id] = nil }
        for id in after.subtracting(before) { holders[id] = row.lease }
        guard let ended = row.endedLease else { return }
        checks.expect(isOver(ended, at: time), "\(host) ended what \(ended) holds, which is there")
        checks.expect(!holders.values.contains(ended), "\(host) ended \(ended), and left something of it")
    }

    /// Whether the holder no longer exists.
    func isOver(_ holder: SharedHolder, at time: Int) -> Bool {
        endedHolders.contains(holder) || endedLives.contains(holder.life) || !hosts(at: time).contains(holder.host)
    }
}

extension SharedAccess {
    func changed(by told: SharedAccess) -> SharedAccess {
        SharedAccess(owner: told.owner ?? owner, group: told.group ?? group, mode: told.mode ?? mode)
    }
}

/// Faults that the checks have to detect.
enum PlantedFault: CaseIterable {
    /// Unanswered requests are reported as unsent.
    case unknownIsUnreachable
    /// A replica is confirmed as current without a check.
    case confirmsUnseen
    /// A lost batch is reported as committed.
    case lossIsDone
    /// Presence of excluded hosts is not checked.
    case presenceUnseen
}

/// A model of one host's connector: delayed and sometimes lost calls to etcd, notifications that repeat or go far back, and
/// occasional ends.
///
/// Unchecked, because a world uses one thread.
final class ModelConnector: @unchecked Sendable {
    private let world: World
    private let engine: ModelEngine
    private let host: ModelHost
    private let fault: PlantedFault?
    /// The number of the current connection to the daemon.
    private var life = 0
    private var isAttached = false
    /// Whether messages to and from etcd are lost.
    var isCutOff = false { didSet { if oldValue != isCutOff { look() } } }
    /// The part of lost messages, in percent.
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
    /// Milliseconds for which a silent host counts as present.
    private static let presence = 3_000

    /// The last reported position of the replica.
    private var known = SharedPosition.beginning
    private var isLive = false

    /// Reads the log after a notification or a long silence.
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
            // A linearizable read of the log.
            let (end, from) = (self.engine.log.count, self.known.batch)
            self.engine.note(self.host.name, until: self.world.now + Self.presence)
            let hosts = self.engine.hosts(at: self.world.now)
            self.later {
                guard life == self.life else { return }
                // The daemon's information on hosts is usually old.
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
        // The connector reports that it is live again after a read.
        if outcome == .unknown || outcome == .unreachable || outcome == .lost { look() }
    }

    private func carryOut(_ call: EtcdCall, _ life: Int) {
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
        // A lost request may arrive late.
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
