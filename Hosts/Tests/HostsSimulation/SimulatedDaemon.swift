import Diffable
import DiffableJSON
import Logging
import SharedLog
import TestSupport

@testable import DiffableStore

/// A host's daemon: its store, on a disk that outlives it.
///
/// Unchecked, because a world uses one thread.
final class SimulatedDaemon: @unchecked Sendable {
    static let list: ListName = "shared"

    let host: Int
    let world: World
    let timer: HostTimer
    let disk: HostDisk
    private(set) var store: Store
    private var life: DiskLife
    private var link: DaemonConnection?
    /// The waiting callers by the number of their request; they are called when the daemon ends.
    var callers: [Int: () -> Void] = [:]
    /// The number of times that its timer expired.
    private(set) var wakings = 0

    init(_ host: Int, _ world: World, _ timer: HostTimer) {
        (self.host, self.world, self.timer) = (host, world, timer)
        disk = HostDisk(world, timer)
        life = DiskLife(disk)
        store = Self.store(life, disk, world)
        begin()
    }

    private static func store(_ life: DiskLife, _ disk: HostDisk, _ world: World) -> Store {
        let clock = StoreClock(
            timeOfDay: { Timestamp(milliseconds: 1_763_763_525_000 + world.now / 1_000) },
            uptime: { world.now / 1_000 })
        return Store(
            executor: WorldExecutor(world), journal: life, recovered: disk.recovered,
            logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }, clock: clock,
            onFailure: { _ in })
    }

    private func begin() {
        let life = life
        store.assumeIsolated { [world] store in
            store.engine.newBatchNumber = { world.random.next() }
            store.engine.life = String(world.random.next(), radix: 36)
            store.wakeLater = { delay in
                self.timer.after(delay * 1_000) {
                    if life.isOver { return }
                    self.wakings += 1
                    self.store.assumeIsolated { $0.endSharedWaits() }
                }
            }
        }
    }

    var isUp: Bool { !life.isOver }

    /// Its state of the list.
    var state: ListState? { store.assumeIsolated { $0.list(Self.list) } }

    var isLive: Bool {
        isUp && store.assumeIsolated { $0.sharedLiveness(of: Self.list) } == .live
    }

    func isAt(_ revision: Int, of epoch: String) -> Bool {
        guard let state else { return false }
        return state.epoch == epoch && state.revision == revision
    }

    /// Whether any items of the list are leased.
    var hasLeases: Bool { store.assumeIsolated { !$0.leases.isEmpty } }

    func has(_ item: String) -> Bool { state?.snapshot.contains(ItemID(stringLiteral: item)) ?? false }

    // MARK: The connector

    /// Connects a connector, and replaces any other connection.
    func connect(_ connection: DaemonConnection) {
        link?.close()
        link = connection
    }

    func disconnect(_ connection: DaemonConnection) {
        guard link === connection else { return }
        link = nil
        if isUp { store.assumeIsolated { $0.detach() } }
    }

    // MARK: Killed

    func kill() {
        guard isUp else { return }
        life.isOver = true
        link?.close()
        link = nil
        let lost = callers.sorted { $0.key < $1.key }
        callers = [:]
        for (_, hear) in lost { hear() }
    }

    func start() {
        guard !isUp else { return }
        life = DiskLife(disk)
        store = Self.store(life, disk, world)
        begin()
    }
}
