import DequeModule
import HeapModule

/// Ready tasks, sleeping tasks, and the number of threads for them. Decides which thread is needed, but starts and wakes none.
struct TaskQueue<Job: Sendable> {
    /// The thread that a ready task needs.
    enum Need: Equatable {
        case nothing
        case idleThread
        case newThread
        /// All threads are busy. The timer (`nextTimeToSet`) will check whether they make progress.
        case watching
    }

    /// The next step of a thread.
    enum Next {
        case job(Job)
        case rest
        case end
    }

    private struct Sleeper: Comparable {
        var time: ContinuousClock.Instant
        var job: Job

        static func < (one: Sleeper, other: Sleeper) -> Bool { one.time < other.time }
        static func == (one: Sleeper, other: Sleeper) -> Bool { one.time == other.time }
    }

    /// The number of threads while none of them is blocked.
    static var threadsUsual: Int { 2 }
    /// The most threads, and so the most tasks that may block at once.
    static var threadsMax: Int { 64 }
    /// Threads count as blocked if they take no waiting task for this long.
    static var patience: Duration { .milliseconds(50) }

    private var waiting: Deque<Job> = []
    private var sleeping: Heap<Sleeper> = []
    private var threads = 0
    private var idle = 0
    /// The number of tasks taken so far, and that number at the beginning of a check; nil while no check is planned.
    private var taken = 0
    private var watch: (taken: Int, until: ContinuousClock.Instant)?
    /// The time at which the timer expires; nil while it is not set.
    private var timer: ContinuousClock.Instant?
    /// The time of the first call of `mustWakeSoon` that the timer has not answered; nil without one.
    private var call: ContinuousClock.Instant?

    // MARK: - Adding tasks

    mutating func add(_ job: Job, at now: @autoclosure () -> ContinuousClock.Instant) -> Need {
        waiting.append(job)
        if idle > 0 {
            idle -= 1
            return .idleThread
        }
        if threads < Self.threadsUsual {
            threads += 1
            return .newThread
        }
        guard watch == nil else { return .nothing }
        watch = (taken, now() + Self.patience)
        return .watching
    }

    mutating func add(_ job: Job, until time: ContinuousClock.Instant) {
        sleeping.insert(Sleeper(time: time, job: job))
    }

    // MARK: - Time

    /// Makes the timer expire immediately, for a task of the main thread.
    mutating func mustWakeSoon(at now: ContinuousClock.Instant) { call = call ?? now }

    /// Returns the time to set the timer to; nil if it expires early enough or nothing is due.
    mutating func nextTimeToSet() -> ContinuousClock.Instant? {
        guard let next = [call, sleeping.min?.time, watch?.until].compactMap({ $0 }).min() else { return nil }
        if let timer, timer <= next { return nil }
        timer = next
        return next
    }

    /// Handles the expired timer: checks for blocked threads, and makes sleeping tasks ready.
    mutating func wake(at now: ContinuousClock.Instant) -> [Need] {
        (timer, call) = (nil, nil)
        var needs: [Need] = []
        if let watch, watch.until <= now {
            self.watch = nil
            if !waiting.isEmpty { needs.append(checkThreads(since: watch.taken, at: now)) }
        }
        while let sleeper = sleeping.min, sleeper.time <= now {
            needs.append(add(sleeping.removeMin().job, at: now))
        }
        return needs
    }

    /// Checks the threads while tasks still wait. If no task was taken since the last check, every thread is blocked.
    private mutating func checkThreads(since taken: Int, at now: ContinuousClock.Instant) -> Need {
        watch = (self.taken, now + Self.patience)
        guard taken == self.taken, threads < Self.threadsMax else { return .watching }
        threads += 1
        return .newThread
    }

    // MARK: - Threads

    /// Returns the next step of an idle thread.
    mutating func next() -> Next {
        if let job = waiting.popFirst() {
            taken += 1
            return .job(job)
        }
        guard idle < Self.threadsUsual else {
            threads -= 1
            return .end
        }
        idle += 1
        return .rest
    }

    /// Notes that a thread could not be started, and returns whether there are others to take its task.
    mutating func threadFailed() -> Bool {
        threads -= 1
        return threads > 0
    }
}
