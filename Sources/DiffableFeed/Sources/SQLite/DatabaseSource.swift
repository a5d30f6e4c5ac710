import Diffable
import Dispatch
import Glibc

/// Rows of a query of an SQLite database that others write to.
///
/// Neither of SQLite's own ways to hear of commits crosses processes, and the kernel tells of a write before SQLite lets others see it.
/// So after each event the files are looked at again and again for some seconds (`DatabaseWatch`), which needs no lock and no
/// connection, and the query is run when they say that there was a commit.
package struct DatabaseSource: FeedSource {
    private let settings: DatabaseSettings
    private let rows: RowStates
    private let watcher: FileWatcher
    private let problem: @Sendable (_ ticket: Int) -> String?

    /// - Parameter problem: why nothing is heard of changes; nil: what the watcher says.
    init(
        _ settings: DatabaseSettings, _ rows: RowStates, watcher: FileWatcher,
        problem: (@Sendable (_ ticket: Int) -> String?)? = nil
    ) {
        self.settings = settings
        self.rows = rows
        self.watcher = watcher
        self.problem = problem ?? watcher.problem
    }

    package var pace: FeedSchedule.Pace { .runs(every: nil) }
    package var watchedPaths: [String] { [] }

    package func run(_ deliver: @escaping @Sendable (FeedState) -> Void) async throws {
        let bell = Bell()
        let ticket = watcher.watch([settings.path], suffixes: ["-wal", "-journal"]) { bell.ring() }
        defer { watcher.stop(ticket) }
        var reading = DatabaseReading(settings, rows)
        defer { reading.end() }
        var watch = DatabaseWatch(every: settings.every, at: .now)
        var lastBlindness: String?
        while true {
            try Task.checkCancellation()
            let start = ContinuousClock.now
            switch await reading.look() {
            case .same: watch.sawNothing(at: .now)
            case .state(let snapshot, let isFinal):
                deliver(.snapshot(snapshot))
                watch.read(isFinal: isFinal, from: start, at: .now)
            case .trouble(let message):
                if watch.sawTrouble(message, at: .now) { deliver(.failure(FeedError(message))) }
            case .failure(let error):
                deliver(.failure(error))
                watch.read(isFinal: true, from: start, at: .now)
            }
            // Where nothing is heard of changes it is looked at from time to time, until something is.
            let blindness = settings.every == nil ? problem(ticket) : nil
            if blindness != lastBlindness {
                lastBlindness = blindness
                deliver(.blindness(blindness))
            }
            let next = FileWatcher.nextLook(watch.next, isBlind: blindness != nil)
            // A disk with an open file cannot be unmounted.
            if watch.next == nil { reading.end() }
            if await bell.wait(until: next) { watch.stir(at: .now) }
            // What takes long may take a fifth of the time.
            if let rest = watch.rest, rest > .now { try await Task.sleep(until: rest, clock: .continuous) }
        }
    }
}

/// What is known of a database, and one look at it after the other.
struct DatabaseReading {
    enum News {
        case same
        /// Whether nothing can have been missed.
        case state(Snapshot, isFinal: Bool)
        /// It may be otherwise in a moment.
        case trouble(String)
        /// The query itself is wrong.
        case failure(FeedError)
    }

    private let settings: DatabaseSettings
    private var rows: RowStates
    private var files: DatabaseFiles
    /// As of the last time that it was read.
    private var known: DatabaseFiles.Look?
    /// The last look, and when the files first looked like that.
    private var seen: (look: DatabaseFiles.Look, time: timespec.Parts)?
    private let query: DatabaseQuery
    private let queue: DispatchQueue

    init(_ settings: DatabaseSettings, _ rows: RowStates) {
        self.settings = settings
        self.rows = rows
        files = DatabaseFiles(settings.path)
        query = DatabaseQuery(path: settings.path, sql: settings.query, jsonColumns: Set(settings.jsonColumns))
        queue = DispatchQueue(label: "query")
    }

    mutating func end() { files.close() }

    /// - Parameter time: when it is looked, for tests; nil: now.
    mutating func look(at time: timespec.Parts? = nil) async -> News {
        do throws(FeedError) {
            let (before, now) = (try files.look(), time ?? .now())
            if before.isSame(as: known, at: now) { return .same }
            if seen?.look != before { seen = (before, now) }
            guard before.isSettled else { return .trouble("the database \(settings.path) is being written") }
            // Where nobody can have a lock on it, or nobody must wait for ours, there is none.
            let isShared = before.isInWALMode && (before.hasIndex || before.hasLog)
            let answer = await answer(at: before.path, isShared ? .shared : .unlocked)
            let after = try files.look()
            // A change within a tick of the clock of files may look like none, and may mend what is wrong.
            let isOld = before.isOld(at: now, seen: seen?.time ?? now)
            let settled = isShared || isOld ? before : nil
            switch answer {
            case .rows(let images):
                guard isShared || after == before else {
                    return .trouble("the database \(settings.path) is being written")
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

    private func answer(at real: String, _ access: DatabaseQuery.Access) async -> DatabaseQuery.Answer {
        let interruption = Interruption()
        let (query, queue, timeout) = (query, queue, settings.timeout)
        let timer = Deadline(after: timeout) { interruption.interrupt() }
        defer { timer.cancel() }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // It blocks, so it has a thread of its own.
                queue.async { continuation.resume(returning: query.answer(at: real, access, interruption)) }
            }
        } onCancel: {
            interruption.interrupt()
        }
        guard interruption.isOver else { return answer }
        return .failure("the query was ended, because it ran longer than \(timeout.inWords)")
    }
}
