import Dispatch

/// Calls back once when a time is over, unless it is cancelled before that.
///
/// A task that sleeps and is cancelled leaves its timer behind, which wakes the process when the time comes: of a minute's
/// patience with each of many requests, each would be heard of a minute later. Of this nothing is left.
struct Deadline {
    private let timer: any DispatchSourceTimer

    init(after time: Duration, _ body: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "deadline"))
        let (seconds, attoseconds) = time.components
        timer.schedule(deadline: .now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000)))
        timer.setEventHandler(handler: body)
        timer.activate()
    }

    func cancel() { timer.cancel() }
}
