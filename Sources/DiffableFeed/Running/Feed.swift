import Diffable
import DiffableClient
import DiffableInput
import Glibc
import Synchronization

/// One feed: runs its source when it is time, and sends what that brought.
final class Feed: Sendable {
    let settings: FeedSettings
    private let source: any FeedSource
    private let list: FedList
    private let link: DaemonLink
    private let board: StatusBoard
    private let watcher: FileWatcher
    private let say: @Sendable (String) -> Void
    private let health = Mutex(FeedHealth())
    /// Ring whenever the list has been made what it is to be, the first also when there is nothing yet to make it.
    private let listIsThere = (forHandler: Bell(), forGuard: Bell())
    private let isDeleted = Mutex(false)

    /// - Parameter say: hears when it begins to fail, fails otherwise, and does no longer.
    init(
        _ settings: FeedSettings, _ source: any FeedSource, over link: DaemonLink, board: StatusBoard,
        watcher: FileWatcher, say: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        self.source = source
        self.link = link
        self.board = board
        self.watcher = watcher
        self.say = say
        list = FedList(settings, over: link)
    }

    /// Runs until the task is cancelled. Then everything that the source started has ended, too.
    func run() async {
        let sending = Bell()
        let news = FeedNews(sending)
        await link.tell(sending)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.runSource(news) }
            group.addTask { await self.send(news, sending) }
            group.addTask { await self.guardList(sending) }
            if let handler = source.handler?.waitingForChildren({ try await news.sent() }) {
                group.addTask { await self.answer(with: handler) }
            }
        }
        await link.forget(sending)
    }

    // MARK: - The source

    /// After a change a run waits so long: most programs write a file by emptying it first.
    private static let settling = Duration.milliseconds(20)

    private func runSource(_ news: FeedNews) async {
        let stirred = Bell()
        let ticket = source.watchedPaths.isEmpty ? nil : watcher.watch(source.watchedPaths) { stirred.ring() }
        defer { if let ticket { watcher.stop(ticket) } }
        var schedule = FeedSchedule(source.pace, at: .now)
        while !Task.isCancelled {
            guard schedule.isDue(at: .now) else {
                let problem = source.pace == .runs(every: nil) ? ticket.flatMap(watcher.problem) : nil
                let wasBlind = health.withLock { $0.watchProblem != nil }
                if wasBlind || problem != nil { change { $0.watchProblem = problem } }
                if wasBlind, problem == nil { schedule.stir(at: .now) }
                if await stirred.wait(until: FileWatcher.nextLook(schedule.next, isBlind: problem != nil)) {
                    try? await Task.sleep(for: Self.settling)
                    _ = stirred.takeRing()
                    schedule.stir(at: .now)
                }
                continue
            }
            _ = stirred.takeRing()
            schedule.start(at: .now)
            health.withLock { $0.omission = nil }
            do {
                try await source.run { state in
                    let problem: FeedError?
                    switch state {
                    case .failure(let error):
                        problem = error
                        // Another item does not bring the one of the line that could not be read.
                        if self.settings.onlyAdds { self.health.withLock { $0.omission = error.description } }
                    case .incomplete(_, let error): problem = error
                    case .whole, .snapshot, .items: problem = nil
                    case .blindness(let message): return self.change { $0.watchProblem = message }
                    }
                    self.change { health in
                        health.sourceProblem = problem.map { self.settings.wording.worded($0) }
                        // What the pause after a failure ended with. A stream that brings something has no next run.
                        if problem == nil, self.source.pace == .stream { health.nextRun = nil }
                    }
                    news.append(state)
                }
                // One that was told to end has not succeeded by that.
                if Task.isCancelled { return }
                // What stirred meanwhile may not be in what it brought.
                if stirred.takeRing() { schedule.stir(at: .now) }
                schedule.succeed(at: .now)
                change { health in
                    health.sourceProblem = nil
                    health.nextRun = schedule.next.map(Int.time)
                }
            } catch {
                if Task.isCancelled { return }
                if stirred.takeRing() { schedule.stir(at: .now) }
                schedule.fail(at: .now)
                change { health in
                    health.sourceProblem = self.settings.wording.worded(error)
                    health.nextRun = schedule.next.map(Int.time)
                }
            }
        }
    }

    // MARK: - Sending

    /// Sends the newest state, and once more what was sent last when there is another connection.
    private func send(_ news: FeedNews, _ bell: Bell) async {
        /// What was brought and could not be sent.
        var pending: FeedNews.Batch?
        /// Whether the source has seen what the list was before this feed.
        var isResumed = false
        /// Whether the list was deleted and is not made again yet.
        var wasDeleted = false
        var connection = 0
        var failures = 0
        while !Task.isCancelled {
            var pause: ContinuousClock.Instant?
            var isForNewsToEnd = false
            pending = news.take(after: pending)
            isDeleted.withLock { isDeleted in
                wasDeleted = wasDeleted || isDeleted
                isDeleted = false
            }
            let number = await link.number
            do {
                if pending != nil, !isResumed {
                    await source.resume(try await list.state())
                    isResumed = true
                    pending = news.take(after: pending)
                }
                if let batch = pending {
                    if wasDeleted { await list.forget() }
                    try await list.send(whole: batch.whole, items: batch.items)
                    news.note(sent: batch)
                    (pending, wasDeleted) = (nil, false)
                    change { health in
                        health.listProblem = nil
                        health.lastSuccess = .now()
                    }
                } else if wasDeleted {
                    try await list.makeAgain()
                    wasDeleted = false
                    change { $0.listProblem = nil }
                } else if let number, number != connection {
                    try await list.sendAgain()
                    change { $0.listProblem = nil }
                }
                connection = number ?? connection
                failures = 0
                listIsThere.forHandler.ring()
                if await list.isFed { listIsThere.forGuard.ring() }
            } catch is CancellationError {
                return
            } catch {
                news.note(refused: error)
                failures += 1
                let time =
                    ContinuousClock.now
                    + Backoff.doubled(FeedSchedule.pauseMin, times: failures, upTo: FeedSchedule.pauseMax)
                pause = time
                isForNewsToEnd = error is DeletionRefusal
                change { health in
                    health.listProblem = "\(error)"
                    health.nextSending = .time(time)
                }
            }
            // What was sent may be in the list that was deleted.
            if !news.isEmpty || wasDeleted, pause == nil { continue }
            await bell.wait(until: pause)
            // The daemon may refuse another state for the same reason, so it is not asked sooner. The next state may have more items.
            if let pause, pause > .now, !isForNewsToEnd, !Task.isCancelled {
                try? await Task.sleep(until: pause, clock: .continuous)
            }
        }
    }

    /// Hears when the list is deleted, or gets another name, and has it made again.
    private func guardList(_ sending: Bell) async {
        while !Task.isCancelled {
            await listIsThere.forGuard.wait()
            do {
                try await link.connected().connection.deletion(of: settings.list)
                say("\(quoted(settings.list)) was deleted, and is made again")
            } catch ClientError.refused(let refusal) where refusal.name == "noSuchList" {
            } catch {
                // Over the next connection it is sent again, too.
                continue
            }
            isDeleted.withLock { $0 = true }
            sending.ring()
        }
    }

    // MARK: - Answering

    /// Answers for the list whenever it is there: it is made by what is sent.
    private func answer(with handler: ListHandler) async {
        var failures = 0
        var pause: ContinuousClock.Instant?
        while !Task.isCancelled {
            await listIsThere.forHandler.wait(until: pause)
            pause = nil
            do {
                let connection = try await link.connected().connection
                let end = try await connection.handle(settings.list, with: handler) {
                    failures = 0
                    change { $0.handlerProblem = nil }
                }
                switch end {
                case .listDeleted: break
                case .replaced: change { $0.handlerProblem = "another program answers for the list now" }
                case .permissionDenied, .unknown: change { $0.handlerProblem = "the list may not be changed any more" }
                }
            } catch ClientError.refused(let refusal) where refusal.name != "noSuchList" {
                // Also after a lost connection, until the daemon has heard of its end.
                failures += 1
                pause = .now + Backoff.doubled(.milliseconds(50), times: failures, upTo: FeedSchedule.pauseMax)
                if failures > 5 { change { $0.handlerProblem = "\(ClientError.refused(refusal))" } }
            } catch {
                // The list, or the connection, comes again.
            }
        }
    }

    // MARK: - What the list of feeds says

    private func change(_ body: (inout FeedHealth) -> Void) {
        let (old, new) = health.withLock { health in
            let old = health
            body(&health)
            return (old, health)
        }
        board.change(settings.list) { new.show(in: &$0) }
        if let problem = new.problem, problem != old.problem { say("\(quoted(settings.list)) is not fed: \(problem)") }
        if new.problem == nil, old.problem != nil { say("\(quoted(settings.list)) is fed again") }
    }
}

extension Int {
    /// In milliseconds since 1970.
    fileprivate static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }

    fileprivate static func time(_ instant: ContinuousClock.Instant) -> Int {
        let (seconds, attoseconds) = (instant - .now).components
        return now() + Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
