import Diffable
import DiffableStore
import Testing

struct ApplyTests {
    let bench = Bench()

    private func start(_ sections: [Section]) async throws -> Store {
        bench.create("tasks", .volatile)
        _ = try await bench.store.applying("tasks", .whole(sections)).get()
        return bench.store
    }

    private func outline(_ store: Store) async -> String? {
        await store.list("tasks")?.snapshot.visualDescription
    }

    private var days: [Section] {
        [
            Section(
                id: "today", items: [Item(id: "milk"), Item(id: "tea", isExpanded: true, children: [Item(id: "mug")])]),
            Section(id: "later", items: [Item(id: "paint")]),
        ]
    }

    @Test func `the same state again changes nothing`() async throws {
        let store = try await start(days)
        let outcome = try await store.applying("tasks", .whole(days)).get()
        #expect(!outcome.isChanged)
        #expect(outcome.revision == 1)
    }

    @Test func `an expansion that is not said is kept, however the state is brought`() async throws {
        let store = try await start(days)
        let unsaid = [
            Section(id: "today", items: [Item(id: "milk"), Item(id: "tea", children: [Item(id: "mug")])]),
            Section(id: "later", items: [Item(id: "paint")]),
        ]
        let targets: [Target] = [
            .whole(unsaid), .section("today", unsaid[0].items), .operations([.appendSections(unsaid)]),
            .operations([.appendItems(unsaid[0].items, to: .section("today"))], section: "today"),
            .operations(
                [
                    .appendSections([Section(id: "today"), Section(id: "later", items: unsaid[1].items)]),
                    .appendItems([Item(id: "tea")], to: .section("today")),
                    .appendItems([Item(id: "mug")], to: .parent("tea")),
                    .insertItems([Item(id: "milk")], at: .front(of: .section("today"))),
                ]),
        ]
        for target in targets {
            let outcome = try await store.applying("tasks", target).get()
            #expect(!outcome.isChanged)
        }
    }

    @Test func `the list's own content is kept unless something is said of it`() async throws {
        let store = try await start(days)
        func content(_ target: Target) async throws -> Content? {
            _ = try await store.applying("tasks", target).get()
            return await store.list("tasks")?.snapshot.content
        }
        let (one, two) = (Content(Array("1".utf8)), Content(Array("2".utf8)))
        #expect(try await content(.whole(days, content: one)) == one)
        for target in [
            Target.whole([]), .operations([.appendSections(days)]), .section("today", []),
            .operations([.appendItems([Item(id: "new")])], section: "today"),
        ] {
            #expect(try await content(target) == one)
        }
        #expect(try await content(.operations([.reconfigureList(two), .appendSections(days)])) == two)
        #expect(try await content(.operations([.reconfigureList(nil)])) == nil)
        #expect(try await content(.whole([], content: one)) == one)
        #expect(try await content(.whole([], content: .some(nil))) == nil)
    }

    @Test func `one section is replaced and the others stay`() async throws {
        let store = try await start(days)
        _ = try await store.applying("tasks", .section("later", [Item(id: "sand"), Item(id: "paint")])).get()
        #expect(await outline(store) == "today\n    milk\n  ▾ tea\n      mug\nlater\n    sand\n    paint\n")
    }

    @Test func `a section that is absent is made at the end, and takes over items that others hold`() async throws {
        let store = try await start(days)
        _ = try await store.applying("tasks", .section("done", [Item(id: "milk"), Item(id: "mug")])).get()
        let text = try #require(await outline(store))
        #expect(text.hasSuffix("later\n    paint\ndone\n    milk\n    mug\n"))
    }

    @Test func `operations for one section may not make another`() async throws {
        let store = try await start(days)
        let result = await store.applying(
            "tasks", .operations([.appendSections([Section(id: "done")])], section: "today"))
        #expect(result.failure == .operation("tasks", .noSuchSection("done")))
    }

    @Test func `an id that stands twice is refused, naming both places`() async throws {
        let store = try await start(days)
        let twice = [Item(id: "milk"), Item(id: "milk")]
        #expect(
            await store.applying("tasks", .whole([Section(id: "a", items: twice)])).failure
                == .repetition(
                    "tasks", Repetition(item: "milk", first: "sections[0].items[0]", second: "sections[0].items[1]")))
        let deep = [Item(id: "tea", children: [Item(id: "milk")]), Item(id: "milk")]
        #expect(
            await store.applying("tasks", .section("a", deep)).failure
                == .repetition(
                    "tasks", Repetition(item: "milk", first: "snapshot[0].children[0]", second: "snapshot[1]")))
        let operations: [ListOperation] = [.appendItems([Item(id: "milk")]), .appendItems([Item(id: "milk")])]
        #expect(
            await store.applying("tasks", .operations(operations, section: "a")).failure
                == .transaction("tasks", TransactionError(index: 1, reason: .duplicateItem("milk"))))
    }

    @Test func `a reload is remembered by its revision, and one that changes nothing is none`() async throws {
        let store = try await start(days)
        #expect(await store.list("tasks")?.lastReloadRevision == 0)
        _ = try await store.applying("tasks", .whole(days), delivery: .reload).get()
        #expect(await store.list("tasks")?.lastReloadRevision == 0)
        _ = try await store.applying("tasks", .whole([]), delivery: .reload).get()
        #expect(await store.list("tasks")?.lastReloadRevision == 2)
        _ = try await store.applying("tasks", .whole(days)).get()
        #expect(await store.list("tasks")?.lastReloadRevision == 2)
    }

    @Test func `limits are those that were handed in`() async throws {
        let bench = Bench(limits: StoreLimits(snapshot: SnapshotLimits(levelsMax: 1, itemsMax: 2)))
        bench.create("tasks", .volatile)
        func failure(_ items: [Item]) async -> StoreError? {
            await bench.store.applying("tasks", .whole([Section(id: "a", items: items)])).failure
        }
        let pair = [Item(id: "1"), Item(id: "2")]
        #expect(await failure(pair) == nil)
        #expect(await failure(pair + [Item(id: "3")]) == .operation("tasks", .tooManyItems(max: 2)))
        let nested = [Item(id: "1", children: [Item(id: "2")])]
        #expect(await failure(nested) == .operation("tasks", .tooManyLevels("2", max: 1)))
    }
}
