import HeapModule
import TestSupport

@testable import DiffableStore

/// A time of its own, in which everything happens one after the other: in the order of the times for which it was planned.
///
/// Unchecked, because one thread runs it, with all that is in it.
final class World: @unchecked Sendable {
    private struct Event: Comparable {
        let time: Int
        let number: Int
        let body: () -> Void

        static func < (one: Event, other: Event) -> Bool { (one.time, one.number) < (other.time, other.number) }
        static func == (one: Event, other: Event) -> Bool { one.number == other.number }
    }

    /// In milliseconds.
    private(set) var now = 0
    var random: SplitMix64
    private var events = Heap<Event>()
    private var eventsPlanned = 0

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    func after(_ delay: Int, _ body: @escaping () -> Void) {
        eventsPlanned += 1
        events.insert(Event(time: now + delay, number: eventsPlanned, body: body))
    }

    /// Until nothing is planned any more, or until that time.
    func run(until end: Int) {
        while let next = events.min, next.time <= end {
            events.removeMin()
            now = next.time
            next.body()
        }
        now = max(now, end)
    }

    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    var clock: StoreClock {
        StoreClock(
            timeOfDay: { Timestamp(milliseconds: 1_763_763_525_000 + self.now) }, uptime: { self.now })
    }
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

/// A host's disk. What was written is there when the host comes back.
///
/// Unchecked, because it is in a world.
final class WorldJournal: Journal, @unchecked Sendable {
    private let world: World
    private var states: [Int: ListState] = [:]
    private var access: [Int: AccessRecord] = [:]
    private var windows: [Int: RequestWindow] = [:]
    private var leases: [Int: Leases] = [:]
    private var numberMax = 0
    /// Nothing is written any more: the host is down.
    var isCut = false
    /// In percent of all groups.
    var fullness = 0

    init(_ world: World) { self.world = world }

    func write(_ changes: [ListChange], completion: @escaping @Sendable (Result<[[UInt8]?], JournalError>) -> Void) {
        world.after(world.number(0...4)) { [self] in
            guard !isCut else { return }
            if world.chance(fullness) { return completion(.failure(.noSpace)) }
            for change in changes { keep(change) }
            completion(.success(Array(repeating: nil, count: changes.count)))
        }
    }

    private func keep(_ change: ListChange) {
        let number = change.state.number
        numberMax = max(numberMax, number)
        switch change.event {
        case .created, .stepped, .unchanged, .undeleted: states[number] = change.state
        case .advanced(let former, _):
            states[former.number] = nil
            windows[former.number] = nil
            leases[former.number] = nil
            access[number] = access.removeValue(forKey: former.number)
            states[number] = change.state
        case .deleted, .purged: (states[number], leases[number]) = (nil, nil)
        }
        if let leaseChange = change.leases, states[number] != nil {
            leases[number, default: Leases(of: change.state.name)].make(leaseChange)
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
        recovered.leases = leases.filter { !$0.value.isEmpty }
        recovered.nextListNumber = numberMax + 1
        return recovered
    }

    func take(_ limits: StoreLimits) {}
    var standstill: Duration { .zero }
    func close(completion: @escaping @Sendable (_ failure: String?) -> Void) { completion(nil) }
}
