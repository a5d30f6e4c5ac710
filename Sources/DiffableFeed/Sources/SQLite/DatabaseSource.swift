import Diffable
import Dispatch
import Glibc

/// Delivers the rows of a query of an SQLite database that other processes write to. SQLite's own notifications of commits do not
/// cross processes, and the kernel reports a write before SQLite makes it visible. So after each event, the files are checked
/// repeatedly for some seconds (`DatabaseWatch`), which needs neither a lock nor a connection. The query runs when the files show
/// a commit.
package struct DatabaseSource: FeedSource {
    private let settings: DatabaseSettings
    private let rows: RowStates
    private let watcher: FileWatcher
    private let problem: @Sendable (_ ticket: Int) -> String?

    /// `problem` says why no changes are reported, for tests; nil: asks the watcher.
    init(
        _ settings: DatabaseSettings, _ rows: RowStates, watcher: FileWatcher,
        problem: (@Sendable (_ ticket: Int) -> String?)? = nil
    ) {
        self.settings = settings
        self.rows = rows
        self.watcher = watcher
        self.problem = problem ?? watcher.problem
    }

    /// The shortest wait for which the files are closed.
    private static let idleMin = Duration.milliseconds(500)

    package var runMode: FeedSchedule.RunMode { .runs(every: nil) }
    package var watchedPaths: [String] { [] }
    package var isEndless: Bool { true }

    package func run(_ deliver: @escaping @Sendable (FeedState) -> Void) async throws {
        let wakeSignal = WakeSignal()
        let ticket = watcher.watch([settings.path], suffixes: ["-wal", "-journal"]) { wakeSignal.signal() }
        defer { watcher.stop(ticket) }
        var reading = DatabaseReading(settings, rows)
        defer { reading.end() }
        var watch = DatabaseWatch(every: settings.every, at: .now)
        var lastBlindness: String?
        var isFirst = true
        while true {
            try Task.checkCancellation()
            let start = ContinuousClock.now
            switch await reading.readIfChanged() {
            case .same: watch.noteUnchanged(at: .now)
            case .state(let snapshot, let isFinal):
                deliver(.snapshot(snapshot))
                watch.noteRead(isFinal: isFinal, isFirst: isFirst, from: start, at: .now)
                isFirst = false
            case .trouble(let message):
                if watch.noteTrouble(message, from: start, at: .now) { deliver(.failure(FeedError(message))) }
            case .failure(let error):
                deliver(.failure(error))
                watch.noteRead(isFinal: true, from: start, at: .now)
            }
            // If no changes are reported, the database is polled until they are.
            let blindness = settings.every == nil ? problem(ticket) : nil
            if blindness != lastBlindness {
                lastBlindness = blindness
                deliver(.blindness(blindness))
            }
            let next = FileWatcher.nextCheck(watch.next, isBlind: blindness != nil)
            // An open file would prevent unmounting the disk.
            if next.map({ $0 > .now + Self.idleMin }) ?? true { reading.end() }
            if await wakeSignal.wait(until: next) { watch.noteEvent(at: .now) }
            // A slow query may use at most a fifth of the time, after a while.
            if let rest = watch.rest, rest > .now { try await Task.sleep(until: rest, clock: .continuous) }
        }
    }
}

struct DatabaseReading {
    enum News {
        case same
        /// `isFinal`: whether the result cannot have missed a commit.
        case state(Snapshot, isFinal: Bool)
        /// A temporary problem; the next look may succeed.
        case trouble(String)
        case failure(FeedError)
    }

    private let settings: DatabaseSettings
    private var rows: RowStates
    private var files: DatabaseFiles
    private var known: DatabaseFiles.Fingerprint?
    /// The last look, and when the files first looked like that.
    private var seen: (look: DatabaseFiles.Fingerprint, time: timespec.Parts)?
    private let query: DatabaseQuery
    private let queue: DispatchQueue

    init(_ settings: DatabaseSettings, _ rows: RowStates) {
        self.settings = settings
        self.rows = rows
        files = DatabaseFiles(settings.path, ignoringLocks: settings.isCopied)
        query = DatabaseQuery(
            path: settings.path, sql: settings.query, jsonColumns: Set(settings.jsonColumns),
            remedy: settings.isCopied ? "" : Self.remedy)
        queue = DispatchQueue(label: "query")
    }

    mutating func end() { files.close() }

    /// `time` is the time of the look, for tests; nil: now.
    mutating func readIfChanged(at time: timespec.Parts? = nil) async -> News {
        do throws(FeedError) {
            let (before, now) = (try files.fingerprint(), time ?? .now())
            if before.isSame(as: known, at: now) { return .same }
            if seen?.look != before { seen = (before, now) }
            guard before.isSettled else { return .trouble(isWritten + (before.isReserved ? Self.remedy : "")) }
            // Reads without locks if no process can hold one, or if a writer would have to wait for ours.
            let isShared = !settings.isCopied && before.isInWALMode && (before.hasIndex || before.hasLog)
            let answer =
                settings.isCopied
                ? await answer(atCopyOf: before) : await answer(at: before.path, isShared ? .shared : .unlocked)
            let after = try files.fingerprint()
            // A change within one tick of the file clock may be invisible, and may repair the problem.
            let isOld = before.isOld(at: now, seen: seen?.time ?? now)
            let settled = isShared || isOld ? before : nil
            switch answer {
            case .rows(let images):
                guard isShared || after == before else {
                    return .trouble(isWritten)
                }
                known = settled
                let snapshot: Snapshot
                do { snapshot = try rows.state(of: images) } catch { return .failure(error) }
                return .state(snapshot, isFinal: settled != nil && after == before)
            case .busy(let message): return .trouble(message)
            case .failure(let message):
                known = settled
                return .failure(FeedError(message))
            }
        } catch {
            known = nil
            files.close()
            return .trouble(error.description)
        }
    }

    private var isWritten: String { "the database \(settings.path) is being written; it is read when that is over" }

    /// For programs that keep the database locked while they run, such as browsers.
    private static let remedy = "; if another program keeps it locked, set copy: true to read a copy"

    private func answer(at real: String, _ access: DatabaseQuery.Access) async -> DatabaseQuery.Answer {
        let query = query
        return await answer { query.answer(at: real, access, $0) }
    }

    private func answer(atCopyOf look: DatabaseFiles.Fingerprint) async -> DatabaseQuery.Answer {
        let (query, files) = (query, files)
        return await answer { interrupter in
            let isOver = { interrupter.isOver }
            do throws(FeedError) {
                let copy = try files.copy(look, lengthMax: FeedLimits.copyLengthMax, isOver: isOver)
                return query.answer(at: copy.path, .shared, interrupter)
            } catch {
                return .busy(error.description)
            }
        }
    }

    private func answer(
        _ body: @escaping @Sendable (QueryInterrupter) -> DatabaseQuery.Answer
    ) async -> DatabaseQuery.Answer {
        let interrupter = QueryInterrupter()
        let (queue, timeout) = (queue, settings.timeout)
        let timer = Deadline(after: timeout) { interrupter.interrupt() }
        defer { timer.cancel() }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The query blocks, so it runs on its own thread.
                queue.async { continuation.resume(returning: body(interrupter)) }
            }
        } onCancel: {
            interrupter.interrupt()
        }
        guard interrupter.isOver else { return answer }
        // The machine may have been busy, so the query is retried, at growing intervals.
        return .busy(
            "the query was stopped because it ran longer than \(timeout.inWords) (timeout; raise it if the query needs longer)"
        )
    }
}
