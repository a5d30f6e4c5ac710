import Diffable
import DiffableJSON
import DiffableProtocol

extension Connection {
    /// The revisions of a list that the daemon keeps, newest first.
    ///
    /// - Parameters:
    ///   - limit: how many at most; nil: all.
    ///   - freshness: how new the newest is to be, of a list that hosts share.
    public func history(
        of list: ListName, limit: Int? = nil, _ freshness: Freshness = .any
    ) async throws(ClientError) -> ListHistory {
        let result = try await historyJSON(of: list, limit: limit, freshness)
        return try decoded { () throws(DecodingError) in ListHistory(try Reply.History(json: result)) }
    }

    /// The daemon's own answer.
    package func historyJSON(
        of list: ListName, limit: Int?, _ freshness: Freshness = .any
    ) async throws(ClientError) -> [UInt8] {
        try await reply(to: .history(.init(list: list, limit: limit, freshness: freshness)))
    }

    /// The operations that lead from one revision that is kept to another; backwards too.
    public func difference(
        of list: ListName, from: Int, to: Int, _ freshness: Freshness = .any
    ) async throws(ClientError) -> [ListOperation] {
        let result = try await reply(
            to: .difference(.init(list: list, from: from, to: to, freshness: freshness)))
        return try decoded { () throws(DecodingError) in try Reply.Difference(json: result).operations }
    }

    /// A list's state at a revision that is kept, or what a view shows of it.
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
    /// - Parameter revision: one that is kept.
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

/// A list's past, as far as the daemon keeps it.
public struct ListHistory: Sendable {
    /// Whose past it is.
    public var list: ListName
    /// One life of the list: revisions mean something only within it.
    public var epoch: String
    /// The current one.
    public var revision: Int
    /// The oldest one that can be read and restored.
    public var oldestRevision: Int
    /// Newest first.
    public var transactions: [Transaction]
    /// When its schemas were set, newest first. That makes no revision.
    public var schemaChanges: [SchemaChange]

    /// What is remembered of schemas that were set.
    public struct SchemaChange: Sendable {
        /// The revision that the list had then.
        public var revision: Int
        /// In milliseconds since 1970 began.
        public var time: Int
        /// How many kinds had a schema from then on.
        public var numberOfKinds: Int
        /// What the client that set them called itself, if it did.
        public var client: String?
        /// The number of its process, if it is known.
        public var processID: Int?
        /// The number of its user, if it is known.
        public var userID: Int?
    }

    /// What is remembered of a transaction.
    public struct Transaction: Sendable {
        /// The revision that it led to.
        public var revision: Int
        /// In milliseconds since 1970 began.
        public var time: Int
        /// In its canonical difference.
        public var numberOfOperations: Int
        /// What the client that made it called itself, if it did.
        public var client: String?
        /// The number of its process, if it is known.
        public var processID: Int?
        /// The number of its user, if it is known.
        public var userID: Int?
        /// The handler that consented, if it was proposed to one.
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
