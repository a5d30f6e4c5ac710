import Diffable
import TestSupport
import Testing

@testable import DiffableStore

/// The limits on all lists of one user.
struct UsageTests {
    private static let alice = Peer(userID: 61_001, groupID: 61_001)
    private static let bob = Peer(userID: 61_002, groupID: 61_002)
    private let bench: Bench

    init() {
        bench = Bench(limits: StoreLimits(listsPerUserMax: 2, contentPerUserMax: 1_000))
    }

    private func create(_ name: ListName, by peer: Peer, mode: AccessMode? = nil) async -> Bool {
        await withCheckedContinuation { continuation in
            bench.store.later {
                $0.createList(name, durability: .volatile, mode: mode, by: peer) {
                    continuation.resume(returning: $0.failure == nil)
                }
            }
        }
    }

    /// Fills a list with a section and an item that together count as `length` bytes.
    private func fill(
        _ name: ListName, _ length: Int, by peer: Peer, mode: TransactionMode = .commit
    ) async -> StoreError? {
        let content = Content(Array("\"\(String(repeating: "c", count: length - 2 * 65 - 2))\"".utf8))
        let section = Section(id: "s", items: [Item(id: "i", content: content)])
        return await withCheckedContinuation { continuation in
            bench.store.later {
                $0.apply(name, .whole([section]), mode: mode, by: peer) {
                    continuation.resume(returning: $0.failure)
                }
            }
        }
    }

    // MARK: Lists

    @Test func `a user may have so many lists, and others theirs`() async {
        #expect(await create("a", by: Self.alice))
        #expect(await create("b", by: Self.alice))
        #expect(await !create("c", by: Self.alice))
        #expect(await create("c", by: Self.bob))
        bench.delete("a")
        #expect(await create("d", by: Self.alice))
        #expect(await !create("e", by: Self.alice))
        for number in 0..<5 { #expect(await create(.numbered(number), by: .daemon), "root is not limited") }
    }

    @Test func `a list that is given away counts for who has it then`() async {
        #expect(await create("a", by: Self.alice))
        #expect(await create("b", by: Self.alice))
        bench.store.later { $0.setAccess(of: "a", AccessRecord(owner: Self.bob.userID)) { _ in } }
        #expect(await create("c", by: Self.alice))
        #expect(await create("d", by: Self.bob))
        #expect(await !create("e", by: Self.bob))
    }

    @Test func `lists of others keep neither root nor a user without a list from creating one`() async {
        let bench = Bench(limits: StoreLimits(listsMax: 3, listsPerUserMax: 2))
        func create(_ name: ListName, by peer: Peer) async -> StoreError? {
            await withCheckedContinuation { continuation in
                bench.store.later {
                    $0.createList(name, durability: .volatile, by: peer) { continuation.resume(returning: $0.failure) }
                }
            }
        }
        #expect(await create("a", by: Self.alice) == nil)
        #expect(await create("b", by: Self.alice) == nil)
        #expect(await create("c", by: Self.bob) == nil)
        #expect(await create("d", by: Self.bob) == .tooManyLists(max: 3))
        for number in 0..<5 {
            let newcomer = Peer(userID: 62_000 + UInt32(number), groupID: 1)
            #expect(await create(.numbered(number), by: newcomer) == nil)
            #expect(await create(.numbered(10 + number), by: newcomer) == .tooManyLists(max: 3))
        }
        for number in 20..<23 { #expect(await create(.numbered(number), by: .daemon) == nil) }
        #expect(await create("r", by: .daemon) == .tooManyLists(max: 3))
    }

    @Test func `a subordinate id counts for the user that it was given to`() async {
        let container = Peer(userID: 100_007, groupID: 100_007)
        func count(_ subordinates: String) {
            bench.store.later { store in
                var limits = store.limits
                limits.subordinates = SubordinateUsers(subordinates, daemonUserID: 0) { _ in nil }
                store.apply(limits)
            }
        }
        count("61001:100000:65536")
        #expect(await create("a", by: Self.alice))
        #expect(await create("b", by: container))
        #expect(await !create("c", by: container))
        #expect(await !create("c", by: Self.alice))
        #expect(await fill("a", 600, by: Self.alice) == nil)
        let error = StoreError.contentOfUserTooLong("b", Self.alice.userID, max: 1_000)
        #expect(await fill("b", 401, by: container) == error)
        #expect(await fill("b", 400, by: container) == nil)
        // The daemon has rights of its own.
        #expect(await fill("b", 300, by: Self.alice) == .noSuchList("b"))
        // Without the file, root is a user like any other from the next reload on.
        count("")
        #expect(await create("c", by: container))
        #expect(await create("d", by: Self.alice))
        #expect(await !create("e", by: container))
    }

    // MARK: List contents

    @Test func `all lists of a user together may hold so much, and not one byte more`() async {
        #expect(await create("a", by: Self.alice))
        #expect(await create("b", by: Self.alice))
        #expect(await fill("a", 400, by: Self.alice) == nil)
        let error = StoreError.contentOfUserTooLong("b", Self.alice.userID, max: 1_000)
        #expect(await fill("b", 601, by: Self.alice) == error)
        #expect(await fill("b", 601, by: Self.alice, mode: .dryRun) == error)
        #expect(await fill("b", 600, by: Self.alice) == nil)
        #expect(await fill("a", 401, by: Self.alice) != nil)
        #expect(await fill("a", 399, by: Self.alice) == nil)
        #expect(await fill("a", 400, by: Self.alice) == nil)
        bench.delete("b")
        #expect(await fill("a", 1_000, by: Self.alice) == nil)
    }

    @Test func `what somebody else writes counts for the owner, and root writes what it wants`() async {
        #expect(await create("a", by: Self.alice, mode: AccessMode(bits: 0o666)))
        #expect(await fill("a", 1_001, by: Self.bob) != nil)
        #expect(await fill("a", 5_000, by: .daemon) == nil)
        #expect(await fill("a", 5_001, by: Self.alice) != nil)
        // The list stays at its length.
        #expect(await fill("a", 2_000, by: Self.alice) == nil)
        #expect(await create("b", by: Self.bob))
        #expect(await fill("b", 1_000, by: Self.bob) == nil)
    }

    @Test func `in a list of root's others write what root lets them`() async {
        #expect(await create("a", by: .daemon, mode: AccessMode(bits: 0o666)))
        #expect(await fill("a", 5_000, by: Self.alice) == nil)
    }

    @Test func `that much has gone is told once`() async {
        func shrinking() async -> Shrinking { await bench.store.run { $0.noteShrinking() } }
        #expect(await create("a", by: .daemon))
        #expect(await create("b", by: .daemon))
        #expect(await fill("a", 1 << 20, by: .daemon) == nil)
        #expect(await fill("b", 20 << 20, by: .daemon) == nil)
        #expect(await shrinking() == .little, "there is more")
        bench.delete("a")
        #expect(await shrinking() == .little, "1 MiB")
        bench.delete("b")
        #expect(await shrinking() == .much)
        #expect(await shrinking() == .little)
        #expect(await create("b", by: .daemon))
        #expect(await fill("b", 17 << 20, by: .daemon) == nil)
        #expect(await fill("b", 200, by: .daemon) == nil)
        #expect(await shrinking() == .much)
    }

    // MARK: Counting

    /// Counted bytes stay exact, even if the disk refuses changes that were already counted.
    @Test func `what is counted is what there is, through random changes and a disk that is full at times`() async {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        let peers = [Self.alice, Self.bob, Peer.daemon, Peer(userID: 100_003, groupID: 1)]
        let names: [ListName] = ["a", "b", "c", "d"]
        let bench = Bench(limits: StoreLimits(contentPerUserMax: 3_000))
        for _ in 0..<60 {
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let name = names.randomElement(using: &random)!
                let peer = peers.randomElement(using: &random)!
                let durability: Durability = Bool.random(using: &random) ? .durable : .volatile
                let id = ItemID.numbered(Int.random(in: 0..<20, using: &random))
                let content = Content(
                    Array("\"\(String(repeating: "x", count: .random(in: 0..<300, using: &random)))\"".utf8))
                let choice = Int.random(in: 0..<13, using: &random)
                let owner = [61_001, 61_002, 0].randomElement(using: &random)!
                let newName = names.randomElement(using: &random)!
                bench.store.later { store in
                    switch choice {
                    case 0, 1: store.createList(name, durability: durability, by: peer) { _ in }
                    case 2: store.deleteList(name) { _ in }
                    case 3: store.setAccess(of: name, AccessRecord(owner: peer.userID)) { _ in }
                    case 4: store.undo(name) { _ in }
                    case 5: store.transact(name, [.deleteItems([id], .isPassedOver)]) { _ in }
                    case 6: _ = store.apply(AccessRules([.init(prefix: "", mode: AccessMode(bits: 0o666))]))
                    case 7: store.undeleteList(name, as: newName, by: peer) { _ in }
                    case 8: store.renameList(name, to: newName) { _ in }
                    case 9:
                        var limits = store.limits
                        limits.subordinates = SubordinateUsers("\(owner):100000:9", daemonUserID: 0) { _ in nil }
                        store.apply(limits)
                    default:
                        store.apply(
                            name, .whole([Section(id: "s", items: [Item(id: id, content: content)])]), by: peer
                        ) { _ in }
                    }
                }
            }
            await bench.store.settle()
            while !bench.journal.waitingGroups.isEmpty {
                if Int.random(in: 0..<3, using: &random) == 0 {
                    bench.journal.fail(.noSpace)
                } else {
                    bench.journal.succeed()
                }
                await bench.store.settle()
            }
            let (counted, there) = await bench.store.run { store in (store.counted, store.recounted) }
            #expect(counted == there, "seed \(seed)")
        }
    }
}

extension Store {
    /// Lists and bytes by owner.
    fileprivate var counted: [UInt32: [Int]] {
        Dictionary(uniqueKeysWithValues: usages.all.map { ($0.owner, [$0.lists, $0.length]) })
    }

    fileprivate var recounted: [UInt32: [Int]] {
        var result: [UInt32: [Int]] = [:]
        for held in storedLists.values {
            guard let head = held.head else { continue }
            let user = limits.subordinates.user(of: held.headAccess.effective.owner)
            let sum = result[user] ?? [0, 0]
            result[user] = [sum[0] + 1, sum[1] + head.snapshot.lengthCounted]
        }
        return result
    }
}
