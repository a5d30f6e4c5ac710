import Testing

@testable import TaskThreads

/// Tests with numbers as tasks, and virtual time.
@Suite struct TaskQueueTests {
    private var queue = TaskQueue<Int>()
    private let start = ContinuousClock.now

    private mutating func add(_ job: Int, at milliseconds: Int = 0) -> TaskQueue<Int>.Need {
        let time = start + .milliseconds(milliseconds)
        return queue.add(job, at: time)
    }

    private mutating func wake(at milliseconds: Int) -> [TaskQueue<Int>.Need] {
        queue.wake(at: start + .milliseconds(milliseconds))
    }

    private mutating func nextTimeToSet() -> Duration? { queue.nextTimeToSet().map { start.duration(to: $0) } }

    /// Returns the next task of a thread; nil for rest.
    private mutating func next() -> Int? { if case .job(let job) = queue.next() { job } else { nil } }

    @Test mutating func `the first tasks start threads, and an idle one is woken before another is started`() {
        #expect(add(1) == .newThread)
        #expect(next() == 1)
        #expect(next() == nil)
        #expect(add(2) == .idleThread)
        #expect(add(3) == .newThread)
        #expect(next() == 2)
        #expect(next() == 3)
    }

    @Test mutating func `tasks are taken in their order`() {
        for job in 1...5 { _ = add(job) }
        #expect((1...5).map { _ in next() } == [1, 2, 3, 4, 5])
    }

    @Test mutating func `a thread that was woken for a task that another took rests again`() {
        _ = add(1)
        #expect(next() == 1)
        #expect(next() == nil)
        #expect(add(2) == .idleThread)
        // The other thread was faster.
        #expect(next() == 2)
        #expect(next() == nil)
        #expect(add(3) == .idleThread)
    }

    @Test mutating func `the timer is set for the first sleeper alone, and again when that was woken`() {
        queue.add(1, until: start + .seconds(5))
        #expect(nextTimeToSet() == .seconds(5))
        queue.add(2, until: start + .seconds(7))
        #expect(nextTimeToSet() == nil)
        queue.add(3, until: start + .seconds(2))
        #expect(nextTimeToSet() == .seconds(2))
        #expect(wake(at: 2000) == [.newThread])
        #expect(nextTimeToSet() == .seconds(5))
        #expect(next() == 3)
    }

    @Test mutating func `sleepers whose time is the same are all woken, and none before its time`() {
        for job in 1...3 { queue.add(job, until: start + .seconds(1)) }
        queue.add(4, until: start + .milliseconds(1001))
        #expect(wake(at: 999) == [])
        #expect(wake(at: 1000).count == 3)
        #expect(Set((1...3).map { _ in next() }) == [1, 2, 3])
        #expect(next() == nil)
    }

    @Test mutating func `who keeps the time is called once`() {
        queue.add(1, until: start + .seconds(1))
        _ = nextTimeToSet()
        queue.mustWakeSoon(at: start)
        #expect(nextTimeToSet() == .zero)
        #expect(wake(at: 1) == [])
        #expect(nextTimeToSet() == .seconds(1))
    }

    @Test mutating func `nothing is waited for when there is nothing to do`() {
        queue.add(1, until: start + .seconds(1))
        _ = nextTimeToSet()
        _ = wake(at: 1000)
        #expect(next() == 1)
        #expect(next() == nil)
        #expect(nextTimeToSet() == nil)
    }

    @Test mutating func `when all threads are blocked, those that wait get another one after a moment`() {
        for job in 1...2 {
            #expect(add(job) == .newThread)
            #expect(next() == job)
        }
        #expect(add(3) == .watching)
        #expect(add(4) == .nothing)
        #expect(nextTimeToSet() == TaskQueue<Int>.patience)
        #expect(wake(at: 50) == [.newThread])
        #expect(next() == 3)
        // That thread is blocked, too.
        #expect(nextTimeToSet() == .milliseconds(100))
        #expect(wake(at: 100) == [.watching])
        #expect(nextTimeToSet() == .milliseconds(150))
        #expect(wake(at: 150) == [.newThread])
        #expect(next() == 4)
    }

    @Test mutating func `threads that get on are left alone, however many tasks wait`() {
        for job in 1...100 { _ = add(job) }
        _ = nextTimeToSet()
        for step in 1...50 {
            #expect(next() != nil)
            #expect(wake(at: 50 * step) == [.watching])
            _ = nextTimeToSet()
        }
    }

    @Test mutating func `nobody watches any more when no task waits`() {
        for job in 1...3 { _ = add(job) }
        #expect(nextTimeToSet() == TaskQueue<Int>.patience)
        for _ in 1...3 { _ = next() }
        #expect(wake(at: 50) == [])
        #expect(nextTimeToSet() == nil)
    }

    @Test mutating func `more threads than usual end when they are not needed`() {
        for job in 1...3 { _ = add(job) }
        _ = nextTimeToSet()
        #expect(wake(at: 50) == [.newThread])
        for _ in 1...3 { #expect(next() != nil) }
        #expect(next() == nil)
        #expect(next() == nil)
        guard case .end = queue.next() else { return #expect(Bool(false), "a third thread stays") }
        #expect(add(4) == .idleThread)
    }

    @Test mutating func `there is a limit to threads, however many tasks are blocked`() {
        for job in 0..<200 { _ = add(job) }
        var count = TaskQueue<Int>.threadsUsual
        for step in 1...100 {
            _ = nextTimeToSet()
            count += wake(at: 50 * step).count { $0 == .newThread }
        }
        #expect(count == TaskQueue<Int>.threadsMax)
    }

    @Test mutating func `a thread that cannot be started is tried again with the next task`() {
        #expect(add(1) == .newThread)
        let hasOthers = queue.threadFailed()
        #expect(!hasOthers)
        #expect(add(2) == .newThread)
        #expect(add(3) == .newThread)
        #expect(add(4) == .watching)
        #expect(next() == 1)
    }
}
