import Diffable
import Logging
import Synchronization
import Testing

@testable import DiffableStore

/// A store on a fake journal, with a log of all its output in order.
struct Bench {
    let store: Store
    let journal: FakeJournal
    let log = Log()

    init(limits: StoreLimits = StoreLimits(), clock: StoreClock = .system, journal: FakeJournal = FakeJournal()) {
        self.journal = journal
        let log = log
        store = Store(
            executor: DispatchQueueExecutor(label: "test.store"), journal: journal, limits: limits,
            logger: .silent, clock: clock, onFailure: { log.append("failure \($0)") })
    }

    func watchCommits() async {
        let log = log
        await store.run { store in
            store.onCommit = { commits in for commit in commits { log.append("commit \(commit.summary)") } }
        }
    }

    /// Makes a durable list, on disk when this returns.
    func createDurable(_ name: ListName) async {
        create(name, .durable)
        await store.settle()
        journal.succeed()
        await store.settle()
        log.clear()
    }

    /// Returns when all requests so far are applied and on disk.
    func settleJournal() async {
        await store.settle()
        while !journal.waitingGroups.isEmpty {
            journal.succeed()
            await store.settle()
        }
    }

    func create(_ name: ListName, _ durability: Durability, existing: ExistingList = .isError) {
        store.later { [log] store in
            store.createList(name, durability: durability, existing: existing) {
                log.append("create \(name): \($0.summary)")
            }
        }
    }

    func delete(_ name: ListName) {
        store.later { [log] store in
            store.deleteList(name) { log.append("delete \(name): \($0.summary)") }
        }
    }

    func transact(
        _ name: ListName, _ operations: [ListOperation], ifRevision: Int? = nil, key: RequestKey? = nil,
        lease: Lease? = nil, mode: TransactionMode = .commit, by peer: Peer = .daemon
    ) {
        store.later { [log] store in
            store.transact(
                name, operations, ifRevision: ifRevision, requestKey: key, lease: lease, mode: mode, by: peer
            ) {
                log.append("transact \(name): \($0.summary)")
            }
        }
    }

    func section(_ id: SectionID) -> [ListOperation] { [.appendSections([Section(id: id)])] }
}

final class Log: Sendable {
    private let kept = Mutex<[String]>([])

    func append(_ line: String) { kept.withLock { $0.append(line) } }
    func clear() { kept.withLock { $0 = [] } }
    var lines: [String] { kept.withLock { $0 } }
}

extension Store {
    /// Runs the body on the store's queue, later, as a connection would.
    nonisolated func later(_ body: @escaping @Sendable (isolated Store) -> Void) {
        executor.execute { self.assumeIsolated { body($0) } }
    }

    /// Runs the body on the store's queue and returns the result.
    @discardableResult
    func run<Value: Sendable>(_ body: @Sendable (isolated Store) -> Value) -> Value { body(self) }

    /// Returns when all earlier requests are done, including a commit group that they started.
    nonisolated func settle() async {
        for _ in 0..<3 { await ping() }
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

extension Commit {
    var summary: String {
        switch event {
        case .created: "\(list) created at \(state.revision)"
        case .changed(let from, let step): "\(list) \(from)→\(state.revision)\(step == nil ? "" : " in one step")"
        case .unchanged: "\(list) unchanged at \(state.revision)"
        case .deleted, .replaced: "\(list) deleted at \(state.revision)"
        }
    }
}

extension Result where Success == ListState, Failure == StoreError {
    var summary: String {
        switch self {
        case .success(let state): "at \(state.revision)"
        case .failure(let error): error.summary
        }
    }
}

extension Result where Success == Outcome, Failure == StoreError {
    var summary: String {
        switch self {
        case .success(let outcome): "at \(outcome.revision)\(outcome.isChanged ? "" : ", unchanged")"
        case .failure(let error): error.summary
        }
    }
}

extension StoreError {
    var summary: String {
        String("\(Mirror(reflecting: self).children.first?.label ?? caseName)")
    }

    private var caseName: String {
        switch self {
        case .noSpace: "noSpace"
        case .shuttingDown: "shuttingDown"
        default: description
        }
    }
}

extension Identifier {
    static func numbered(_ number: Int) -> Identifier { Identifier(stringLiteral: "\(number)") }
}

extension Target {
    static func whole(_ sections: [Section], content: Content?? = nil) -> Target {
        .whole(WholeList(content: content, sections: sections))
    }
}
