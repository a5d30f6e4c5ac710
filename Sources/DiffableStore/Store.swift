// The store owns every list's state, on one serial queue. A mutation is one synchronous step on that queue:
//
//     request ─► head′ = head + operations ─► gathering group ─► journal ─► committed = head′ ─► onCommit ─► answers
//
// A list has a *head*, the newest state, on which the next transaction builds, and a *committed* state, which readers
// and subscribers see. While one group of transactions is being written, the next one gathers. After the write, the
// committed states move up. When it fails, the heads are reset, which is cheap because they are values. Volatile lists
// wait for no disk, so head and committed state move together.
//
// Requests: `Store+Requests.swift`. Groups: `Store+Groups.swift`. The disk: `Journal/`.

import DequeModule
import Diffable
import Logging

/// All lists, and the one order in which they change.
///
/// Call it on its executor. Completions are called there too: once, in arrival order for a list, and never before what
/// they report is on disk.
package actor Store {
    package typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    nonisolated let executor: any StoreExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Called once for each group, before any of its requests is answered; for volatile lists, once for each
    /// transaction.
    package var onCommit: @Sendable ([Commit]) -> Void = { _ in }
    /// Nil: all is done on the queue.
    package var beside: WorkBeside?
    let clock: StoreClock
    /// Called when a shared list begins or ceases to be live.
    package var onLiveness: @Sendable (ListName) -> Void = { _ in }
    /// Has `endSharedWaits` called after so many milliseconds.
    package var wakeLater: @Sendable (Int) -> Void = { _ in }

    /// Who may create lists, and which owner, group and mode these get.
    package internal(set) var accessRules: AccessRules

    /// Who the users and groups are that shared lists name.
    let accounts: Accounts
    package private(set) var limits: StoreLimits
    nonisolated let journal: any Journal
    let logger: Logger
    /// Called at most once, when a group could not be written and every waiting request has been answered.
    let onFailure: @Sendable (String) -> Void

    var heldLists: [ListName: HeldList]
    /// The number of lists with a head, which `listsMax` bounds.
    var numberOfHeads: Int
    /// What shared lists change in first.
    var engine = EngineLink()
    var nextListNumber: Int
    /// What the lists of each user take.
    var usages = Usages()
    /// By the numbers of lists: a list's keys are forgotten when it is deleted.
    var requestWindows: [Int: RequestWindow]
    /// By the numbers of lists. A list without leases is not in it.
    var leases: [Int: Leases]
    /// Lists that were deleted and can come back, by their numbers.
    var deletions: [Int: HeldDeletion] = [:]
    var deletionLosses = DeletionLosses()
    /// None of `deletions` is older.
    var oldestDeletion: RunningTime?
    /// No two deletions have one running time.
    var newestDeletion = RunningTime(milliseconds: .min)
    /// Whether `deletions` may be too long together.
    var areDeletionsUncounted = false
    /// The numbers of lists that a restore replaces, until they are deleted.
    var replacedLists: Set<Int> = []
    /// The numbers of the lists in which a lease may hold something.
    var leasedLists: [Lease: Set<Int>] = [:]
    /// Leases that ended while the disk was full.
    var overdueLeases: [Lease: Origin] = [:]
    /// How many items of ended leases the queue's current work still has time for.
    var leaseRoom = leaseRoomMax
    var lastLeaseNumber = 0
    /// Those that were made and have not ended.
    var liveLeases: Set<Int> = []
    var lastConsiderationNumber = 0

    /// The group that gathers.
    var gathering: Group
    /// The group that the journal writes.
    var inFlight: Group?
    /// Every group up to this number is on disk, or was refused.
    var settledGroup = 0
    var groupStart = GroupStart.notScheduled
    /// How many changes have been part of a group so far.
    package internal(set) var changesGathered = 0
    /// Called when the next group begins to gather.
    package var onGroupStart: @Sendable () -> Void = {}
    /// The number of the group that gathers. Nil while it has no change.
    package var gatheringGroup: Int? { gathering.changes.isEmpty ? nil : gathering.number }
    /// The budget of all pasts together.
    var pastBudget = PastBudget<HeldList>()
    /// How many keys of requests are remembered, of those on disk and of volatile lists.
    var keyCount = 0
    /// Lists whose past has grown, and may be too long now.
    var untrimmedLists: [HeldList] = []
    var isTrimmingScheduled = false
    /// Lists whose histories may be worth packing.
    var unpackedLists: [HeldList] = []
    /// The numbers of deleted lists to be packed.
    var unpackedDeletions: [Int] = []
    /// Called when a history is unpacked, by the numbers of lists.
    var historyWaits: [Int: [@Sendable () -> Void]] = [:]
    /// No other list's past has states that were made again. Those first that got theirs first.
    private var listsWithRemadeStates: Deque<HeldList> = []
    var condition = Condition.running
    /// The last group was refused because the disk is full.
    var isDiskFull = false
    /// The reason if something may not be on disk, also when the journal fails while it closes.
    package internal(set) var failure: String?
    package internal(set) var statistics = StoreStatistics()

    enum GroupStart {
        case notScheduled
        /// The gathering group starts after the queue's current work.
        case scheduled
    }

    enum Condition {
        case running
        /// The journal failed. What is on disk is unknown until the next start.
        case failed(reason: String)
        /// The lists on disk could not be read: there are none, and none can be created.
        case unreadable(StoreOpeningError)
        /// New changes are refused; those that were begun are finished.
        case draining(completions: [@Sendable () -> Void])
        /// The journal closes its files; then the completions are called.
        case closing(completions: [@Sendable () -> Void])
        case closed
    }

    /// A store with the lists that the journal had.
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
        heldLists = [:]
        for state in recovered.states {
            let record = recovered.access[state.number] ?? AccessRecord()
            let held = HeldList(
                committed: state, history: recovered.histories[state.number] ?? History(),
                access: HeldAccess(record, of: state.name, accessRules, accounts, limits),
                schemas: recovered.schemas[state.number])
            held.shared = record.sharing.map { SharedList(at: $0) }
            heldLists[state.name] = held
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
            let held = HeldDeletion()
            (held.committed, held.head) = (deleted, deleted)
            deletions[deleted.number] = held
        }
        oldestDeletion = recovered.deleted.map(\.deletion.moment.running).min()
        if let newest = recovered.deleted.map(\.deletion.moment.running).max() { newestDeletion = newest }
        areDeletionsUncounted = !recovered.deleted.isEmpty
        gathering = Group(number: 1)
        for held in heldLists.values { usages.recount(held) }
        keyCount = requestWindows.values.reduce(0) { $0 + $1.settledCount }
        let changed = heldLists.values.compactMap { held in held.history.newestTime.map { (held, $0) } }
        for (held, _) in changed.sorted(by: { $0.1 < $1.1 }) {
            pastBudget.noteChange(of: held, cost: held.history.cost, newest: held.history.newestCost)
            if held.history.isWorthPacking { unpackedLists.append(held) }
        }
    }
}

/// The lists that a journal had when it was opened.
package struct RecoveredLists: Sendable {
    package var states: [ListState] = []
    var deleted: [DeletedList] = []
    /// By the numbers of lists.
    var histories: [Int: History] = [:]
    /// A number larger than any list of the journal ever had.
    package var nextListNumber = 1
    /// By the numbers of lists.
    var requestWindows: [Int: RequestWindow] = [:]
    /// By the numbers of lists.
    var access: [Int: AccessRecord] = [:]
    /// By the numbers of lists. A list that never had any is not in it.
    var schemas: [Int: ListSchemas] = [:]
    /// Leases that the last daemon left, by the numbers of lists.
    var leases: [Int: Leases] = [:]
}

// MARK: - Other limits

extension Store {
    /// Takes new limits. Lists that exceed one keep what they have; a past that exceeds one is cut when the list
    /// changes or is read next.
    package func take(_ limits: StoreLimits) {
        let isCountedAnew = limits.subordinates != self.limits.subordinates
        self.limits = limits
        if isCountedAnew { recountUsages() }
        journal.take(limits)
        areDeletionsUncounted = true
        purgeDeletedLists()
    }
}

// MARK: - Figures

/// The state of the store's work.
package enum StoreHealth: Sendable, Equatable {
    case working
    /// The last change found no room on the disk.
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
        for held in heldLists.values {
            guard let state = held.committed else { continue }
            extent.lists += 1
            extent.items += state.snapshot.numberOfItems
        }
        return extent
    }
}

// MARK: - Reading

extension Store {
    /// The list's committed state. O(1).
    package func list(_ name: ListName) -> ListState? {
        heldLists[name]?.committed
    }

    /// Every list's committed state, by name.
    package var lists: [ListState] {
        heldLists.values.compactMap(\.committed).sorted { $0.name < $1.name }
    }

    /// The lists that the peer may read, by name, with their access.
    package func lists(for peer: Peer) -> [(state: ListState, access: ListAccess)] {
        heldLists.values.compactMap { held in
            guard let state = held.committed, held.access.rights(of: peer).contains(.read) else { return nil }
            return (state, held.access.effective)
        }.sorted { $0.state.name < $1.state.name }
    }

    /// One of those lists; nil if there is none of that name for the peer.
    package func list(_ name: ListName, for peer: Peer) -> (state: ListState, access: ListAccess)? {
        guard let held = heldLists[name], let state = held.committed, held.access.rights(of: peer).contains(.read)
        else { return nil }
        return (state, held.access.effective)
    }

    /// The durable lists, by name, with the access and the schemas that were set, for a backup of this host.
    package var durableLists: [(state: ListState, access: ListAccess, record: AccessRecord, schemas: ListSchemas?)] {
        heldLists.values.compactMap { held in
            guard let state = held.committed, state.durability == .durable else { return nil }
            return (state, held.access.effective, held.access.record.numbered(as: held.access.effective), held.schemas)
        }.sorted { $0.state.name < $1.state.name }
    }

    /// Whether there is such a list for this peer. A list that it may not read does not exist for it.
    package func mayRead(_ name: ListName, _ peer: Peer) -> Bool {
        guard let held = heldLists[name], held.committed != nil else { return false }
        return held.access.rights(of: peer).contains(.read)
    }

    /// The peer's rights on a list, without the right to change a mirror that it does not mirror itself. None if there is no
    /// such list.
    package func rights(of peer: Peer, on name: ListName) -> Rights {
        guard let held = heldLists[name], held.committed != nil else { return [] }
        var rights = held.access.rights(of: peer)
        if held.access.effective.source != nil, !peer.mirrored.contains(name) { rights.remove(.write) }
        return rights
    }

    /// Whether the peer may ask the list's handler, and neither see the list nor change it.
    package func mayOnlyAsk(_ name: ListName, _ peer: Peer) -> Bool {
        guard let held = heldLists[name], held.committed != nil else { return false }
        let rights = held.access.rights(of: peer)
        return rights.contains(.ask) && rights.isDisjoint(with: [.read, .write])
    }

    /// The list at a revision; nil when that is not kept. What `History.state` costs.
    package func list(_ name: ListName, at revision: Int) -> ListState? {
        guard let held = heldLists[name], let committed = held.committed else { return nil }
        if committed.revision == revision { return committed }
        trimHistory(of: held, now: clock.running)
        let hadRemadeStates = held.history.hasRemadeStates
        defer { noteRemadeStates(of: held, had: hadRemadeStates) }
        return held.history.state(at: revision)
    }

    /// Drops the remade states of the list that got its own first. A client that reads the histories of many lists would
    /// otherwise leave whole states in each.
    func noteRemadeStates(of held: HeldList, had: Bool) {
        guard !had, held.history.hasRemadeStates else { return }
        listsWithRemadeStates.append(held)
        guard listsWithRemadeStates.count > Self.listsWithRemadeStatesMax else { return }
        listsWithRemadeStates.removeFirst().history.dropRemadeStates()
    }

    private static let listsWithRemadeStatesMax = 16

    /// The committed state, or the state at a revision.
    package func state(
        of name: ListName, at revision: Int?, for peer: Peer = .daemon
    ) throws(StoreError) -> ListState {
        guard mayRead(name, peer), let current = list(name) else { throw .noSuchList(name) }
        guard let revision else { return current }
        if let state = list(name, at: revision) { return state }
        let oldest = oldestRevision(of: current)
        throw .noSuchRevision(name, revision, oldest: oldest, current: current.revision)
    }

    /// The oldest one that can be read or undone to.
    /// - Parameter current: the committed state.
    package func oldestRevision(of current: ListState) -> Int {
        heldLists[current.name]?.history.oldest ?? current.revision
    }

    /// The revisions of a list that are kept, newest first. O(limit + 512)
    package func history(of name: ListName, for peer: Peer = .daemon, limit: Int = .max) -> [Revision]? {
        guard mayRead(name, peer), let held = heldLists[name] else { return nil }
        trimHistory(of: held, now: clock.running)
        return held.history.newestRevisions(limit)
    }

    /// Now, for people.
    package var timeOfDay: Timestamp { clock.now.timeOfDay }

    /// Returns when the queue has come to it. For the watchdog.
    package func ping() {}

    /// How long the journal's thread has made no progress. For the watchdog. May be called on any thread.
    package nonisolated var standstill: Duration { journal.standstill }
}
