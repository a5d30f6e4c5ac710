import HeapModule

/// What is planned, in the order of the times for which it was planned; at one time, in the order of planning.
///
/// This folder is that of the simulation in Hosts, too, which has a symbolic link to it.
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

    /// - Parameter time: one that has passed is now.
    mutating func plan(at time: Int, _ body: @escaping () -> Void) {
        planned += 1
        events.insert(Event(time: max(time, now), number: planned, body: body))
    }

    /// Goes on to what is next, if that is planned for this time at the latest.
    mutating func next(until end: Int) -> (() -> Void)? {
        guard let next = events.min, next.time <= end else { return nil }
        events.removeMin()
        now = next.time
        return next.body
    }

    /// Nothing is left to do until that time.
    mutating func pass(to time: Int) { now = max(now, time) }
}
