// The store owns every list's state, on one serial queue. A mutation is one synchronous step on that queue:
//
//     request ─► head′ = head + operations ─► gathering group ─► journal ─► committed = head′ ─► onCommit ─► answers
//
// A list has a *head*, the newest state there is, on which the next transaction builds, and a *committed* state, which
// is all that readers and subscribers see. While one group of transactions is being written the next one gathers; when
// the write is done the committed states move up. When it fails, the heads fall back: they are only values. Volatile
// lists have no disk to wait for, so that head and committed state move together.
//
// Requests: `Store+Requests.swift`. Groups: `Store+Groups.swift`. The disk: `Journal/`.

import Diffable
import Logging

/// Every list there is, and the one order in which all of them change.
///
/// Everything is called on the store's executor, and completions are called there too: once, in arrival order for a
/// list, and never before what they say is on disk.
package actor Store {
    package typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    nonisolated let executor: any StoreExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Called once for each group, before any of its requests is answered; for a volatile list, once for each
    /// transaction.
    package var onCommit: @Sendable ([Commit]) -> Void = { _ in }
    /// The time of day, for history.
    let now: @Sendable () -> Timestamp

    /// Who may create lists, and what they are like then.
    package internal(set) var accessRules: AccessRules

    package private(set) var limits: StoreLimits
    nonisolated let journal: any Journal
    let logger: Logger
    /// Called at most once, when the journal has failed and every waiting request has been told.
    let onFailure: @Sendable (String) -> Void

    var heldLists: [ListName: HeldList]
    /// Lists with a head, which `listsMax` bounds.
    var numberOfHeads: Int
    var nextListNumber: Int
    /// By the numbers of lists, so that a list's keys are forgotten when it is deleted.
    var requestWindows: [Int: RequestWindow]
    /// By the numbers of lists. No list without leases is in it.
    var leases: [Int: Leases]
    /// The numbers of lists that a restore puts others in the place of, until they are gone.
    var replacedLists: Set<Int> = []
    /// In which lists there may be something that is leased, by their numbers.
    var leasedLists: [Lease: Set<Int>] = [:]
    /// They ended, and the disk was full.
    var overdueLeases: [Lease: Origin] = [:]
    var lastLeaseNumber = 0

    /// What arrives now.
    var gathering: Group
    /// What the journal writes now.
    var inFlight: Group?
    /// Every group up to this number is on disk, or has been refused.
    var settledGroup = 0
    var groupStart = GroupStart.notScheduled
    /// They have got more of a past, and may have too much of it now.
    var untrimmedLists: [HeldList] = []
    var isTrimmingScheduled = false
    var condition = Condition.running
    package internal(set) var statistics = StoreStatistics()

    enum GroupStart {
        case notScheduled
        /// The gathering group starts when the queue has done what it is at.
        case scheduled
    }

    enum Condition {
        case running
        /// The journal failed: what is on disk is unknown until the next start.
        case failed(reason: String)
        /// What is on disk could not be read: there are no lists, and none is taken.
        case unreadable(StoreOpeningError)
        /// Nothing new is taken; what was begun is finished.
        case draining(completions: [@Sendable () -> Void])
        /// The journal gives its files up; then the completions are called.
        case closing(completions: [@Sendable () -> Void])
        case closed
    }

    /// A store with the lists that the journal had.
    package init(
        executor: any StoreExecutor, journal: any Journal, recovered: RecoveredLists = RecoveredLists(),
        limits: StoreLimits = StoreLimits(), accessRules: AccessRules = AccessRules(), logger: Logger,
        now: @escaping @Sendable () -> Timestamp = Timestamp.now,
        onFailure: @escaping @Sendable (String) -> Void
    ) {
        self.executor = executor
        self.journal = journal
        self.limits = limits
        self.accessRules = accessRules
        self.logger = logger
        self.now = now
        self.onFailure = onFailure
        heldLists = [:]
        for state in recovered.states {
            let record = recovered.access[state.number] ?? AccessRecord()
            heldLists[state.name] = HeldList(
                committed: state, history: recovered.histories[state.number] ?? History(),
                access: HeldAccess(record: record, effective: accessRules.access(of: state.name, record)))
        }
        numberOfHeads = recovered.states.count
        nextListNumber = recovered.nextListNumber
        requestWindows = recovered.requestWindows
        leases = recovered.leases
        if !leases.isEmpty { leasedLists[.leftBehind] = Set(leases.keys) }
        gathering = Group(number: 1)
    }
}

/// What a journal had when it was opened.
package struct RecoveredLists: Sendable {
    package var states: [ListState] = []
    /// By the numbers of lists.
    var histories: [Int: History] = [:]
    /// Larger than any list's that the journal ever knew.
    package var nextListNumber = 1
    /// By the numbers of lists.
    var requestWindows: [Int: RequestWindow] = [:]
    /// By the numbers of lists.
    var access: [Int: AccessRecord] = [:]
    /// What was leased when the daemon ended, by the numbers of lists.
    var leases: [Int: Leases] = [:]
}

// MARK: - Other limits

extension Store {
    /// Takes other limits from now on. What there is stays, also where it is more than they allow; the past beyond them
    /// goes when the list changes or is read next.
    package func take(_ limits: StoreLimits) {
        self.limits = limits
        journal.take(limits)
    }
}

// MARK: - Figures

/// Whether the store does its work.
package enum StoreHealth: Sendable, Equatable {
    case working
    case failed
    case unreadable
    case closing
}

extension Store {
    package var health: StoreHealth {
        switch condition {
        case .running: .working
        case .failed: .failed
        case .unreadable: .unreadable
        case .draining, .closing, .closed: .closing
        }
    }

    /// How many lists there are, and how many items are in them. O(lists)
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

    /// Those that the peer may read, by name, with who may what.
    package func lists(for peer: Peer) -> [(state: ListState, access: ListAccess)] {
        heldLists.values.compactMap { held in
            guard let state = held.committed, held.access.effective.rights(of: peer).contains(.read) else { return nil }
            return (state, held.access.effective)
        }.sorted { $0.state.name < $1.state.name }
    }

    /// The durable ones, by name, with what was said of who may what.
    package var durableLists: [(state: ListState, access: ListAccess, record: AccessRecord)] {
        heldLists.values.compactMap { held in
            guard let state = held.committed, state.durability == .durable else { return nil }
            return (state, held.access.effective, held.access.record)
        }.sorted { $0.state.name < $1.state.name }
    }

    /// Whether there is such a list, for this peer. One that it may not read is none.
    package func mayRead(_ name: ListName, _ peer: Peer) -> Bool {
        guard let held = heldLists[name], held.committed != nil else { return false }
        return held.access.effective.rights(of: peer).contains(.read)
    }

    /// The list as it was at a revision; nil when that is not kept. O(1).
    package func list(_ name: ListName, at revision: Int) -> ListState? {
        guard let held = heldLists[name], let committed = held.committed else { return nil }
        if committed.revision == revision { return committed }
        held.history.trim(limits.history, now: now())
        return held.history.state(at: revision)
    }

    /// The list as it is, or as it was at a revision.
    package func state(
        of name: ListName, at revision: Int?, for peer: Peer = .daemon
    ) throws(StoreError) -> ListState {
        guard mayRead(name, peer), let current = list(name) else { throw .noSuchList(name) }
        guard let revision else { return current }
        if let state = list(name, at: revision) { return state }
        let oldest = heldLists[name]?.history.oldest ?? current.revision
        throw .noSuchRevision(name, revision, oldest: oldest, current: current.revision)
    }

    /// The revisions of a list that are kept, newest first, and the oldest one that can be read or undone to.
    package func history(of name: ListName, for peer: Peer = .daemon) -> [Revision]? {
        guard mayRead(name, peer), let held = heldLists[name] else { return nil }
        held.history.trim(limits.history, now: now())
        return Array(held.history.revisions)
    }

    /// Returns when the queue has come to it: for the watchdog.
    package func ping() {}

    /// For how long the thread that writes to the disk has stood still: for the watchdog. On any thread.
    package nonisolated var standstill: Duration { journal.standstill }
}
