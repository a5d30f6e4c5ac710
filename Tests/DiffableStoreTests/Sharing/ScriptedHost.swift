import Diffable
import Testing

@testable import DiffableStore

/// A host in a world of its own. The test answers its calls to etcd.
///
/// Unchecked, because a world uses one thread.
final class ScriptedHost: @unchecked Sendable {
    let world = World(seed: 1)
    let name: String
    private let journal: WorldJournal
    private(set) var store: Store
    var calls: [EtcdCall] = []

    init(_ name: String) {
        self.name = name
        journal = WorldJournal(world)
        store = ScriptedHost.store(world, journal)
        attach()
    }

    private static func store(_ world: World, _ journal: WorldJournal) -> Store {
        Store(
            executor: WorldExecutor(world), journal: journal, recovered: journal.recovered, logger: .silent,
            clock: world.clock, accounts: .model(of: 0), onFailure: { _ in })
    }

    func attach() {
        store.assumeIsolated { store in _ = store.attach(host: name) { call in self.calls.append(call) } }
        settle()
    }

    /// Kills the daemon and restarts it.
    func restart() {
        calls = []
        store = ScriptedHost.store(world, journal)
        attach()
    }

    /// Runs until nothing is left to do.
    func settle() { world.run(until: world.now + 100) }

    func run<R: Sendable>(_ body: (isolated Store) -> R) -> R {
        let result = store.assumeIsolated(body)
        settle()
        return result
    }

    /// - Returns: the result; nil if the request was refused.
    @discardableResult
    func tell(
        _ batches: [[UInt8]] = [], isLive: Bool? = true, _ edit: (inout Replication) -> Void = { _ in }
    ) -> ReplicaReport? {
        var told = Replication(list: "bar", epoch: "e1")
        (told.batches, told.isLive) = (batches, isLive)
        edit(&told)
        let all = told
        var report: ReplicaReport?
        let boxed = Unshared { (result: Result<ReplicaReport, StoreError>) in report = try? result.get() }
        run { $0.replicate(all) { boxed.value($0) } }
        return report
    }

    /// Returns the requested append, and the hosts that must not be present.
    func append(
        settling outcome: SharingOutcome = .done, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (text: [UInt8], absent: [String]) {
        let call = try #require(calls.isEmpty ? nil : calls.removeFirst(), sourceLocation: sourceLocation)
        guard case .append(let number, _, _, _, let text, let absent) = call else {
            throw Unexpected(call: "\(call)")
        }
        run { $0.settle(number, outcome) }
        return (text, absent)
    }

    struct Unexpected: Error { let call: String }

    func put(_ items: [ItemID], lease: Lease? = nil, sections: [SectionID] = []) {
        let operations: [ListOperation] =
            sections.map { .appendSections([Section(id: $0)]) } + [.appendItems(items.map { Item(id: $0) })]
        run { _ = $0.transact("bar", operations, lease: lease) { _ in } }
    }

    var items: [String]? { run { $0.list("bar")?.snapshot.itemIdentifiers.map(\.description) } }
    var leases: [SharedHolder] {
        run { store in store.storedLists["bar"]?.head.flatMap { store.leases[$0.number]?.holders } ?? [] }
    }
}
