import Diffable
import DiffableJSON
import Synchronization
import Testing

@testable import DiffableStore

/// Tests of the SQLite journal that recovery does not cover.
struct JournalTests {
    let directory = ScratchDirectory()

    /// Returns the JSON of each committed step, or "none".
    private func watchSteps(_ store: Store) async -> Log {
        let log = Log()
        await store.run { store in
            store.onCommit = { commits in
                for case .changed(_, let step) in commits.map(\.event) {
                    log.append(step?.encoded.map { String(decoding: $0, as: UTF8.self) } ?? "none")
                }
            }
        }
        return log
    }

    @Test func `the bytes that were written down are handed on, to be sent`() async throws {
        let store = try await directory.open()
        _ = try await store.creating("tasks", .durable).get()
        let log = await watchSteps(store)
        _ = try await store.transacting("tasks", [.appendSections([Section(id: "today")])]).get()
        _ = try await store.transacting("tasks", [.appendItems([Item(id: "milk")])]).get()
        #expect(
            log.lines == [
                #"[{"op":"insertSections","after":null,"sections":[{"id":"today"}]}]"#,
                #"[{"op":"insertItems","section":"today","after":null,"items":[{"id":"milk"}]}]"#,
            ])
        await store.shutDown()
    }

    @Test func `a change of several rows hands no bytes on`() async throws {
        let store = try await directory.open()
        _ = try await store.creating("tasks", .durable).get()
        let log = await watchSteps(store)
        let long = Content(Array("\"\(String(repeating: "x", count: SQLiteJournal.rowLengthMax / 2))\"".utf8))
        let items = (0..<3).map { Item(id: .numbered($0), content: long) }
        _ = try await store.applying("tasks", .section("all", items)).get()
        #expect(log.lines == ["none"])
        await store.shutDown()
    }

    @Test func `a database that breaks is noticed by the next group, if not before`() async throws {
        let log = Log()
        let store = try await Store.open(
            directory: directory.path, executor: DispatchQueueExecutor(label: "test.store"),
            limits: StoreLimits(journalLengthMin: 0, history: .none), logger: .silent,
            onFailure: { _ in log.append("failed") })
        _ = try await store.creating("tasks", .durable).get()
        _ = try await store.sqlite.query("DROP TABLE checkpoint")
        let operations: [ListOperation] = [.appendSections([Section(id: "today")])]
        #expect(try await store.transacting("tasks", operations).get().revision == 1)
        await store.sqlite.finishMaintenance()
        let error = await store.transacting("tasks", [.deleteAllItems]).failure
        guard case .storageFailed = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(await store.list("tasks")?.revision == 1)
        #expect(log.lines == ["failed"])
        await store.shutDown()
    }
}
