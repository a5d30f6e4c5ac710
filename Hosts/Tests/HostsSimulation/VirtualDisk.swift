import DiffableJSON

@testable import DiffableStore

/// A host's disk. What was written is there when the daemon comes back.
///
/// Unchecked, because it is in a world.
final class VirtualDisk: @unchecked Sendable {
    private let world: World
    private let timer: HostTimer
    private var states: [Int: ListState] = [:]
    private var access: [Int: AccessRecord] = [:]
    private var windows: [Int: RequestWindow] = [:]
    private var leases: [Int: Leases] = [:]
    private var numberMax = 0
    /// The part of groups for which there is no room.
    var fullness = 0.0

    init(_ world: World, _ timer: HostTimer) { (self.world, self.timer) = (world, timer) }

    fileprivate func write(
        _ changes: [ListChange], _ life: DiskLife,
        completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void
    ) {
        timer.after(world.number(100...2_000)) { [self] in
            guard !life.isOver else { return }
            if world.chance(fullness) { return completion(.failure(.noSpace)) }
            for change in changes { keep(change) }
            completion(.success(Array(repeating: nil, count: changes.count)))
        }
    }

    private func keep(_ change: ListChange) {
        let (number, name) = (change.state.number, change.state.name)
        numberMax = max(numberMax, number)
        switch change.event {
        case .created, .stepped, .unchanged, .undeleted: states[number] = change.state
        case .advanced(let former, _):
            states[former.number] = nil
            leases[former.number] = nil
            windows[number] = nil
            windows[former.number] = nil
            access[number] = access.removeValue(forKey: former.number)
            states[number] = change.state
        case .deleted, .purged:
            states[number] = nil
            leases[number] = nil
        }
        if let change = change.leases, states[number] != nil {
            leases[number, default: Leases(of: name)].make(change)
            if leases[number]?.isEmpty == true { leases[number] = nil }
        }
        if let record = change.access { access[number] = record }
        if let result = change.result {
            windows[number, default: RequestWindow()].append(result)
            windows[number]?.settle(RequestLimits())
        }
    }

    var recovered: RecoveredLists {
        var recovered = RecoveredLists()
        recovered.states = states.values.sorted { $0.number < $1.number }
        recovered.access = access
        recovered.requestWindows = windows
        recovered.leases = leases
        recovered.nextListNumber = numberMax + 1
        return recovered
    }
}

/// The journal of one life of a daemon.
///
/// Unchecked, because it is in a world.
final class DiskLife: Journal, @unchecked Sendable {
    private let disk: VirtualDisk
    /// The daemon was killed.
    var isOver = false

    init(_ disk: VirtualDisk) { self.disk = disk }

    func write(_ changes: [ListChange], completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void) {
        disk.write(changes, self, completion: completion)
    }

    func take(_ limits: StoreLimits) {}
    var standstill: Duration { .zero }
    func close(completion: @escaping @Sendable (_ failure: String?) -> Void) { completion(nil) }
}

/// A store's queue in a world.
final class WorldExecutor: StoreExecutor {
    private let world: World

    init(_ world: World) { self.world = world }

    func execute(_ work: @escaping @Sendable () -> Void) { world.after(0, work) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        world.after(0) { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// There is one thread.
    func checkIsolated() {}

    func isIsolatingCurrentContext() -> Bool? { true }
}
