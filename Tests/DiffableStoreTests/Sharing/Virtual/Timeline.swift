import HeapModule

/// Planned calls in the order of their times; calls for the same time in the order of planning.
///
/// The simulation in Hosts uses this folder too, through a symbolic link.
struct Timeline {
    private struct Event: Comparable {
        let time: Int
        let number: Int
        let body: () -> Void

        static func < (one: Event, other: Event) -> Bool { (one.time, one.number) < (other.time, other.number) }
        static func == (one: Event, other: Event) -> Bool { one.number == other.number }
    }

    private(set) var now = 0
    private var events = Heap<Event>()
    private var planned = 0

    /// - Parameter time: a time in the past means now.
    mutating func plan(at time: Int, _ body: @escaping () -> Void) {
        planned += 1
        events.insert(Event(time: max(time, now), number: planned, body: body))
    }

    /// Advances to the next call and returns it; nil if it is later than `end`.
    mutating func next(until end: Int) -> (() -> Void)? {
        guard let next = events.min, next.time <= end else { return nil }
        events.removeMin()
        now = next.time
        return next.body
    }

    /// Advances the time when no calls are left before it.
    mutating func pass(to time: Int) { now = max(now, time) }
}
