import Diffable
import DiffableJSON
import Testing

@testable import DiffableStore

/// The changes that schemas refuse.
@Suite struct `The schemas of a list` {
    private let bench = Bench()
    private static let alice = Peer(userID: 61_001, groupID: 61_001)
    private static let bob = Peer(userID: 61_002, groupID: 61_002)

    private func prepare(_ items: [Item] = [], by peer: Peer = .daemon, mode: AccessMode? = nil) async throws {
        _ = try await withCheckedContinuation { continuation in
            bench.store.later {
                $0.createList("tasks", durability: .volatile, mode: mode, by: peer) {
                    continuation.resume(returning: $0)
                }
            }
        }.get()
        _ = try await bench.store.transacting("tasks", [.appendSections([Section(id: "s", items: items)])]).get()
    }

    private func refusal(_ operations: [ListOperation]) async throws -> InvalidContent? {
        let before = try #require(await bench.store.list("tasks"))
        let result = await bench.store.transacting("tasks", operations)
        if result.misfit != nil {
            let dryRun = await bench.store.transacting("tasks", operations, mode: .dryRun)
            #expect(dryRun.misfit == result.misfit)
            #expect(await bench.store.list("tasks") === before, "what is refused changes nothing")
        } else {
            _ = try result.get()
        }
        return result.misfit
    }

    private func schemas(for peer: Peer) async throws -> ListSchemas? {
        try await bench.store.run { store in
            Result { () throws(StoreError) in try store.schemas(of: "tasks", for: peer).schemas }
        }.get()
    }

    private func patch(_ id: ItemID, _ json: String) throws -> ListOperation {
        .patchItems([try Array(json.utf8).withUnsafeBytes { try MergePatch(json: $0) }.itemPatch(of: id)])
    }

    @Test func `refuse what does not fit by every operation that writes, and say which one it was`() async throws {
        try await prepare()
        _ = try await bench.store.settingSchemas("tasks", .ofTasks()).get()
        #expect(try await refusal([.appendItems([Item("a", #"{"text":"x"}"#)])]) == nil)
        let wrong = try Item("b", #"{"text":7}"#)
        let nested = try Item("c", #"{"text":"x"}"#, children: [wrong])
        let misfit = try #require(
            try await refusal([.appendItems([Item("d", #"{"text":"x"}"#)]), .insertItems([nested], at: .before("a"))]))
        #expect(misfit.item == "b")
        #expect(misfit.operation == 1)
        #expect(misfit.violation.path == "/text")
        #expect(misfit.violation.keyword == "type")
        #expect(misfit.violation.kind == "")
        #expect(misfit.sentence == #"/text of item "b" must be a string, not 7"#)
        let writes: [ListOperation] = try [
            .appendSections([Section(id: "t", items: [wrong])]),
            .insertSections([Section(id: "t", items: [wrong])], at: .front),
            .appendItems([wrong]),
            .replaceChildren(of: "a", with: [wrong]),
            .reconfigureItems([ItemReconfiguration(id: "a", content: .some(nil))]),
            .reconfigureItems([ItemReconfiguration(id: "a", content: Content(json: "[]"))]),
            .reloadItems([ItemReload(id: "a", kind: "header")]),
            .reloadItems([ItemReload(id: "a", content: Content(json: "1"))]),
            patch("a", #"{"text":null}"#), patch("a", #"{"text":[]}"#), patch("a", "3"),
        ]
        for (number, write) in writes.enumerated() {
            #expect(try await refusal([.expandItems(["a"]), write])?.operation == 1, "\(number)")
        }
        #expect(
            try await refusal([.reloadItems([ItemReload(id: "a", kind: "header", content: Content(json: #""h""#))])])
                == nil)
        #expect(try await refusal([.appendItems([Item("e", kind: "other", "7")])]) == nil)
    }

    @Test func `look at what a transaction leaves behind, and name the operation that wrote it last`() async throws {
        try await prepare()
        _ = try await bench.store.settingSchemas("tasks", .ofTasks()).get()
        #expect(try await refusal([.appendItems([Item("a", "{}")]), patch("a", #"{"text":"x"}"#)]) == nil)
        #expect(try await refusal([.appendItems([Item("b", "{}")]), .deleteItems(["b"])]) == nil)
        let late = try await refusal([
            .appendItems([Item("c", #"{"text":"x"}"#)]), .appendItems([Item("d", "{}")]), patch("c", #"{"text":1}"#),
        ])
        #expect(late?.item == "d")
        #expect(late?.operation == 1)
        let last = try await refusal([.appendItems([Item("c", "{}")]), patch("c", #"{"text":1}"#)])
        #expect(last?.operation == 1)
        #expect(last?.violation.path == "/text")
    }

    @Test func `refuse themselves where an item does not fit, unless what is there is kept`() async throws {
        try await prepare([Item("a", #"{"text":"x"}"#), Item("b", "1"), Item("c", "2")])
        let before = try #require(await bench.store.list("tasks"))
        let refused = await bench.store.settingSchemas("tasks", try .ofTasks())
        #expect(refused.misfit?.item == "b")
        #expect(refused.misfit?.isExisting == true)
        #expect(await bench.store.run { $0.storedLists["tasks"]?.schemas } == nil)
        _ = try await bench.store.settingSchemas("tasks", .ofTasks(), existing: .areKept).get()
        #expect(await bench.store.list("tasks") === before, "to set them is no revision")
        // An item with unchanged content may be moved, redrawn and written again.
        #expect(
            try await refusal([.moveItem("b", to: .front(of: .section("s"))), .reloadItems([ItemReload(id: "b")])])
                == nil)
        #expect(
            try await refusal([
                .reconfigureItems([ItemReconfiguration(id: "b", content: Content(json: "1"))]),
                .appendItems([Item("d", #"{"text":"y"}"#)]),
            ]) == nil)
        #expect(
            try await refusal([.reconfigureItems([ItemReconfiguration(id: "b", content: Content(json: "2"))])])?.item
                == "b")
        _ = try await bench.store.settingSchemas("tasks", SchemaSet()).get()
        #expect(try await refusal([.appendItems([Item("e", "1")])]) == nil)
    }

    @Test func `hold apply to what it changes, and undo to what it brings back`() async throws {
        try await prepare([Item("a", "1"), Item("b", #"{"text":"x"}"#)])
        _ = try await bench.store.transacting("tasks", [.deleteItems(["a"])]).get()
        _ = try await bench.store.settingSchemas("tasks", .ofTasks()).get()
        let undone = await bench.store.undoing("tasks")
        #expect(undone.misfit?.item == "a")
        #expect(undone.misfit?.operation == nil)
        _ = try await bench.store.settingSchemas("tasks", SchemaSet()).get()
        _ = try await bench.store.undoing("tasks").get()
        _ = try await bench.store.settingSchemas("tasks", .ofTasks(others: .refuse), existing: .areKept).get()
        let kept = try [Item("b", #"{"text":"y"}"#), Item("a", "1")]
        _ = try await bench.store.applying("tasks", .whole([Section(id: "s", items: kept)])).get()
        let whole = await bench.store.applying("tasks", .section("s", kept + [try Item("c", "1")]))
        #expect(whole.misfit?.item == "c")
        #expect(whole.misfit?.operation == nil)
        let parts = await bench.store.applying(
            "tasks",
            .operations([
                .appendSections([Section(id: "s", items: kept)]), .appendItems([try Item("c", kind: "other", "1")]),
            ]))
        #expect(parts.misfit?.operation == 1)
        #expect(parts.misfit?.violation.keyword == "others")
        #expect(parts.misfit?.violation.kind == "other")
    }

    @Test func `are set by whom the list belongs to, and read by who may read it`() async throws {
        try await prepare(by: Self.alice, mode: AccessMode(bits: 0o602))
        let set = try SchemaSet.ofTasks()
        #expect(
            await bench.store.settingSchemas("tasks", set, by: Self.bob).failure == .noSuchList("tasks"),
            "it may not know of it")
        _ = try await bench.store.settingSchemas("tasks", set, by: Self.alice).get()
        #expect(try await schemas(for: Self.alice)?.set == set)
        await #expect(throws: StoreError.noSuchList("tasks")) { try await schemas(for: Self.bob) }
        // A caller with only write access learns nothing about existing items.
        let result = await withCheckedContinuation { continuation in
            bench.store.later {
                $0.transact("tasks", [.appendItems([Item(id: "a")])], by: Self.bob) {
                    continuation.resume(returning: $0)
                }
            }
        }
        #expect(result.failure == .permissionDenied("tasks", .unfitWhileWriteOnly))
    }

    @Test func `that nobody may set are denied to who may read`() async throws {
        try await prepare(by: Self.alice, mode: AccessMode(bits: 0o606))
        #expect(
            await bench.store.settingSchemas("tasks", try .ofTasks(), by: Self.bob).failure
                == .permissionDenied("tasks", .schemas))
        #expect(await bench.store.settingSchemas("none", SchemaSet()).failure == .noSuchList("none"))
    }

    @Test func `count for the limit of their owner`() async throws {
        let bench = Bench(limits: StoreLimits(contentPerUserMax: 2_000))
        _ = await withCheckedContinuation { continuation in
            bench.store.later {
                $0.createList("tasks", durability: .volatile, by: Self.alice) { continuation.resume(returning: $0) }
            }
        }
        let set = try SchemaSet.reading(#"{"":{"description":"\#(String(repeating: "d", count: 3_000))"}}"#)
        guard
            case .contentOfUserTooLong(_, 61_001, 2_000)? = await bench.store.settingSchemas(
                "tasks", set, by: Self.alice
            ).failure
        else {
            Issue.record("it was taken")
            return
        }
        _ = try await bench.store.settingSchemas("tasks", .reading(#"{"":true}"#), by: Self.alice).get()
        let length = await bench.store.run { $0.usages[61_001]?.length ?? 0 }
        #expect(length > 0)
        _ = try await bench.store.deleting("tasks").get()
        #expect(await bench.store.run { $0.usages[61_001]?.length ?? 0 } == 0)
    }

    @Test func `are refused with the disk, and what is asked meanwhile with them`() async throws {
        await bench.createDurable("tasks")
        let (store, tasks, item) = (bench.store, try SchemaSet.ofTasks(), try Item("a", #"{"text":"x"}"#))
        store.later { [log = bench.log] in
            $0.setSchemas(of: "tasks", tasks, existing: .areChecked) { log.append("set: \($0.summary)") }
        }
        await store.settle()
        bench.transact("tasks", [.appendItems([item])])
        await store.settle()
        #expect(await store.run { $0.storedLists["tasks"]?.schemas } == nil, "not before it is on disk")
        bench.journal.fail(.noSpace)
        await store.settle()
        // The item depends on schemas that were not written.
        #expect(bench.log.lines == ["set: noSpace", "transact tasks: noSpace"])
        #expect(await store.run { $0.storedLists["tasks"]?.headSchemas } == nil)
    }

    @Test func `are remembered with who set them and when, the last ones, as long as the past is`() async throws {
        let clock = TestClock()
        let bench = Bench(limits: StoreLimits(history: HistoryLimits(ageMax: 100)), clock: clock.clock)
        _ = await bench.store.creating("tasks", .volatile)
        for number in 0..<20 {
            let set = try SchemaSet.reading(#"{"":{"maxLength":\#(number)}}"#)
            _ = try await bench.store.settingSchemas("tasks", set).get()
            // Setting the same schemas again changes nothing.
            _ = try await bench.store.settingSchemas("tasks", set).get()
        }
        let changes = await bench.store.run { $0.schemaChanges(of: "tasks") }
        #expect(changes.count == ListSchemas.changesMax)
        #expect(changes.allSatisfy { $0.origin == Origin(name: "a test") && $0.numberOfKinds == 1 })
        clock.pass(seconds: 101)
        #expect(await bench.store.run { $0.schemaChanges(of: "tasks") } == [])
    }
}
