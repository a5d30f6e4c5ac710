import DequeModule
import HeapModule

/// Tasks that can go on, those that sleep, and how many threads there are for them: decides, and starts and wakes nobody.
struct TaskQueue<Job: Sendable> {
    /// What a task that can go on needs.
    enum Need: Equatable {
        case nothing
        case idleThread
        case newThread
        /// All threads are at work, and somebody looks after a while whether they get on (`nextTimeToSet`).
        case watching
    }

    /// What a thread does next.
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

    /// How many threads there are as long as all of them get on.
    static var threadsUsual: Int { 2 }
    /// As many as that tasks may block at once.
    static var threadsMax: Int { 64 }
    /// After which nobody took a task although some wait: threads are taken to be blocked.
    static var patience: Duration { .milliseconds(50) }

    private var waiting: Deque<Job> = []
    private var sleeping: Heap<Sleeper> = []
    private var threads = 0
    private var idle = 0
    /// How many tasks were taken, and how many when somebody began to watch; nil: nobody watches.
    private var taken = 0
    private var watch: (taken: Int, until: ContinuousClock.Instant)?
    /// When the timer expires; nil: it is not set.
    private var timer: ContinuousClock.Instant?
    /// Who keeps the time has something else to do.
    private var call: ContinuousClock.Instant?

    // MARK: - What comes

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

    /// The timer is to expire at once.
    mutating func mustWakeSoon(at now: ContinuousClock.Instant) { call = call ?? now }

    /// When the timer must expire; nil: it need not be set, because it expires no later, or there is nothing to wait for.
    mutating func nextTimeToSet() -> ContinuousClock.Instant? {
        guard let next = [call, sleeping.min?.time, watch?.until].compactMap({ $0 }).min() else { return nil }
        if let timer, timer <= next { return nil }
        timer = next
        return next
    }

    /// The timer has expired.
    mutating func wake(at now: ContinuousClock.Instant) -> [Need] {
        (timer, call) = (nil, nil)
        var needs: [Need] = []
        if let watch, watch.until <= now {
            self.watch = nil
            if !waiting.isEmpty { needs.append(look(since: watch.taken, at: now)) }
        }
        while let sleeper = sleeping.min, sleeper.time <= now {
            needs.append(add(sleeping.removeMin().job, at: now))
        }
        return needs
    }

    /// Tasks wait still. If none was taken, every thread is blocked.
    private mutating func look(since taken: Int, at now: ContinuousClock.Instant) -> Need {
        watch = (self.taken, now + Self.patience)
        guard taken == self.taken, threads < Self.threadsMax else { return .watching }
        threads += 1
        return .newThread
    }

    // MARK: - Threads

    /// For a thread that has nothing to do.
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

    /// One could not be started. The others take its task; returns whether there are others.
    mutating func threadFailed() -> Bool {
        threads -= 1
        return threads > 0
    }
}
