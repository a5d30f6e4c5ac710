import Diffable
import Testing
import TestSupport

@testable import DiffableStore

/// One host: a store on a disk, and a connector.
///
/// Unchecked, because a world uses one thread.
final class ModelHost: @unchecked Sendable {
    let name: String
    let number: Int
    let list: ListName = "shared"
    let epoch = "e0"
    private let world: World
    private let engine: ModelEngine
    private let checks: SharingChecks
    private let journal: WorldJournal
    private(set) var store: Store
    private(set) var connector: ModelConnector!
    private let ringAll: () -> Void
    /// The newest revision seen in this incarnation of the daemon.
    private var revisionSeen = 0
    private var lives = 0

    init(
        _ number: Int, _ world: World, _ engine: ModelEngine, _ checks: SharingChecks, _ fault: PlantedFault?,
        ringAll: @escaping () -> Void
    ) {
        name = "host\(number)"
        self.number = number
        (self.world, self.engine, self.checks, self.ringAll) = (world, engine, checks, ringAll)
        journal = WorldJournal(world)
        store = ModelHost.store(number, world, journal)
        connector = ModelConnector(world, engine, self, fault)
        begin()
    }

    private static func store(_ number: Int, _ world: World, _ journal: WorldJournal) -> Store {
        Store(
            executor: WorldExecutor(world), journal: journal, recovered: journal.recovered, logger: .silent,
            clock: world.clock, accounts: .model(of: number), onFailure: { _ in })
    }

    private func begin() {
        lives += 1
        let life = lives
        revisionSeen = 0
        store.assumeIsolated { [world] store in
            store.onCommit = { commits in
                for commit in commits where life == self.lives { self.see(commit.state) }
            }
            store.wakeLater = { delay in
                world.after(delay) { if life == self.lives { self.store.assumeIsolated { $0.endSharedWaits() } } }
            }
            // Larger work is done in the background.
            store.background = BackgroundWork(sizeMax: 12) { _, work, then in
                world.after(world.number(0...5)) {
                    work()
                    then()
                }
            } free: { _, _ in
            }
        }
        connector.attach()
    }

    /// Kills the daemon; returns false if none is running.
    func die() -> Bool {
        guard !journal.isCut else { return false }
        journal.isCut = true
        lives += 1
        engine.endedLives.insert(store.assumeIsolated { $0.engine.life })
        connector.detach()
        return true
    }

    /// Kills the daemon and restarts it.
    func restart(after delay: Int) {
        guard die() else { return }
        world.after(delay) { [self] in
            journal.isCut = false
            store = ModelHost.store(number, world, journal)
            begin()
        }
    }

    /// Restarts the connector only.
    func restartConnector(after delay: Int) {
        guard !journal.isCut else { return }
        let life = lives
        connector.detach()
        world.after(delay) { if life == self.lives { self.connector.attach() } }
    }

    var isUp: Bool { !journal.isCut }
    var fullness: Int {
        get { journal.fullness }
        set { journal.fullness = newValue }
    }

    func ring() { ringAll() }

    func noteFit(_ fits: Bool) { checks.expect(fits, "a batch did not fit the replica of \(name)") }

    func outcome(_ body: () throws -> SharingOutcome) -> SharingOutcome {
        do { return try body() } catch {
            checks.expect(false, "the log cannot be read: \(error)")
            return .lost
        }
    }

    /// - Parameter isThorough: whether to compare in any case.
    private func see(_ state: ListState, isThorough: Bool = false) {
        checks.expect(
            state.revision >= revisionSeen, "\(name) went back from \(revisionSeen) to \(state.revision)")
        revisionSeen = state.revision
        guard state.revision < engine.states.count else {
            return checks.expect(false, "\(name) shows \(state.revision), which the log has not")
        }
        guard isThorough || world.chance(20) else { return }
        checks.expect(
            state.snapshot.isSame(as: engine.states[state.revision]),
            "\(name) shows something else at \(state.revision) than the log")
    }

    /// The holder of each leased item.
    var leases: [ItemID: SharedHolder] {
        store.assumeIsolated { store in
            guard let state = store.list(list), let leases = store.leases[state.number] else { return [:] }
            let held = leases.holders.flatMap { holder in leases.items(of: .shared(holder)).map { ($0, holder) } }
            return Dictionary(uniqueKeysWithValues: held)
        }
    }

    /// Checks that the replica equals the log.
    func checkEnd() {
        guard let state = store.assumeIsolated({ $0.list(list) }) else {
            return checks.expect(false, "\(name) has no list")
        }
        checks.expect(
            state.revision == engine.revision, "\(name) ends at \(state.revision), the log at \(engine.revision)")
        see(state, isThorough: true)
        checks.expect(leases == engine.holders, "\(name) does not know who holds what as the log has it")
        let access = store.assumeIsolated { $0.currentAccess(of: list) }
        checks.expect(
            access.record.shared == engine.access,
            "\(name) ends with the access \(access.record.shared.text), the log with \(engine.access.text)")
        for user in ModelUser.allCases {
            guard let peer = user.peer(on: number) else { continue }
            let rights = access.effective.rights(of: peer).subtracting(.ask)
            let allowed = user.rights(engine.access).subtracting(.ask)
            // On a host without the group, no user is a member of it.
            let isKnown =
                user == .root || engine.access.owner == user.rawValue || ModelUser.groupNumber(on: number) != nil
            checks.expect(
                isKnown ? rights == allowed : rights.isSubset(of: allowed.union(user.others(engine.access))),
                "\(user) has \(rights) on \(name), and is to have \(allowed)")
        }
    }
}

extension Snapshot {
    func isSame(as other: Snapshot) -> Bool { difference(from: other).isEmpty }
}

/// Collects violated invariants.
final class SharingChecks {
    private(set) var faults: [String] = []

    func expect(_ holds: Bool, _ fault: @autoclosure () -> String) {
        if !holds, faults.count < 20 { faults.append(fault()) }
    }
}
