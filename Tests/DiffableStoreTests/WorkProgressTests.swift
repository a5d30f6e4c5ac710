import Diffable
import Dispatch
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import DiffableStore

/// The progress of the writing thread, as the watchdog sees it.
struct WorkProgressTests {
    private let start = SuspendingClock.now

    @Test func `a job stands still from when it began, or last moved`() {
        let progress = WorkProgress()
        #expect(progress.standstill(at: start + .seconds(100)) == .zero)
        progress.begin(at: start)
        #expect(progress.standstill(at: start) == .zero)
        #expect(progress.standstill(at: start + .seconds(7)) == .seconds(7))
        progress.noteProgress(at: start + .seconds(5))
        #expect(progress.standstill(at: start + .seconds(7)) == .seconds(2))
        progress.end()
        #expect(progress.standstill(at: start + .seconds(100)) == .zero)
        progress.begin(at: start + .seconds(100))
        #expect(progress.standstill(at: start + .seconds(101)) == .seconds(1))
    }

    @Test func `nothing stands still between jobs`() {
        let progress = WorkProgress()
        progress.noteProgress(at: start)
        #expect(progress.standstill(at: start + .seconds(1)) == .zero)
    }

    @Test func `who writes much has time for it, until the next job`() {
        let progress = WorkProgress()
        progress.begin(at: start)
        progress.expectToWrite(10 * WorkProgress.slowestWriting)
        progress.expectToWrite(5 * WorkProgress.slowestWriting)
        #expect(progress.standstill(at: start + .seconds(15)) == .zero)
        #expect(progress.standstill(at: start + .seconds(16)) == .seconds(1))
        progress.end()
        progress.begin(at: start)
        #expect(progress.standstill(at: start + .seconds(15)) == .seconds(15))
    }

    @Test func `a journal that hangs stands still, and one with nothing to do does not`() async throws {
        let directory = ScratchDirectory()
        let store = try await directory.open()
        // Opening may have left maintenance to do.
        await store.sqlite.finishMaintenance()
        // The job that notified us may not have ended yet.
        #expect(try await eventuallyInTask { store.standstill == .zero })
        let (goOn, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        store.sqlite.executor.execute {
            begun.signal()
            goOn.wait()
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                begun.wait()
                continuation.resume()
            }
        }
        #expect(try await eventuallyInTask { store.standstill >= .milliseconds(50) })
        goOn.signal()
        await store.shutDown()
        #expect(try await eventuallyInTask { store.standstill == .zero })
    }

    @Test func `a statement moves that takes long`() async throws {
        let directory = ScratchDirectory()
        let store = try await directory.open()
        // For each row, the standstill at one moment. Without progress, it is the same for all rows.
        let moment = start + .seconds(1_000_000)
        let standstills = Mutex(Set<Duration>())
        let progress = store.sqlite.executor.progress
        await store.sqlite.add("look") {
            standstills.withLock { _ = $0.insert(progress.standstill(at: moment)) }
        }
        let counted = try await store.sqlite.query(
            "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 10000)"
                + " SELECT count(*) FROM number WHERE look() IS NULL")
        #expect(counted == 10_000)
        // Progress is counted every hundred steps of SQLite, and a row takes about ten.
        #expect(standstills.withLock(\.count) > 100)
        await store.shutDown()
    }

    @Test func `a group has time for its bytes`() async throws {
        let directory = ScratchDirectory()
        let store = try await directory.open()
        _ = try await store.creating("tasks", .durable).get()
        let journal = store.sqlite
        // While a row is written: the standstill if nothing progressed for fifty seconds.
        let standstill = Mutex(Duration.zero)
        try await journal.look { standstill.withLock { $0 = store.standstill(in: .seconds(50)) } }
        _ = try await store.applying("tasks", .section("all", [Item(id: "small")])).get()
        #expect(standstill.withLock { $0 } > .seconds(45))
        let content = Content(Array("\"\(String(repeating: "x", count: 7 << 20))\"".utf8))
        _ = try await store.applying("tasks", .section("all", [Item(id: "large", content: content)])).get()
        #expect(standstill.withLock { $0 } == .zero)
        await store.shutDown()
    }
}

extension Store {
    fileprivate nonisolated func standstill(in duration: Duration) -> Duration {
        sqlite.executor.progress.standstill(at: .now + duration)
    }
}

extension SQLiteJournal {
    /// Calls back whenever a row is about to be written.
    fileprivate func look(_ body: @escaping @Sendable () -> Void) throws {
        add("look", body)
        try database.writeWithoutTransaction {
            try $0.execute(sql: "CREATE TEMP TRIGGER look BEFORE INSERT ON journal BEGIN SELECT look(); END")
        }
    }

    /// Adds a function that statements can call; it returns null.
    fileprivate func add(_ name: String, _ body: @escaping @Sendable () -> Void) {
        database.writeWithoutTransaction { database in
            database.add(
                function: DatabaseFunction(name, argumentCount: 0) { _ in
                    body()
                    return nil
                })
        }
    }
}
