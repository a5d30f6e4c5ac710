import Diffable
import DiffableClient
import DiffableInput
import Glibc
import Synchronization

final class Feed: Sendable {
    let settings: FeedSettings
    private let source: any FeedSource
    private let list: FedList
    private let link: DaemonLink
    private let board: StatusBoard
    private let watcher: FileWatcher
    private let say: @Sendable (String) -> Void
    private let health = Mutex(FeedHealth())
    /// Limits the log, because a source may alternate between failure and success.
    private let sentences = Mutex(TokenBucket(20, perSecond: 1, at: .now))
    /// Signalled whenever the list has the wanted state, and once at the beginning even if the source has not delivered yet.
    private let listIsThere = (forHandler: WakeSignal(), forGuard: WakeSignal())
    private let isDeleted = Mutex(false)
    /// Whether the source still has to receive the list's earlier state, such as open folders.
    private let isToBeResumed = Mutex(true)
    /// Whether the current run has not delivered yet.
    private let isRunFresh = Mutex(true)
    private let control = FeedControl()
    private let sending: WakeSignal
    private let news: PendingFeedOutput
    /// Whether a refused state is to be sent again without a pause.
    private let isSendingWanted = Mutex(false)

    /// `say` logs when the feed begins to fail, fails for another reason, or recovers.
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
        sending = WakeSignal()
        news = PendingFeedOutput(sending)
    }

    /// Runs until the task is cancelled. Everything that the source started has ended when it returns.
    func run() async {
        let (sending, news) = (sending, news)
        await link.addReconnectSignal(sending)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.runSource(news) }
            group.addTask { await self.send(news, sending) }
            group.addTask { await self.recreateDeletedList(sending) }
            if let handler = source.handler?.waitingForChildren({ try await news.waitUntilSent() }) {
                group.addTask { await self.handleRequests(with: handler) }
            }
        }
        control.close()
        await link.removeReconnectSignal(sending)
    }

    // MARK: - Wishes

    /// Throws the reason if the action failed.
    func perform(_ action: FeedAction) async throws {
        switch action {
        case .run:
            try await control.run()
            try await news.waitUntilSent()
        case .pause:
            control.pause()
            change { $0.isPaused = true }
        case .resume:
            guard control.resume() else { throw FeedError("it is not paused") }
            change { $0.isPaused = false }
        }
    }

    /// Ends the pause after a failure.
    func retry() {
        let health = health.withLock(\.self)
        if health.sourceProblem != nil { control.demandRun() }
        if health.listProblem != nil {
            isSendingWanted.withLock { $0 = true }
            sending.signal()
        }
        if health.handlerProblem != nil { listIsThere.forHandler.signal() }
    }

    // MARK: - The source

    /// The pause between a file's change and the run, because most programs empty a file before they write it.
    private static let settling = Duration.milliseconds(20)

    private func runSource(_ news: PendingFeedOutput) async {
        let stirred = control.wakeSignal
        let ticket = source.watchedPaths.isEmpty ? nil : watcher.watch(source.watchedPaths) { stirred.signal() }
        defer { if let ticket { watcher.stop(ticket) } }
        var schedule = FeedSchedule(source.runMode, at: .now)
        while !Task.isCancelled {
            // A wish after this ends the run that begins below.
            _ = control.interruption.takeSignal()
            if control.isPaused {
                await stirred.wait()
                continue
            }
            if control.takeRun() { schedule.demand(at: .now) }
            guard schedule.isDue(at: .now) else {
                let problem = source.runMode == .runs(every: nil) ? ticket.flatMap(watcher.problem) : nil
                let wasBlind = health.withLock { $0.watchProblem != nil }
                if wasBlind || problem != nil { change { $0.watchProblem = problem } }
                if wasBlind, problem == nil { schedule.noteChange(at: .now) }
                if await stirred.wait(until: FileWatcher.nextCheck(schedule.next, isBlind: problem != nil)) {
                    if control.hasWish { continue }
                    try? await Task.sleep(for: Self.settling)
                    _ = stirred.takeSignal()
                    schedule.noteChange(at: .now)
                }
                continue
            }
            _ = stirred.takeSignal()
            schedule.start(at: .now)
            control.begin()
            isRunFresh.withLock { $0 = true }
            health.withLock { $0.omission = nil }
            let isInterrupted: Bool
            let result: Result<Void, any Error>
            do {
                isInterrupted = try await run { self.receive($0, news) }
                result = .success(())
            } catch {
                (isInterrupted, result) = (false, .failure(error))
            }
            // A cancelled run did not succeed.
            if Task.isCancelled { return }
            // A change during the run may be missing from its result.
            if stirred.takeSignal() { schedule.noteChange(at: .now) }
            if isInterrupted {
                schedule.interrupt(at: .now)
                continue
            }
            switch result {
            case .success: schedule.succeed(at: .now)
            case .failure: schedule.fail(at: .now)
            }
            change { health in
                if case .failure(let error) = result {
                    health.sourceProblem = self.settings.names.text(of: error)
                } else {
                    health.sourceProblem = nil
                }
                health.nextRun = schedule.next.map(Int.time)
            }
            control.end(result)
        }
    }

    /// Runs the source until the run ends, or a user wants something else. Returns whether it was interrupted for that.
    private func run(_ deliver: @escaping @Sendable (FeedState) -> Void) async throws -> Bool {
        guard source.isEndless else {
            try await source.run(deliver)
            return false
        }
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.source.run(deliver)
                return false
            }
            group.addTask {
                await self.control.interruption.wait()
                return true
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    private func receive(_ state: FeedState, _ news: PendingFeedOutput) {
        let problem: FeedError?
        switch state {
        case .failure(let error):
            problem = error
            // Another line's item does not replace the item of an unreadable line.
            if settings.onlyAdds { health.withLock { $0.omission = error.description } }
        case .incomplete(_, let error): problem = error
        case .whole, .snapshot, .change: problem = nil
        case .blindness(let message): return change { $0.watchProblem = message }
        }
        change { health in
            health.sourceProblem = problem.map { settings.names.text(of: $0) }
            // Clears the time of the retry. A stream that delivers has no next run.
            if problem == nil, source.runMode == .stream { health.nextRun = nil }
        }
        let isFirst = isRunFresh.withLock { isFresh in
            defer { isFresh = false }
            return isFresh
        }
        if isFirst, source.isEndless { isToBeResumed.withLock { $0 = true } }
        news.append(state)
        // A run of this source does not end by itself, so its callers get the result with the first state.
        if source.isEndless { control.end(problem.map { .failure($0) } ?? .success(())) }
    }

    // MARK: - Sending

    /// Sends the newest state, and sends the last one again after a reconnection.
    private func send(_ news: PendingFeedOutput, _ wakeSignal: WakeSignal) async {
        var pending: PendingFeedOutput.Batch?
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
                if pending != nil, isToBeResumed.withLock(\.self) {
                    await source.resume(try await list.state())
                    isToBeResumed.withLock { $0 = false }
                    pending = news.take(after: pending)
                }
                if let batch = pending {
                    if wasDeleted { await list.forget() }
                    try await list.send(whole: batch.whole, changes: batch.changes)
                    news.noteSent(batch)
                    (pending, wasDeleted) = (nil, false)
                    change { health in
                        health.listProblem = nil
                        health.lastSuccess = .now()
                    }
                } else if wasDeleted {
                    try await list.recreate()
                    wasDeleted = false
                    change { $0.listProblem = nil }
                } else if let number, number != connection {
                    try await list.resendLastState()
                    change { $0.listProblem = nil }
                }
                connection = number ?? connection
                failures = 0
                listIsThere.forHandler.signal()
                if await list.isFed { listIsThere.forGuard.signal() }
            } catch is CancellationError {
                return
            } catch {
                news.noteFailure(error)
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
            if !news.isEmpty || wasDeleted, pause == nil { continue }
            await wakeSignal.wait(until: pause)
            // The daemon may refuse another state for the same reason, so the next attempt waits. The next state may have more
            // items.
            if let pause, !isForNewsToEnd {
                while pause > .now, !Task.isCancelled, !isSendingWanted.withLock(\.self) {
                    await wakeSignal.wait(until: pause)
                }
            }
            isSendingWanted.withLock { $0 = false }
        }
    }

    /// Detects that the list was deleted or renamed, and has it created again.
    private func recreateDeletedList(_ sending: WakeSignal) async {
        while !Task.isCancelled {
            await listIsThere.forGuard.wait()
            do {
                try await link.connected().connection.deletion(of: settings.list)
                say("the list \(quoted(settings.list)) was deleted; creating it again with the newest items")
            } catch ClientError.refused(let refusal) where refusal.code == .noSuchList {
            } catch {
                // The next connection sends the list again anyway.
                continue
            }
            isDeleted.withLock { $0 = true }
            sending.signal()
        }
    }

    // MARK: - Answering

    /// Handles requests for the list whenever the list exists. It is created when the first state is sent.
    private func handleRequests(with handler: ListHandler) async {
        var failures = 0
        var pause: ContinuousClock.Instant?
        while !Task.isCancelled {
            await listIsThere.forHandler.wait(until: pause)
            pause = nil
            do {
                let (connection, list) = (try await link.connected().connection, settings.list)
                guard let epoch = try await settings.usableList(over: connection)?.epoch else { continue }
                let end = try await connection.handle(list, with: handler) { () async throws(ClientError) -> Bool in
                    // Another user's list may have taken the name before the handler was registered.
                    let isSame = try await connection.lists().contains { $0.list == list && $0.epoch == epoch }
                    if isSame {
                        failures = 0
                        change { $0.handlerProblem = nil }
                    }
                    return isSame
                }
                switch end {
                case .listDeleted: break
                case .replaced:
                    change {
                        $0.handlerProblem =
                            "another program now answers requests for the list, and this feed does not; stop one of the two"
                    }
                case .permissionDenied, .unknown:
                    change {
                        $0.handlerProblem =
                            "this user may no longer change the list, so this feed does not answer requests for it; ask the "
                            + "list's owner or root"
                    }
                }
            } catch ClientError.refused(let refusal) where refusal.code != .noSuchList {
                // After a lost connection, the daemon refuses the handler until it notices the loss.
                failures += 1
                pause = .now + Backoff.doubled(.milliseconds(50), times: failures, upTo: FeedSchedule.pauseMax)
                if failures > 5 { change { $0.handlerProblem = "\(ClientError.refused(refusal))" } }
            } catch let error as FeedError {
                failures += 1
                pause = .now + Backoff.doubled(FeedSchedule.pauseMin, times: failures, upTo: FeedSchedule.pauseMax)
                change { $0.handlerProblem = settings.names.text(of: error) }
            } catch {
                // The list was deleted or the connection lost; the loop waits until both are there again.
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
        guard new.problem != old.problem, sentences.withLock({ $0.take(at: .now) }) else { return }
        let list = quoted(settings.list)
        say(
            new.problem.map {
                "the list \(list) is \(new.isFed ? "kept up to date, but" : "not kept up to date:") \($0)"
            } ?? "the list \(list) is kept up to date again")
    }
}

extension Int {
    /// Milliseconds since 1970.
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
