#if compiler(>=6.3) && compiler(<6.4)
    import CBootTimer
    import Dispatch
    import Glibc
    import Synchronization
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

    /// Runs tasks on a few threads, in the order in which they come.
    ///
    /// What is next, and which thread is needed for it, `TaskQueue` decides. The main thread does the main actor's tasks alone, and
    /// sleeps in one timer until there is one, or the first sleeper's time has come. The timer goes on while the machine sleeps,
    /// as `ContinuousClock` does.
    ///
    /// A task that blocks (a file on a server that is gone) holds a thread up. Then the tasks behind it wait a moment, and get
    /// another thread (`TaskQueue.patience`), which ends when it is not needed any more.
    final class TaskPool: TaskExecutor, SchedulingExecutor {
        /// Nil when there is no descriptor for its timer.
        static let shared = TaskPool()

        private let queue = Mutex(TaskQueue<UnownedJob>())
        /// Idle threads sleep here. One is woken by each signal.
        private let work = DispatchSemaphore(value: 0)
        private let timer: Int32
        private let mainJobs = Mutex<[UnownedJob]>([])

        private init?() {
            timer = boot_timer_open()
            if timer < 0 { return nil }
        }

        // MARK: - What comes

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            perform(queue.withLock { $0.add(job, at: .now) })
        }

        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
        ) {
            guard let delay = delay as? Duration else {
                preconditionFailure("a task sleeps by \(C.self), whose time is not counted in seconds")
            }
            let (job, now) = (UnownedJob(job), ContinuousClock.now)
            queue.withLock { queue in
                queue.add(job, until: now + delay)
                setTimer(for: &queue, at: now)
            }
        }

        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
        ) {
            enqueue(job, after: clock.now.duration(to: instant), tolerance: tolerance, clock: clock)
        }

        private func perform(_ need: TaskQueue<UnownedJob>.Need) {
            switch need {
            case .nothing: break
            case .idleThread: work.signal()
            case .newThread: start()
            case .watching: queue.withLock { setTimer(for: &$0, at: .now) }
            }
        }

        // MARK: - Time

        /// Under the queue's lock, so that an earlier time is never replaced by a later one.
        private func setTimer(for queue: inout TaskQueue<UnownedJob>, at now: ContinuousClock.Instant) {
            guard let time = queue.nextTimeToSet() else { return }
            let wait = max(now.duration(to: time), .nanoseconds(1))
            let (seconds, attoseconds) = wait.components
            // What is further away than 30 years comes then.
            let whole = UInt64(min(seconds, 1_000_000_000))
            boot_timer_set(timer, whole * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000))
        }

        func enqueueOnMainThread(_ job: UnownedJob) {
            mainJobs.withLock { $0.append(job) }
            queue.withLock { queue in
                queue.mustWakeSoon(at: .now)
                setTimer(for: &queue, at: .now)
            }
        }

        /// What the main thread does, for ever.
        func keepTime(_ mainThread: UnownedSerialExecutor) -> Never {
            while true {
                boot_timer_wait(timer)
                let jobs = mainJobs.withLock { jobs in
                    defer { jobs = [] }
                    return jobs
                }
                for job in jobs { job.runSynchronously(on: mainThread) }
                let needs = queue.withLock { queue in
                    let now = ContinuousClock.now
                    let needs = queue.wake(at: now)
                    setTimer(for: &queue, at: now)
                    return needs
                }
                for need in needs { perform(need) }
            }
        }

        // MARK: - Threads

        private func start() {
            // Signals are for the main thread, as with libdispatch; who starts a program sets its own mask.
            var (all, before) = (sigset_t(), sigset_t())
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            var thread = pthread_t()
            let status = pthread_create(
                &thread, nil,
                { _ in
                    TaskPool.shared?.runTasks()
                    return nil
                }, nil)
            if status == 0 {
                pthread_detach(thread)
            } else if !queue.withLock({ $0.threadFailed() }) {
                TaskThreads.end(because: "there is no thread for tasks", status)
            }
        }

        private func runTasks() {
            while true {
                switch queue.withLock({ $0.next() }) {
                case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
                case .rest: work.wait()
                case .end: return
                }
            }
        }
    }

    /// The main actor's tasks, on the main thread.
    final class MainThread: MainExecutor {
        func enqueue(_ job: consuming ExecutorJob) { TaskPool.shared?.enqueueOnMainThread(UnownedJob(job)) }

        func run() { TaskPool.shared?.keepTime(asUnownedSerialExecutor()) }

        func stop() { preconditionFailure("a program ends with exit") }
    }

    enum TaskExecutors: ExecutorFactory {
        static let mainThread = MainThread()
        static var mainExecutor: any MainExecutor { mainThread }
        static let defaultExecutor: any TaskExecutor = TaskPool.shared!
    }
#endif
