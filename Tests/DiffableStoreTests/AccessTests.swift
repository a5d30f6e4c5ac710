import Diffable
import Testing

@testable import DiffableStore

/// The rights that each request needs.
struct AccessTests {
    private let alice = Peer(userID: 1_001, groupID: 2_001, groups: [50, 7, 3_000])
    private let bob = Peer(userID: 1_002, groupID: 2_002)

    // MARK: The rule

    /// The rules of chmod(1) and path_resolution(7), literally.
    private func expected(_ mode: AccessMode, isOwner: Bool, isInGroup: Bool) -> Rights {
        let letters = Array(mode.symbolic)
        let first = isOwner ? 0 : isInGroup ? 3 : 6
        var rights: Rights = []
        if letters[first] == "r" { rights.insert(.read) }
        if letters[first + 1] == "w" { rights.formUnion([.write, .ask]) }
        if letters[first + 2] == "x" { rights.insert(.ask) }
        return rights
    }

    @Test func `in all combinations of mode, owner and group the first class that one is of decides`() throws {
        let modes = (0...0o777).compactMap(AccessMode.init(bits:))
        #expect(modes.count == 512)
        for mode in modes {
            for isOwner in [false, true] {
                for membership in [UInt32(2_001), 50, 7, 3_000, 51, 2_999, 0] {
                    let access = ListAccess(owner: isOwner ? 1_001 : 1_009, group: membership, mode: mode)
                    let isInGroup = [2_001, 50, 7, 3_000].contains(membership)
                    #expect(
                        access.rights(of: alice) == expected(mode, isOwner: isOwner, isInGroup: isInGroup),
                        "\(mode), group \(membership), owner \(isOwner)")
                    let root = Peer(userID: 0, groupID: 0, isPrivileged: true)
                    #expect(access.rights(of: root) == .all)
                }
            }
        }
    }

    @Test func `groups are found among none, one, and thousands`() {
        for count in [0, 1, 2, 3, 64, 65_536] {
            let groups = (0..<count).map { UInt32($0 * 2 + 10) }
            let peer = Peer(userID: 1, groupID: 5, groups: groups.shuffled())
            #expect(peer.isMember(of: 5))
            for group in [groups.first, groups.last, groups.randomElement()] {
                guard let group else { continue }
                #expect(peer.isMember(of: group) && !peer.isMember(of: group + 1))
            }
        }
    }

    // MARK: The configuration's rules

    @Test func `the rule with the longest beginning counts, and leaves the rest to the shorter ones`() {
        let rules = AccessRules([
            .init(prefix: "", creators: .some(users: [1_001], groups: []), mode: .ownerOnly),
            .init(prefix: "sys.", group: 4, mode: AccessMode(bits: 0o644)),
            .init(prefix: "sys.units.", creators: .some(users: [], groups: [2_002]), owner: 9),
        ])
        #expect(rules.mayCreate("notes", alice) && !rules.mayCreate("notes", bob))
        #expect(rules.mayCreate("sys.load", alice) && !rules.mayCreate("sys.load", bob))
        #expect(!rules.mayCreate("sys.units.a", alice) && rules.mayCreate("sys.units.a", bob))
        #expect(rules.mayCreate("sys.units.a", .daemon))
        let record = rules.record(of: "sys.units.a", madeBy: bob, mode: nil)
        #expect(record == AccessRecord(owner: 9, group: 4))
        #expect(rules.access(of: "sys.units.a", record).mode.bits == 0o644)
        #expect(rules.record(of: "notes", madeBy: alice, mode: nil) == AccessRecord(owner: 1_001, group: 2_001))
        #expect(AccessRules().mayCreate("notes", bob))
        #expect(AccessRules().access(of: "notes", AccessRecord(owner: 5, group: 6)).mode == .ownerOnly)
    }

    // MARK: The store

    private func store(_ rules: AccessRules = AccessRules()) -> Store {
        Store(
            executor: DispatchQueueExecutor(label: "test.store"), journal: FakeJournal(), accessRules: rules,
            logger: .silent, onFailure: { _ in })
    }

    @Test func `only who may change a list changes it, and for who may not read it there is none`() async throws {
        let store = store()
        #expect(try await store.creating("notes", by: alice).get().revision == 0)
        #expect(await store.transacting("notes", by: bob).failure == .noSuchList("notes"))
        #expect(await store.settingAccess("notes", .init(mode: .ownerOnly), by: bob).failure == .noSuchList("notes"))
        #expect(await store.creating("notes", by: bob).failure == .permissionDenied("notes", .creation))
        _ = try await store.settingAccess("notes", .init(mode: AccessMode(bits: 0o644)), by: alice).get()
        #expect(await store.transacting("notes", by: bob).failure == .permissionDenied("notes", .change))
        #expect(
            await store.settingAccess("notes", .init(mode: .ownerOnly), by: bob).failure
                == .permissionDenied("notes", .governing))
        _ = try await store.settingAccess("notes", .init(mode: AccessMode(bits: 0o666)), by: alice).get()
        #expect(try await store.transacting("notes", by: bob).get().revision == 1)
        #expect(await store.mayRead("notes", bob))
    }

    @Test func `the owner gives a list to its own groups, and only root to another owner`() async throws {
        let store = store()
        _ = try await store.creating("notes", by: alice).get()
        #expect(try await store.settingAccess("notes", .init(group: 50), by: alice).get().access.group == 50)
        #expect(
            await store.settingAccess("notes", .init(group: 51), by: alice).failure
                == .permissionDenied("notes", .foreignGroup(51)))
        #expect(
            await store.settingAccess("notes", .init(owner: 1_002), by: alice).failure
                == .permissionDenied("notes", .givingAway))
        let given = try await store.settingAccess("notes", .init(owner: 1_002, group: 51), by: .daemon).get()
        #expect(given.access == ListAccess(owner: 1_002, group: 51, mode: .ownerOnly))
        // Setting the same access changes nothing.
        #expect(
            try await store.settingAccess("notes", .init(owner: 1_002, group: 51), by: bob).get().access.group == 51)
        #expect(await store.transacting("notes", by: alice).failure == .noSuchList("notes"))
    }

    @Test func `an owner without the right to read may still set the mode`() async throws {
        let store = store()
        _ = try await store.creating("notes", mode: AccessMode(bits: 0), by: alice).get()
        #expect(await store.transacting("notes", by: alice).failure == .noSuchList("notes"))
        _ = try await store.settingAccess("notes", .init(mode: .ownerOnly), by: alice).get()
        #expect(try await store.transacting("notes", by: alice).get().revision == 1)
    }

    @Test func `who may write and not read is told that it was done, and nothing of what there is`() async throws {
        let store = store()
        _ = try await store.creating("box", mode: AccessMode(bits: 0o622), by: alice).get()
        _ = try await store.transacting("box", by: alice).get()
        let added = try await store.transacting("box", [.appendItems([Item(id: "x")])], by: bob).get()
        #expect(added.isWriteOnly)
        let again = await store.transacting("box", [.appendItems([Item(id: "x")])], by: bob).failure
        let unknown = await store.transacting("box", [.deleteItems(["y"])], by: bob).failure
        let late = await store.transacting(
            "box", [.deleteItems(["x"]), .deleteItems(["y"])], by: bob
        ).failure
        #expect(again == .permissionDenied("box", .unfitWhileWriteOnly))
        #expect(unknown == again && late == again, "why not, and at which operation, is not told")
        let denied = StoreError.permissionDenied("box", .readingWhileWriteOnly)
        #expect(await store.transacting("box", mode: .dryRun, by: bob).failure == denied)
        #expect(await store.transacting("box", ifRevision: 1, by: bob).failure == denied)
        #expect(await store.undoing("box", by: bob).failure == .noSuchList("box"))
    }

    @Test func `a mode that nobody set follows the configuration, and one that somebody set does not`() async throws {
        let store = store()
        _ = try await store.creating("sys.a", by: alice).get()
        _ = try await store.creating("sys.b", mode: .ownerOnly, by: alice).get()
        _ = try await store.creating("c", by: alice).get()
        let open = AccessRules([.init(prefix: "sys.", mode: AccessMode(bits: 0o644))])
        #expect(await store.run { $0.apply(open) } == ["sys.a"])
        #expect(await store.lists(for: bob).map(\.state.name) == ["sys.a"])
        #expect(await store.run { $0.apply(open) } == [])
        #expect(await store.run { $0.apply(AccessRules()) } == ["sys.a"])
        #expect(await store.lists(for: bob).isEmpty)
    }

    @Test func `rights follow the order of requests, and fall back with a group that is refused`() async {
        let bench = Bench()
        await bench.createDurable("notes")
        let peer = bob
        let open = AccessRecord(mode: AccessMode(bits: 0o666))
        bench.store.later { [log = bench.log] store in
            store.setAccess(of: "notes", open) { log.append("open: \($0.failure?.summary ?? "done")") }
            store.transact("notes", bench.section("a"), by: peer) { log.append("bob: \($0.summary)") }
        }
        await bench.store.settle()
        #expect(await !bench.store.mayRead("notes", peer), "what is not on disk does not count")
        #expect(bench.log.lines == [])
        bench.journal.fail(.noSpace)
        await bench.store.settle()
        #expect(bench.log.lines == ["open: noSpace", "bob: noSpace"])
        bench.log.clear()
        bench.transact("notes", bench.section("a"), by: peer)
        await bench.store.settle()
        #expect(bench.log.lines == ["transact notes: noSuchList"])
    }

    @Test func `that a list is there is not told by the time that an answer takes`() async {
        let bench = Bench()
        await bench.createDurable("notes")
        bench.transact("notes", bench.section("a"))
        await bench.store.settle()
        // The group is not on disk yet, and an answer about the list would wait for it.
        bench.transact("notes", bench.section("b"), by: bob)
        await bench.store.settle()
        #expect(bench.log.lines == ["transact notes: noSuchList"])
    }
}

extension Store {
    fileprivate nonisolated func creating(
        _ name: ListName, mode: AccessMode? = nil, by peer: Peer
    ) async -> Result<ListState, StoreError> {
        await withCheckedContinuation { continuation in
            later {
                $0.createList(name, durability: .volatile, mode: mode, by: peer) { continuation.resume(returning: $0) }
            }
        }
    }

    fileprivate nonisolated func transacting(
        _ name: ListName, _ operations: [ListOperation] = [.appendSections([Section(id: "s")])],
        ifRevision: Int? = nil, mode: TransactionMode = .commit, by peer: Peer
    ) async -> Result<Outcome, StoreError> {
        await withCheckedContinuation { continuation in
            later {
                $0.transact(name, operations, ifRevision: ifRevision, mode: mode, by: peer) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }

    fileprivate nonisolated func undoing(_ name: ListName, by peer: Peer) async -> Result<Outcome, StoreError> {
        await withCheckedContinuation { continuation in
            later { $0.undo(name, by: peer) { continuation.resume(returning: $0) } }
        }
    }

    nonisolated func settingSource(
        _ name: ListName, _ source: MirrorSource?, by peer: Peer = .daemon
    ) async -> Result<AccessOutcome, StoreError> {
        await withCheckedContinuation { continuation in
            later { $0.setSource(of: name, source, by: peer) { continuation.resume(returning: $0) } }
        }
    }

    nonisolated func settingAccess(
        _ name: ListName, _ change: AccessRecord, by peer: Peer = .daemon
    ) async -> Result<AccessOutcome, StoreError> {
        await withCheckedContinuation { continuation in
            later { $0.setAccess(of: name, change, by: peer) { continuation.resume(returning: $0) } }
        }
    }
}
