import Diffable
import DiffableJSON
import DiffableProtocol

extension Connection {
    /// The revisions of a list that the daemon keeps, newest first.
    ///
    /// - Parameters:
    ///   - limit: the greatest number of revisions; nil: all.
    ///   - freshness: how new the newest revision of a shared list must be.
    public func history(
        of list: ListName, limit: Int? = nil, _ freshness: Freshness = .any
    ) async throws(ClientError) -> ListHistory {
        let result = try await historyJSON(of: list, limit: limit, freshness)
        return try decoded { () throws(DecodingError) in ListHistory(try Reply.History(json: result)) }
    }

    package func historyJSON(
        of list: ListName, limit: Int?, _ freshness: Freshness = .any
    ) async throws(ClientError) -> [UInt8] {
        try await reply(to: .history(.init(list: list, limit: limit, freshness: freshness)))
    }

    /// The operations that lead from one kept revision to another, forward or backward.
    public func difference(
        of list: ListName, from: Int, to: Int, _ freshness: Freshness = .any
    ) async throws(ClientError) -> [ListOperation] {
        let result = try await reply(
            to: .difference(.init(list: list, from: from, to: to, freshness: freshness)))
        return try decoded { () throws(DecodingError) in try Reply.Difference(json: result).operations }
    }

    /// A list's state at a kept revision, or the part of it that a view shows.
    public func state(
        of list: ListName, at revision: Int, _ options: ListOptions = ListOptions()
    ) async throws(ClientError) -> ListState {
        let result = try await snapshotReplyJSON(of: list, options, at: revision)
        let state = try decoded { () throws(DecodingError) in try SnapshotResult(json: result) }
        do {
            let snapshot = try Snapshot(state.list, limits: SnapshotLimits(levelsMax: .max, itemsMax: .max))
            return ListState(
                list: list, epoch: state.start.epoch, revision: state.start.revision, snapshot: snapshot)
        } catch {
            throw .unintelligible("the snapshot is impossible: \(error)")
        }
    }

    /// Restores an earlier revision by a new transaction.
    ///
    /// - Parameter revision: a kept revision.
    @discardableResult
    public func undo(
        _ list: ListName, to revision: Int, ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        mode: TransactionMode = .commit
    ) async throws(ClientError) -> Outcome {
        try await undo(
            .init(list: list, .revision(revision), ifRevision: ifRevision, requestKey: requestKey, mode: mode))
    }

    /// Undoes the newest changes by a new transaction. The next undo continues with the change before them.
    @discardableResult
    public func undo(
        _ list: ListName, steps: Int = 1, ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        mode: TransactionMode = .commit
    ) async throws(ClientError) -> Outcome {
        try await undo(.init(list: list, .back(steps), ifRevision: ifRevision, requestKey: requestKey, mode: mode))
    }

    /// Redoes the changes that were undone last, by a new transaction. After any other change there is nothing to redo.
    @discardableResult
    public func redo(
        _ list: ListName, steps: Int = 1, ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        mode: TransactionMode = .commit
    ) async throws(ClientError) -> Outcome {
        try await undo(.init(list: list, .forward(steps), ifRevision: ifRevision, requestKey: requestKey, mode: mode))
    }

    package func undo(_ request: Request.Undo) async throws(ClientError) -> Outcome {
        let result = try await reply(to: .undo(request))
        return try decoded { () throws(DecodingError) in Outcome(try Reply.Change(json: result)) }
    }
}

/// The part of a list's history that the daemon keeps.
public struct ListHistory: Sendable {
    /// The list's name.
    public var list: ListName
    /// The list's epoch: revisions are valid only within it.
    public var epoch: String
    /// The current revision.
    public var revision: Int
    /// The oldest revision that can be read and restored.
    public var oldestRevision: Int
    /// The transactions, newest first.
    public var transactions: [Transaction]
    /// The changes of the list's schemas, newest first. They do not make revisions.
    public var schemaChanges: [SchemaChange]

    /// A change of the list's schemas.
    public struct SchemaChange: Sendable {
        /// The list's revision at that time.
        public var revision: Int
        /// Milliseconds since 1970.
        public var time: Int
        /// The number of kinds with a schema from then on.
        public var numberOfKinds: Int
        /// The name that the client gave itself, if any.
        public var client: String?
        /// The client's process id, if it is known.
        public var processID: Int?
        /// The client's user id, if it is known.
        public var userID: Int?
    }

    /// A transaction in the history.
    public struct Transaction: Sendable {
        /// The revision after it.
        public var revision: Int
        /// Milliseconds since 1970.
        public var time: Int
        /// The number of operations in its canonical diff.
        public var numberOfOperations: Int
        /// The name that the client gave itself, if any.
        public var client: String?
        /// The client's process id, if it is known.
        public var processID: Int?
        /// The client's user id, if it is known.
        public var userID: Int?
        /// The handler that consented, if the transaction was a proposal.
        public var handler: ClientIdentity?
        /// Set for an undo or a redo.
        public var undoStep: UndoStep?
    }

    init(_ history: Reply.History) {
        list = history.start.list
        epoch = history.start.epoch
        revision = history.start.revision
        oldestRevision = history.oldest
        transactions = history.revisions.map {
            Transaction(
                revision: $0.revision, time: $0.time, numberOfOperations: $0.numberOfOperations, client: $0.name,
                processID: $0.processID, userID: $0.userID, handler: $0.handler, undoStep: $0.undoStep)
        }
        schemaChanges = history.schemaChanges.map {
            SchemaChange(
                revision: $0.revision, time: $0.time, numberOfKinds: $0.numberOfKinds, client: $0.name,
                processID: $0.processID, userID: $0.userID)
        }
    }
}
