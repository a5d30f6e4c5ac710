import TestSupport

@testable import DiffableStore

/// A time of its own, in which everything happens one after the other: in the order of the times for which it was planned.
///
/// Unchecked, because one thread runs it, with all that is in it.
final class World: @unchecked Sendable {
    private var timeline = Timeline()
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// In milliseconds.
    var now: Int { timeline.now }

    func after(_ delay: Int, _ body: @escaping () -> Void) { timeline.plan(at: now + delay, body) }

    /// Until nothing is planned any more, or until that time.
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

/// A host's disk. What was written is there when the host comes back.
///
/// Unchecked, because it is in a world.
final class WorldJournal: Journal, @unchecked Sendable {
    private let world: World
    private var disk = VirtualDisk()
    /// Nothing is written any more: the host is down.
    var isCut = false
    /// In percent of all groups.
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

    func take(_ limits: StoreLimits) {}
    var standstill: Duration { .zero }
    func close(completion: @escaping @Sendable (_ failure: String?) -> Void) { completion(nil) }
}
