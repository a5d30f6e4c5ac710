import Diffable
import DiffableJSON
import GRDB
import Testing

@testable import DiffableStore

/// The schemas of durable lists are on disk, as their contents are.
struct SchemaRecoveryTests {
    private let directory = ScratchDirectory()

    private func schemas(in store: Store, _ name: ListName = "a") async -> ListSchemas? {
        await store.run { $0.storedLists[name]?.schemas }
    }

    /// Leaves a list with schemas, and returns its epoch.
    private func leave() async throws -> String {
        let store = try await directory.open()
        _ = try await store.creating("a", .durable).get()
        _ = try await store.creating("b", .durable).get()
        _ = try await store.settingSchemas("b", .ofTasks()).get()
        _ = try await store.settingSchemas("a", .reading("{}", others: .refuse)).get()
        _ = try await store.settingSchemas("a", .ofTasks(), existing: .areKept).get()
        _ = try await store.transacting("a", [.appendItems([Item("x", #"{"text":"x"}"#)])]).get()
        let epoch = try #require(await store.list("a")?.epoch)
        await store.shutDown()
        return epoch
    }

    @Test func `they come back after a stop, after a crash, and through checkpoints`() async throws {
        let restless = StoreLimits(journalLengthMin: 300, checkpointPartLengthMax: 200, history: .none)
        let store = try await directory.open(limits: restless)
        _ = try await store.creating("a", .durable).get()
        _ = try await store.settingSchemas("a", .reading(#"{"":{"type":"string"}}"#)).get()
        _ = try await store.settingSchemas("a", .ofTasks(others: .refuse), existing: .areKept).get()
        for number in 0..<40 {
            _ = try await store.transacting("a", [.appendSections([Section(id: .numbered(number))])]).get()
        }
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT generation FROM list WHERE name = 'a'") > 0)
        let (before, changes) = (await store.lists.map(Remembered.init), await schemas(in: store)?.changes)
        let left = try await store.sqlite.crash(in: directory).left
        await store.shutDown()
        for directory in [left, directory] {
            let opened = try await directory.open()
            #expect(await opened.lists.map(Remembered.init) == before, "and the epochs with them")
            let found = try #require(await schemas(in: opened))
            #expect(try found.set == .ofTasks(others: .refuse))
            #expect(found.existing == .areKept)
            #expect(found.changes == changes)
            #expect(found.changes.map(\.numberOfKinds) == [1, 2])
            #expect(await opened.transacting("a", [.appendItems([Item(id: "x", kind: "other")])]).misfit?.item == "x")
            await opened.shutDown()
            #expect(try OfflineStore(directory: directory.path).check(scratch: "/tmp").isGood)
        }
    }

    @Test func `schemas that the disk has lost are noticed like any other change`() async throws {
        let epoch = try await leave()
        // The state without the last group: the rows fit their checksums, but not the witness.
        try directory.edit("DELETE FROM schemas WHERE list = 1")
        let store = try await directory.open()
        #expect(await store.list("a")?.epoch != epoch)
        await store.shutDown()
    }

    @Test(arguments: [
        "schemas = CAST('{}' AS BLOB)", "others = 'refuse'", "existing = 'check'", "kinds = 7", "client = 'nobody'",
        "schemas = NULL",
    ])
    func `a row that was altered is refused, and repaired into a list without schemas`(change: String) async throws {
        _ = try await leave()
        try directory.edit("UPDATE schemas SET \(change) WHERE list = 1 AND number = 1")
        await #expect(throws: StoreOpeningError.self) { try await directory.open() }
        let repair = try OfflineStore(directory: directory.path).repair(keepingIn: "kept")
        let damage = try #require(repair.found.lists.first { $0.name == "a" }?.damage)
        #expect(damage.contains("its schemas have a wrong checksum"))
        let store = try await directory.open()
        #expect(await schemas(in: store) == nil)
        #expect(await store.list("a")?.snapshot.contains("x" as ItemID) == true)
        #expect(try await schemas(in: store, "b")?.set == .ofTasks(), "what is good is kept")
        await store.shutDown()
    }

    @Test func `nothing of them is left of a list that cannot come back`() async throws {
        let limits = StoreLimits(history: .none)
        let store = try await directory.open(limits: limits)
        _ = try await store.creating("a", .durable).get()
        _ = try await store.settingSchemas("a", .ofTasks()).get()
        _ = try await store.deleting("a").get()
        _ = try await store.creating("b", .durable).get()
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT count(*) FROM schemas") == 0)
        await store.shutDown()
    }

    @Test(arguments: [Durability.durable, .volatile])
    func `they go with a list that is renamed, or deleted and brought back`(durability: Durability) async throws {
        let store = try await directory.open()
        _ = try await store.creating("a", durability).get()
        _ = try await store.settingSchemas("a", .ofTasks()).get()
        _ = try await store.renaming("a", to: "b").get()
        _ = try await store.creating("a", durability).get()
        #expect(await schemas(in: store) == nil, "another list of the old name begins without")
        _ = try await store.deleting("b").get()
        _ = try await store.undeleting("b", as: "c").get()
        #expect(try await schemas(in: store, "c")?.set == .ofTasks())
        #expect(await store.transacting("c", [.appendItems([Item(id: "x")])]).misfit?.item == "x")
        await store.shutDown()
    }

    @Test func `a restore brings them with their list, and refuses contents that do not fit`() async throws {
        let store = try await directory.open()
        let snapshot = try Snapshot().applying([.appendItems([Item("x", "1")])])
        func restore(_ existing: ExistingItems) async throws -> Result<[AccessOutcome], StoreError> {
            let list = RestoredList(name: "a", snapshot: snapshot, schemas: try .ofTasks(), existing: existing)
            return await withCheckedContinuation { continuation in
                store.later {
                    $0.restore([list], replaced: .areError, origin: nil) { continuation.resume(returning: $0) }
                }
            }
        }
        #expect(try await restore(.areChecked).misfit?.item == "x")
        #expect(await store.lists.isEmpty)
        _ = try await restore(.areKept).get()
        #expect(await store.transacting("a", [.appendItems([Item(id: "y")])]).misfit?.item == "y")
        await store.shutDown()
        let again = try await directory.open()
        #expect(try await schemas(in: again)?.set == .ofTasks())
        await again.shutDown()
    }
}
