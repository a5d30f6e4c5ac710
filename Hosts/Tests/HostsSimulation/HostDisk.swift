@testable import DiffableStore

/// A host's disk. What was written is there when the daemon comes back.
///
/// Unchecked, because it is in a world.
final class HostDisk: @unchecked Sendable {
    private let world: World
    private let timer: HostTimer
    private var disk = VirtualDisk()
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
            for change in changes { disk.keep(change) }
            completion(.success(Array(repeating: nil, count: changes.count)))
        }
    }

    var recovered: RecoveredLists { disk.recovered }
}

/// The journal of one life of a daemon.
///
/// Unchecked, because it is in a world.
final class DiskLife: Journal, @unchecked Sendable {
    private let disk: HostDisk
    /// The daemon was killed.
    var isOver = false

    init(_ disk: HostDisk) { self.disk = disk }

    func write(_ changes: [ListChange], completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void) {
        disk.write(changes, self, completion: completion)
    }

    func take(_ limits: StoreLimits) {}
    var standstill: Duration { .zero }
    func close(completion: @escaping @Sendable (_ failure: String?) -> Void) { completion(nil) }
}
