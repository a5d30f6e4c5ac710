// The store owns every list's state, on one serial queue. A mutation is one synchronous step on that queue:
//
//     request ─► head′ = head + operations ─► gathering group ─► journal ─► committed = head′ ─► onCommit ─► answers
//
// A list has a *head*, the newest state, on which the next transaction builds, and a *committed* state, which readers
// and subscribers see. While one commit group is being written, the next one gathers. After the write, the committed
// states advance. If the write fails, the heads are reset, which is cheap because they are values. Volatile lists do
// not wait for the disk, so their head and committed state advance together.
//
// Requests: `Store+Requests.swift`. Commit groups: `Store+Groups.swift`. The disk: `Journal/`.

import DequeModule
import Diffable
import Logging

/// Holds all lists, and decides the order in which they change.
///
/// Call it on its executor. Completions are called there too: once, in arrival order for each list, and never before
/// the result they report is on disk.
package actor Store {
    package typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    nonisolated let executor: any StoreExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Called once for each commit group, before its requests are answered. Volatile lists: once for each transaction.
    package var onCommit: @Sendable ([Commit]) -> Void = { _ in }
    /// Nil to do all work on the queue.
    package var background: BackgroundWork?
    let clock: StoreClock
    /// Called when a shared list becomes live or stops being live.
    package var onLiveness: @Sendable (ListName) -> Void = { _ in }
    /// Schedules a call of `endSharedWaits` after this number of milliseconds.
    package var wakeLater: @Sendable (Int) -> Void = { _ in }

    package internal(set) var accessRules: AccessRules

    /// Resolves the names of users and groups in shared lists.
    let accounts: Accounts
    package private(set) var limits: StoreLimits
    nonisolated let journal: any Journal
    let logger: Logger
    /// Called at most once, after a commit group could not be written and every waiting request has been answered.
    let onFailure: @Sendable (String) -> Void

    var storedLists: [ListName: StoredList]
    /// The number of lists with a head. Bounded by `listsMax`.
    var numberOfHeads: Int
    /// The connection to etcd, where shared lists change first.
    var engine = EtcdLink()
    var nextListNumber: Int
    var usages = Usages()
    /// By list number, because a list's keys are forgotten when it is deleted.
    var requestWindows: [Int: RequestWindow]
    /// By list number. Has no entry for a list without leases.
    var leases: [Int: Leases]
    /// Deleted lists that can be undeleted, by list number.
    var deletions: [Int: StoredDeletion] = [:]
    var deletionLosses = DeletionLosses()
    /// A lower bound for the running times of all `deletions`. Nil for none.
    var oldestDeletion: RunningTime?
    /// The running time of the newest deletion. No two deletions have the same one.
    var newestDeletion = RunningTime(milliseconds: .min)
    /// Whether the total length of `deletions` may exceed the limit.
    var areDeletionsUncounted = false
    /// The numbers of lists that a restore replaces, until their deletion is visible.
    var replacedLists: Set<Int> = []
    /// The numbers of the lists in which a lease may own something.
    var leasedLists: [Lease: Set<Int>] = [:]
    /// Leases that ended while the disk was full.
    var overdueLeases: [Lease: Origin] = [:]
    /// The number of items of ended leases that the queue's current work may still remove.
    var leaseRoom = leaseRoomMax
    var lastLeaseNumber = 0
    /// The numbers of leases that have not ended.
    var liveLeases: Set<Int> = []
    var lastEvaluationNumber = 0

    var gathering: CommitGroup
    var inFlight: CommitGroup?
    /// The number of the newest group that is on disk or was refused.
    var settledGroup = 0
    var groupStart = GroupStart.notScheduled
    /// The total number of changes that have joined a group.
    package internal(set) var changesGathered = 0
    /// The approximate length of the last change in the gathering group, in bytes.
    package var lengthOfLastChange: Int { gathering.changes.last?.revision?.length ?? 0 }
    /// Called when the next group starts to gather.
    package var onGroupStart: @Sendable () -> Void = {}
    /// The number of the gathering group. Nil while the group is empty.
    package var gatheringGroup: Int? { gathering.changes.isEmpty ? nil : gathering.number }
    /// Limits the memory of all histories together.
    var historyBudget = HistoryBudget<StoredList>()
    /// The number of remembered request keys, without keys that are not on disk yet.
    var keyCount = 0
    /// Lists with a history that has grown and may exceed its limits.
    var untrimmedLists: [StoredList] = []
    var isTrimmingScheduled = false
    var unpackedLists: [StoredList] = []
    /// The numbers of deleted lists to be packed.
    var unpackedDeletions: [Int] = []
    /// Callbacks for histories that are being unpacked, by list number.
    var historyWaits: [Int: [@Sendable () -> Void]] = [:]
    /// The lists whose histories hold rebuilt states, in the order in which they got them.
    private var listsWithRebuiltStates: Deque<StoredList> = []
    var condition = Condition.running
    /// Whether the last group was refused because the disk is full.
    var isDiskFull = false
    /// The reason why some changes may be missing on disk; nil if there is none. Also set if the journal fails while
    /// closing.
    package internal(set) var failure: String?
    package internal(set) var statistics = StoreStatistics()

    enum GroupStart {
        case notScheduled
        /// Starts after the queue's current work.
        case scheduled
    }

    enum Condition {
        case running
        /// The journal failed. The contents of the disk are unknown until the next startup.
        case failed(reason: String)
        /// The lists on disk could not be read. The store has no lists, and none can be created.
        case unreadable(StoreOpeningError)
        /// New changes are refused. Accepted ones are finished.
        case draining(completions: [@Sendable () -> Void])
        case closing(completions: [@Sendable () -> Void])
        case closed
    }

    package init(
        executor: any StoreExecutor, journal: any Journal, recovered: RecoveredLists = RecoveredLists(),
        limits: StoreLimits = StoreLimits(), accessRules: AccessRules = AccessRules(), logger: Logger,
        clock: StoreClock = .system, accounts: Accounts = .system,
        onFailure: @escaping @Sendable (String) -> Void
    ) {
        self.executor = executor
        self.journal = journal
        self.limits = limits
        self.accessRules = accessRules
        self.logger = logger
        self.clock = clock
        self.accounts = accounts
        self.onFailure = onFailure
        storedLists = [:]
        for state in recovered.states {
            let record = recovered.access[state.number] ?? AccessRecord()
            let held = StoredList(
                committed: state, history: recovered.histories[state.number] ?? History(),
                access: StoredAccess(record, of: state.name, accessRules, accounts, limits),
                schemas: recovered.schemas[state.number])
            held.shared = record.sharing.map { SharedList(at: $0) }
            storedLists[state.name] = held
        }
        numberOfHeads = recovered.states.count
        nextListNumber = recovered.nextListNumber
        requestWindows = recovered.requestWindows
        leases = recovered.leases
        for (number, leases) in recovered.leases {
            let holders = leases.holders
            for holder in holders { leasedLists[.shared(holder), default: []].insert(number) }
            if holders.isEmpty { leasedLists[.leftBehind, default: []].insert(number) }
        }
        for deleted in recovered.deleted {
            let held = StoredDeletion()
            (held.committed, held.head) = (deleted, deleted)
            deletions[deleted.number] = held
        }
        oldestDeletion = recovered.deleted.map(\.deletion.moment.running).min()
        if let newest = recovered.deleted.map(\.deletion.moment.running).max() { newestDeletion = newest }
        areDeletionsUncounted = !recovered.deleted.isEmpty
        gathering = CommitGroup(number: 1)
        for held in storedLists.values { usages.recount(held) }
        keyCount = requestWindows.values.reduce(0) { $0 + $1.settledCount }
        let changed = storedLists.values.compactMap { held in held.history.newestTime.map { (held, $0) } }
        for (held, _) in changed.sorted(by: { $0.1 < $1.1 }) {
            historyBudget.noteChange(of: held, cost: held.history.cost, newest: held.history.newestCost)
            if held.history.isWorthPacking { unpackedLists.append(held) }
        }
    }
}

package struct RecoveredLists: Sendable {
    package var states: [ListState] = []
    var deleted: [DeletedList] = []
    /// All dictionaries are by list number.
    var histories: [Int: History] = [:]
    /// Larger than the number of any list that the journal ever had.
    package var nextListNumber = 1
    var requestWindows: [Int: RequestWindow] = [:]
    var access: [Int: AccessRecord] = [:]
    /// By list number. Has no entry for a list that never had schemas.
    var schemas: [Int: ListSchemas] = [:]
    /// Leases that the previous daemon left.
    var leases: [Int: Leases] = [:]
}

// MARK: - Other limits

extension Store {
    /// Takes new limits. Lists that exceed one keep their contents. History is cut when the list is next changed or read.
    package func apply(_ limits: StoreLimits) {
        let isCountedAnew = limits.subordinates != self.limits.subordinates
        self.limits = limits
        if isCountedAnew { recountUsages() }
        journal.apply(limits)
        areDeletionsUncounted = true
        purgeDeletedLists()
    }
}

// MARK: - Figures

package enum StoreHealth: Sendable, Equatable {
    case working
    /// The last change failed because the disk was full.
    case full
    case failed
    case unreadable
    case closing
}

extension Store {
    package var health: StoreHealth {
        switch condition {
        case .running: isDiskFull ? .full : .working
        case .failed: .failed
        case .unreadable: .unreadable
        case .draining, .closing, .closed: .closing
        }
    }

    /// The numbers of lists and of items in them. O(lists)
    package var extent: (lists: Int, items: Int) {
        var extent = (lists: 0, items: 0)
        for held in storedLists.values {
            guard let state = held.committed else { continue }
            extent.lists += 1
            extent.items += state.snapshot.numberOfItems
        }
        return extent
    }
}

// MARK: - Reading

extension Store {
    package func list(_ name: ListName) -> ListState? {
        storedLists[name]?.committed
    }

    package var lists: [ListState] {
        storedLists.values.compactMap(\.committed).sorted { $0.name < $1.name }
    }

    /// The lists that the peer may read, by name, with their access.
    package func lists(for peer: Peer) -> [(state: ListState, access: ListAccess)] {
        storedLists.values.compactMap { held in
            guard let state = held.committed, held.access.rights(of: peer).contains(.read) else { return nil }
            return (state, held.access.effective)
        }.sorted { $0.state.name < $1.state.name }
    }

    /// The list and its access, or nil if the peer may not read it or there is none.
    package func list(_ name: ListName, for peer: Peer) -> (state: ListState, access: ListAccess)? {
        guard let held = storedLists[name], let state = held.committed, held.access.rights(of: peer).contains(.read)
        else { return nil }
        return (state, held.access.effective)
    }

    /// The durable lists of this host, by name, with the access and the schemas that were set, for a backup.
    package var durableLists: [(state: ListState, access: ListAccess, record: AccessRecord, schemas: ListSchemas?)] {
        storedLists.values.compactMap { held in
            guard let state = held.committed, state.durability == .durable else { return nil }
            return (state, held.access.effective, held.access.record.numbered(as: held.access.effective), held.schemas)
        }.sorted { $0.state.name < $1.state.name }
    }

    /// Whether the peer may read the list. For a peer without this right, the list does not exist.
    package func mayRead(_ name: ListName, _ peer: Peer) -> Bool {
        guard let held = storedLists[name], held.committed != nil else { return false }
        return held.access.rights(of: peer).contains(.read)
    }

    /// The peer's rights on a list, without the right to change a mirror that it does not mirror itself. None if there is no
    /// such list.
    package func rights(of peer: Peer, on name: ListName) -> Rights {
        guard let held = storedLists[name], held.committed != nil else { return [] }
        var rights = held.access.rights(of: peer)
        if held.access.effective.source != nil, !peer.mirrored.contains(name) { rights.remove(.write) }
        return rights
    }

    /// Whether the peer may send requests to the list's handler, but neither read nor change the list.
    package func mayOnlyAsk(_ name: ListName, _ peer: Peer) -> Bool {
        guard let held = storedLists[name], held.committed != nil else { return false }
        let rights = held.access.rights(of: peer)
        return rights.contains(.ask) && rights.isDisjoint(with: [.read, .write])
    }

    /// The list at a revision. Nil if that revision is not kept. Costs as much as `History.state`.
    package func list(_ name: ListName, at revision: Int) -> ListState? {
        guard let held = storedLists[name], let committed = held.committed else { return nil }
        if committed.revision == revision { return committed }
        trimHistory(of: held, now: clock.running)
        let hadRemadeStates = held.history.hasRebuiltStates
        defer { limitRebuiltStates(of: held, had: hadRemadeStates) }
        return held.history.state(at: revision)
    }

    /// Drops the rebuilt states of the list that got them first. Otherwise a client that reads the histories of many
    /// lists would leave complete states in each.
    func limitRebuiltStates(of held: StoredList, had: Bool) {
        guard !had, held.history.hasRebuiltStates else { return }
        listsWithRebuiltStates.append(held)
        guard listsWithRebuiltStates.count > Self.listsWithRebuiltStatesMax else { return }
        listsWithRebuiltStates.removeFirst().history.dropRebuiltStates()
    }

    private static let listsWithRebuiltStatesMax = 16

    /// The committed state, or the state at a revision, if the peer may read it.
    package func state(
        of name: ListName, at revision: Int?, for peer: Peer = .daemon
    ) throws(StoreError) -> ListState {
        guard mayRead(name, peer), let current = list(name) else { throw .noSuchList(name) }
        guard let revision else { return current }
        if let state = list(name, at: revision) { return state }
        let oldest = oldestRevision(of: current)
        throw .noSuchRevision(name, revision, oldest: oldest, current: current.revision)
    }

    /// The oldest revision that can be read or restored.
    /// - Parameter current: the committed state.
    package func oldestRevision(of current: ListState) -> Int {
        storedLists[current.name]?.history.oldest ?? current.revision
    }

    /// The revisions of a list that are kept, newest first. O(limit + 512)
    package func history(of name: ListName, for peer: Peer = .daemon, limit: Int = .max) -> [Revision]? {
        guard mayRead(name, peer), let held = storedLists[name] else { return nil }
        trimHistory(of: held, now: clock.running)
        return held.history.newestRevisions(limit)
    }

    package var timeOfDay: Timestamp { clock.now.timeOfDay }

    /// Returns when the queue has reached this call. For the watchdog.
    package func ping() {}

    /// How long the journal's thread has made no progress. For the watchdog. May be called on any thread.
    package nonisolated var standstill: Duration { journal.standstill }
}
