@testable import DiffableStore

/// A host's disk. Written groups survive a restart of the daemon.
///
/// Unchecked, because a world uses one thread.
final class HostDisk: @unchecked Sendable {
    private let world: World
    private let timer: HostTimer
    private var disk = VirtualDisk()
    /// The fraction of groups that do not fit.
    var fullness = 0.0

    init(_ world: World, _ timer: HostTimer) { (self.world, self.timer) = (world, timer) }

    fileprivate func write(
        _ changes: [ListChange], _ life: DiskLife,
        completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void
    ) {
        timer.after(world.number(100...2_000)) { [self] in
            guard !life.isOver else { return }
            if world.chance(fullness) { return completion(.failure(.noSpace)) }
            for change in changes { disk.keep(change) }
            completion(.success(Array(repeating: nil, count: changes.count)))
        }
    }

    var recovered: RecoveredLists { disk.recovered }
}

/// The journal of one incarnation of a daemon.
///
/// Unchecked, because a world uses one thread.
final class DiskLife: Journal, @unchecked Sendable {
    private let disk: HostDisk
    /// Whether the daemon was killed.
    var isOver = false

    init(_ disk: HostDisk) { self.disk = disk }

    func write(_ changes: [ListChange], completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void) {
        disk.write(changes, self, completion: completion)
    }

    func apply(_ limits: StoreLimits) {}
    var standstill: Duration { .zero }
    func close(completion: @escaping @Sendable (_ failure: String?) -> Void) { completion(nil) }
}
