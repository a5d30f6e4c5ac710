import Dispatch

/// Calls back once after a time, unless it is cancelled before. A cancelled `Task.sleep` leaves its timer, which still wakes the
/// process at the end. With many requests and a timeout of a minute, that is one wakeup for each request. This timer leaves
/// nothing.
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
