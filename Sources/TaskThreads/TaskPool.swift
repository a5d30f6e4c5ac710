#if compiler(>=6.3) && compiler(<6.4)
    import CBootTimer
    import Dispatch
    import Glibc
    import Synchronization
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

    /// Runs tasks on a few threads, in order of arrival.
    ///
    /// `TaskQueue` decides which task is next and which thread it needs. The main thread runs only the main actor's tasks. It
    /// sleeps in one timer until there is such a task or the first sleeping task is due. Like `ContinuousClock`, the timer
    /// continues while the machine is suspended.
    ///
    /// A task that blocks (a file on an unreachable server) occupies a thread. The tasks after it wait for `TaskQueue.patience`
    /// and then get another thread, which ends when it is no longer needed.
    final class TaskPool: TaskExecutor, SchedulingExecutor {
        /// The program's pool; nil if the system gave no descriptor for the timer.
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

        // MARK: - Adding tasks

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            provideThread(for: queue.withLock { $0.add(job, at: .now) })
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

        private func provideThread(for need: TaskQueue<UnownedJob>.Need) {
            switch need {
            case .nothing: break
            case .idleThread: work.signal()
            case .newThread: start()
            case .watching: queue.withLock { setTimer(for: &$0, at: .now) }
            }
        }

        // MARK: - Time

        /// Sets the timer under the queue's lock, so that a later time never replaces an earlier one.
        private func setTimer(for queue: inout TaskQueue<UnownedJob>, at now: ContinuousClock.Instant) {
            guard let time = queue.nextTimeToSet() else { return }
            let wait = max(now.duration(to: time), .nanoseconds(1))
            let (seconds, attoseconds) = wait.components
            // Times more than 30 years away are moved to 30 years.
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

        /// Runs the main actor's tasks and wakes sleeping ones, forever.
        func runTimerLoop(_ mainThread: UnownedSerialExecutor) -> Never {
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
                for need in needs { provideThread(for: need) }
            }
        }

        // MARK: - Threads

        private func start() {
            // Signals are for the main thread, as with libdispatch. Code that starts a program sets a mask of its own.
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

    /// Runs the main actor's tasks on the main thread.
    final class MainThread: MainExecutor {
        func enqueue(_ job: consuming ExecutorJob) { TaskPool.shared?.enqueueOnMainThread(UnownedJob(job)) }

        func run() { TaskPool.shared?.runTimerLoop(asUnownedSerialExecutor()) }

        func stop() { preconditionFailure("a program ends with exit") }
    }

    enum TaskExecutors: ExecutorFactory {
        static let mainThread = MainThread()
        static var mainExecutor: any MainExecutor { mainThread }
        static let defaultExecutor: any TaskExecutor = TaskPool.shared!
    }
#endif
