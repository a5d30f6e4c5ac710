import Diffable
import Testing

@testable import DiffableStore

/// What is remembered of requests with a key after a start.
@Suite struct `The keys of requests` {
    private let directory = ScratchDirectory()

    private func append(_ number: Int, to store: Store) async -> Result<Outcome, StoreError> {
        await store.transacting("tasks", [.appendItems([Item(id: .numbered(number))])], key: .numbered(number))
    }

    private func opened(_ limits: StoreLimits = StoreLimits()) async throws -> Store {
        let store = try await directory.open(limits: limits)
        _ = try await store.creating("tasks", .durable).get()
        _ = try await store.transacting("tasks", [.appendSections([Section(id: "today")])]).get()
        return store
    }

    @Test func `are there after a start and after a crash`() async throws {
        var store = try await opened()
        #expect(try await append(1, to: store).get().revision == 2)
        let removal: [Diffable.Operation] = [.deleteItems(["none"], .isPassedOver)]
        #expect(try await store.transacting("tasks", removal, key: "nothing").get().isChanged == false)
        let target = Target.section("later", [Item(id: "tea")])
        let first = try await store.applying("tasks", target, key: "tea").get()
        _ = try await store.transacting("tasks", [.deleteAllItems]).get()
        let crashed = try await store.sqlite.crash(in: directory).left
        await store.shutDown()
        for place in [directory, crashed] {
            store = try await place.open()
            #expect(try await append(1, to: store).get().revision == 2)
            let nothing = try await store.transacting("tasks", removal, key: "nothing").get()
            #expect(nothing.revision == 2 && !nothing.isChanged)
            let again = try await store.applying("tasks", target, key: "tea").get()
            #expect(again.revision == 3 && again.isChanged && again.summary == first.summary)
            #expect(again.summary?.insertedItems == 1 && again.summary?.insertedSections == 1)
            #expect(
                await store.transacting("tasks", removal, key: "1").failure == .requestKeyReused("tasks", "1"))
            #expect(await store.list("tasks")?.revision == 4)
            #expect(await store.list("tasks")?.snapshot.numberOfItems == 0)
            await store.shutDown()
        }
    }

    @Test func `are as many as are remembered, and go on being counted`() async throws {
        let limits = StoreLimits(requests: RequestLimits(keysMax: 3))
        var store = try await opened(limits)
        for number in 1...5 { _ = try await append(number, to: store).get() }
        await store.shutDown()
        store = try await directory.open(limits: limits)
        await store.sqlite.finishUpkeep()
        #expect(try await store.sqlite.query("SELECT count(*) FROM request") == 3)
        for number in 3...5 { #expect(try await append(number, to: store).get().revision == number + 1) }
        #expect(await append(2, to: store).failure != nil, "its item is there already")
        #expect(try await append(6, to: store).get().revision == 7)
        #expect(await append(3, to: store).failure != nil)
        await store.shutDown()
        // With less room than before.
        store = try await directory.open(limits: StoreLimits(requests: RequestLimits(keysMax: 1)))
        #expect(try await append(6, to: store).get().revision == 7)
        #expect(try await append(7, to: store).get().revision == 8)
        #expect(await append(6, to: store).failure != nil)
        await store.shutDown()
    }

    @Test func `are deleted when they are too many`() async throws {
        let store = try await opened(StoreLimits(requests: RequestLimits(keysMax: 10)))
        for number in 1...600 { _ = try await append(number, to: store).get() }
        await store.sqlite.finishUpkeep()
        let left = try await store.sqlite.query("SELECT count(*) FROM request")
        #expect(left >= 10 && left <= 10 + 257)
        #expect(try await store.sqlite.query("SELECT max(number) FROM request") == 600)
        await store.shutDown()
    }

    @Test func `are forgotten when they are too old`() async throws {
        var store = try await opened(StoreLimits(requests: RequestLimits(ageMax: 0)))
        _ = try await append(1, to: store).get()
        await store.shutDown()
        try await Task.sleep(for: .milliseconds(5))
        store = try await directory.open(limits: StoreLimits(requests: RequestLimits(ageMax: 0)))
        await store.sqlite.finishUpkeep()
        #expect(try await store.sqlite.query("SELECT count(*) FROM request") == 0)
        #expect(await append(1, to: store).failure != nil, "its item is there already")
        #expect(try await append(2, to: store).get().revision == 3)
        await store.shutDown()
    }

    @Test func `go with their list, and never come to another`() async throws {
        var store = try await opened()
        _ = try await append(1, to: store).get()
        _ = try await store.deleting("tasks").get()
        let crashed = try await store.sqlite.crash(in: directory).left
        await store.sqlite.finishUpkeep()
        #expect(try await store.sqlite.query("SELECT count(*) FROM request") == 0)
        await store.shutDown()
        store = try await crashed.open()
        _ = try await store.creating("tasks", .durable).get()
        _ = try await store.transacting("tasks", [.appendSections([Section(id: "today")])]).get()
        #expect(try await append(1, to: store).get().revision == 2)
        #expect(await store.list("tasks")?.snapshot.numberOfItems == 1)
        await store.shutDown()
    }

    @Test func `that met a full disk were not used`() async throws {
        var store = try await opened()
        let long = Content(Array("\"\(String(repeating: "x", count: 30_000))\"".utf8))
        let operations: [Diffable.Operation] = [.appendItems([Item(id: "long", content: long)])]
        _ = try await store.sqlite.query("PRAGMA max_page_count = 1")
        #expect(await store.transacting("tasks", operations, key: "k").failure == .noSpace)
        _ = try await store.sqlite.query("PRAGMA max_page_count = 1000000")
        #expect(try await store.transacting("tasks", operations, key: "k").get().revision == 2)
        await store.shutDown()
        store = try await directory.open()
        #expect(try await store.transacting("tasks", operations, key: "k").get().revision == 2)
        await store.shutDown()
    }
}
