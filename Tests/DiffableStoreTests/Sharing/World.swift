import TestSupport

@testable import DiffableStore

/// Virtual time: runs planned calls in order.
///
/// Unchecked, because one thread runs it and everything in it.
final class World: @unchecked Sendable {
    private var timeline = Timeline()
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// The time in milliseconds.
    var now: Int { timeline.now }

    func after(_ delay: Int, _ body: @escaping () -> Void) { timeline.plan(at: now + delay, body) }

    /// Runs until nothing is planned before that time.
    func run(until end: Int) {
        while let body = timeline.next(until: end) { body() }
        timeline.pass(to: end)
    }

    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    var clock: StoreClock {
        StoreClock(
            timeOfDay: { Timestamp(milliseconds: 1_763_763_525_000 + self.now) }, uptime: { self.now })
    }
}

/// A host's disk. Written groups survive a restart.
///
/// Unchecked, because a world uses one thread.
final class WorldJournal: Journal, @unchecked Sendable {
    private let world: World
    private var disk = VirtualDisk()
    /// Whether the host is down, so that nothing is written.
    var isCut = false
    /// The part of failing groups, in percent.
    var fullness = 0

    init(_ world: World) { self.world = world }

    func write(_ changes: [ListChange], completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void) {
        world.after(world.number(0...4)) { [self] in
            guard !isCut else { return }
            if world.chance(fullness) { return completion(.failure(.noSpace)) }
            for change in changes { disk.keep(change) }
            completion(.success(Array(repeating: nil, count: changes.count)))
        }
    }

    var recovered: RecoveredLists { disk.recovered }

    func apply(_ limits: StoreLimits) {}
    var standstill: Duration { .zero }
    func close(completion: @escaping @Sendable (_ failure: String?) -> Void) { completion(nil) }
}
