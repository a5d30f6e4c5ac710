import Diffable
import GRDB
import Testing

@testable import DiffableStore

/// Owner, group and mode of durable lists are on disk, as their contents are.
struct AccessRecoveryTests {
    private let directory = ScratchDirectory()
    private let open = AccessRecord(owner: 1_001, group: 50, mode: AccessMode(bits: 0o640))

    private func access(in store: Store) async -> [ListName: ListAccess] {
        Dictionary(uniqueKeysWithValues: await store.lists(for: .daemon).map { ($0.state.name, $0.access) })
    }

    @Test func `they come back after a stop, after a crash, and through checkpoints`() async throws {
        let restless = StoreLimits(journalLengthMin: 300, checkpointPartLengthMax: 200, history: .none)
        let store = try await directory.open(limits: restless)
        _ = try await store.creating("a", .durable).get()
        _ = try await store.creating("b", .durable).get()
        #expect(try await store.settingAccess("a", open).get().access.mode.bits == 0o640)
        for number in 0..<40 {
            _ = try await store.transacting("a", [.appendSections([Section(id: .numbered(number))])]).get()
        }
        await store.sqlite.finishMaintenance()
        #expect(try await store.sqlite.query("SELECT generation FROM list WHERE name = 'a'") > 0)
        _ = try await store.settingAccess("b", AccessRecord(owner: 7)).get()
        let expected = [
            ListName("a"): ListAccess(owner: 1_001, group: 50, mode: AccessMode(bits: 0o640) ?? .ownerOnly),
            ListName("b"): ListAccess(owner: 7, group: 0, mode: .ownerOnly),
        ]
        let before = await store.lists.map(Remembered.init)
        let left = try await store.sqlite.crash(in: directory).left
        let crashed = try await left.open()
        #expect(await access(in: crashed) == expected)
        #expect(await crashed.lists.map(Remembered.init) == before, "and the epochs with them")
        await crashed.shutDown()
        await store.shutDown()
        let again = try await directory.open()
        #expect(await access(in: again) == expected)
        await again.shutDown()
        #expect(try OfflineStore(directory: directory.path).check(scratch: "/tmp").isGood)
    }

    @Test func `a change of the mode that the disk has lost is noticed like any other change`() async throws {
        let store = try await directory.open()
        _ = try await store.creating("a", .durable).get()
        _ = try await store.settingAccess("a", open).get()
        let epoch = await store.lists[0].epoch
        let left = try await store.sqlite.crash(in: directory).left
        await store.shutDown()
        // The state without the last group: the row fits its checksum, but not the witness.
        try left.edit("UPDATE list SET owner = NULL, ownerGroup = NULL, mode = NULL")
        let heading = try left.heading(1)
        try left.edit("UPDATE list SET checksum = \(heading.checksum)")
        let opened = try await left.open()
        #expect(await opened.lists[0].epoch != epoch)
        await opened.shutDown()
    }

    @Test func `a row whose owner was altered is refused, and repaired into a list of root's alone`() async throws {
        let store = try await directory.open()
        _ = try await store.creating("a", .durable).get()
        _ = try await store.settingAccess("a", open).get()
        _ = try await store.transacting("a", [.appendSections([Section(id: "s")])]).get()
        await store.shutDown()
        try directory.edit("UPDATE list SET owner = 1002")
        await #expect(throws: StoreOpeningError.self) { try await directory.open() }
        let repair = try OfflineStore(directory: directory.path).repair(keepingIn: "kept")
        #expect(repair.found.lists.first?.damage != nil)
        let opened = try await directory.open()
        #expect(await access(in: opened)["a"] == ListAccess(owner: 0, group: 0, mode: .ownerOnly))
        #expect(await opened.lists[0].snapshot.numberOfSections == 1)
        await opened.shutDown()
    }

    @Test func `a repair keeps the owner, the group and the mode of what is good`() async throws {
        let store = try await directory.open()
        _ = try await store.creating("a", .durable).get()
        _ = try await store.settingAccess("a", open).get()
        _ = try await store.creating("b", .durable).get()
        await store.shutDown()
        try directory.edit("UPDATE list SET epoch = 'x' WHERE name = 'b'")
        _ = try OfflineStore(directory: directory.path).repair(keepingIn: "kept")
        let opened = try await directory.open()
        #expect(await access(in: opened)["a"]?.owner == 1_001)
        await opened.shutDown()
    }
}

extension ScratchDirectory {
    func heading(_ number: Int) throws -> ListHeading {
        try #require(try DatabaseQueue(path: databasePath).read { try ListHeading.fetch(number, in: $0) })
    }

    func share(of heading: ListHeading) throws -> ListsDigest.Share {
        var salvage = ListSalvage(heading, isHeadingGood: true)
        return try DatabaseQueue(path: databasePath).read { salvage.salvaged(in: $0).share }
    }

    func rewriteWitness(_ digest: ListsDigest) throws {
        var record = WitnessRecord(boot: WitnessRecord.currentBoot, acknowledged: digest, underway: digest)
        record.isClosed = true
        try Witness(in: path).write(record)
    }
}
