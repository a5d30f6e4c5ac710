import Diffable
import DiffableJSON
import Foundation
import GRDB
import Testing

@testable import DiffableStore

/// History and request keys age only by the time that a daemon has run.
struct AgeTests {
    let directory = ScratchDirectory()
    let time = TestClock()
    private let limits = StoreLimits(
        history: HistoryLimits(ageMax: 100), requests: RequestLimits(ageMax: 100))
    private let items: [ListOperation] = [.appendSections([Section(id: "s")])]

    private func open(_ directory: ScratchDirectory? = nil) async throws -> Store {
        try await (directory ?? self.directory).open(limits: limits, clock: time.clock)
    }

    private func makeList(in store: Store) async throws {
        _ = try await store.creating("tasks", .durable).get()
        _ = try await store.transacting("tasks", items, key: "first").get()
    }

    /// Checks whether the request under the key is answered as before, and the old state is readable.
    private func expectRemembered(_ isRemembered: Bool, _ store: Store, _ comment: Comment) async throws {
        let again = await store.run { store in
            (store.requestWindows.values.first?["first"], store.list("tasks", at: 0))
        }
        let now = await store.clock.running
        let first = again.0.flatMap { $0.isExpired(limits.requests, now: now) ? nil : $0 }
        #expect((first != nil) == isRemembered, comment)
        #expect((again.1 != nil) == isRemembered, comment)
    }

    @Test func `a clock that jumps by years makes nothing older`() async throws {
        let store = try await open()
        try await makeList(in: store)
        for years in [10, -20, 10] {
            time.jump(years: years)
            #expect(try await store.transacting("tasks", items, key: "first").get().revision == 1)
            try await expectRemembered(true, store, "by \(years) years")
        }
        time.pass(seconds: 100)
        try await expectRemembered(true, store, "100 s")
        time.pass(seconds: 0.001)
        try await expectRemembered(false, store, "and a little more")
        await store.shutDown()
    }

    @Test func `a stop makes nothing older, and the time before it counts`() async throws {
        var store = try await open()
        try await makeList(in: store)
        time.pass(seconds: 60)
        for _ in 0..<3 {
            await store.shutDown()
            time.restartMachine()
            time.jump()
            store = try await open()
            try await expectRemembered(true, store, "after a start")
        }
        time.pass(seconds: 40)
        try await expectRemembered(true, store, "100 s in all")
        time.pass(seconds: 0.001)
        try await expectRemembered(false, store, "and a little more")
        await store.shutDown()
    }

    @Test func `after a crash nothing is older than it was at the last change`() async throws {
        let store = try await open()
        try await makeList(in: store)
        time.pass(seconds: 60)
        _ = try await store.transacting("tasks", [.appendItems([Item(id: "a")])]).get()
        time.pass(seconds: 39)
        let (left, _) = try await store.sqlite.crash(in: directory)
        await store.shutDown()
        time.restartMachine()
        let again = try await open(left)
        try await expectRemembered(true, again, "after a start")
        time.pass(seconds: 40)
        try await expectRemembered(true, again, "100 s in all")
        time.pass(seconds: 0.001)
        try await expectRemembered(false, again, "and a little more")
        await again.shutDown()
    }

    @Test func `history tells the time of day, whatever it was`() async throws {
        let store = try await open()
        try await makeList(in: store)
        let before = try #require(await store.run { $0.history(of: "tasks") }?.first)
        time.jump(years: 10)
        time.pass(seconds: 1)
        _ = try await store.transacting("tasks", [.appendItems([Item(id: "a")])]).get()
        await store.shutDown()
        let again = try await open()
        let revisions = try #require(await again.run { $0.history(of: "tasks") })
        #expect(revisions.last == before)
        let difference = revisions[0].moment.timeOfDay.milliseconds - before.moment.timeOfDay.milliseconds
        #expect(difference == 315_360_001_000)
        await again.shutDown()
    }

    @Test(arguments: [
        ("[5,10,2,1,7]", 7, nil),
        (#"[5,10,2,0,4711,null,null,8]"#, 8, Origin(processID: 4_711)),
        (
            #"[5,10,2,0,1,2,"a",8,3,4,"b"]"#, 8,
            Origin(name: "a", processID: 1, userID: 2, handler: .init(name: "b", processID: 3, userID: 4))
        ),
        (#"[5,10,2,0,null,2,null,8,null,null,null]"#, 8, Origin(userID: 2, handler: .init())),
    ])
    func `a note has a running time, an origin or not, and a handler or not`(
        text: String, running: Int, origin: Origin?
    ) throws {
        let note = try Array(text.utf8).withUnsafeBytes { try TransactionNote($0, revision: 3) }
        #expect(note.revision.moment.timeOfDay.milliseconds == 5)
        #expect(note.revision.moment.running.milliseconds == running)
        #expect(note.revision.origin == origin)
    }

    @Test(arguments: [
        "[5,10,2,1]", #"[5,10,2,0,null,1000,"a"]"#, "[5,10,2,1,null]", "[5,10,2,1,1,1]", #"[5,10,2,0,1,1,"a",8,9]"#,
        #"[5,10,2,0,1,1,"a",8,3,4]"#,
        #"[5,10,2,0,1,1,"a",8,3,4,"b",5]"#, "[5,10,2]",
    ])
    func `any other note is damaged`(text: String) {
        #expect(throws: JSONError.self) {
            try Array(text.utf8).withUnsafeBytes { try TransactionNote($0, revision: 3) }
        }
    }
}
