import Diffable
import DiffableJSON
import DiffableProtocol
import Synchronization

extension Connection {
    /// Every list, by name.
    public func lists() async throws(ClientError) -> [ListSummary] {
        let result = try await reply(to: .lists(.init()))
        return try decoded { () throws(DecodingError) in try Reply.ListSummary.all(json: result).map(ListSummary.init) }
    }

    /// The lists that were deleted and that this user could bring back: the last deletion first.
    public func deletedLists() async throws(ClientError) -> [DeletedList] {
        let result = try await reply(to: .lists(.init(.deleted)))
        return try decoded { () throws(DecodingError) in
            try Reply.DeletedList.all(json: result).map(DeletedList.init)
        }
    }

    /// The daemon's own answer.
    package func listsJSON() async throws(ClientError) -> [UInt8] { try await reply(to: .lists(.init())) }
    package func deletedListsJSON() async throws(ClientError) -> [UInt8] {
        try await reply(to: .lists(.init(.deleted)))
    }

    /// How the daemon is doing, in its own words.
    package func statusJSON() async throws(ClientError) -> [UInt8] { try await reply(to: .status) }

    /// Makes an empty list, or keeps the one that is there. With a lease, one that it made goes with this connection.
    ///
    /// - Parameters:
    ///   - mode: who may see and change it; nil: as the daemon's configuration says.
    ///   - isShared: whether hosts share it, by diffabled-etcd.
    public func createList(
        _ list: ListName, durability: Durability = .durable, ifPresent: ExistingList = .isError,
        lease: LeaseTerm? = nil,
        mode: AccessMode? = nil, isShared: Bool = false
    ) async throws(ClientError) {
        _ = try await reply(
            to: .createList(
                .init(
                    list: list, durability: durability, ifPresent: ifPresent, lease: lease, mode: mode,
                    isShared: isShared)))
    }

    /// Says who may see and change a list, and gives what holds then. What is nil stays as it is.
    ///
    /// - Parameters:
    ///   - mode: is for the list's owner to say, and for root.
    ///   - owner: a user's number, for root to say.
    ///   - group: a group's number; the owner may name one that it is in.
    @discardableResult
    public func setAccess(
        of list: ListName, mode: AccessMode? = nil, owner: UInt32? = nil, group: UInt32? = nil
    ) async throws(ClientError) -> ListAccess {
        let result = try await reply(to: .setAccess(.init(list: list, mode: mode, owner: owner, group: group)))
        return try decoded { () throws(DecodingError) in ListAccess(try Reply.ListAccess(json: result)) }
    }

    /// Deletes a list and all that is in it. `undeleteList` brings it back for a while.
    ///
    /// - Parameters:
    ///   - ifRevision: refused as `revisionMismatch` unless the list is at this revision.
    ///   - keeping: whether it can come back. If that is required, a list that could not is refused as `notKept`.
    public func deleteList(
        _ list: ListName, ifRevision: Int? = nil, keeping: DeletedListKeeping = .ifPossible
    ) async throws(ClientError) {
        _ = try await reply(to: .deleteList(.init(list: list, ifRevision: ifRevision, keeping: keeping)))
    }

    /// Brings back a list that was deleted, with its past: the one of that name that was deleted last. It goes on in its
    /// epoch.
    ///
    /// - Parameters:
    ///   - epoch: that of another one of that name, as `deletedLists` tells.
    ///   - newName: what it is called from now on; nil: as it was.
    public func undeleteList(
        _ list: ListName, epoch: String? = nil, as newName: ListName? = nil
    ) async throws(ClientError) {
        _ = try await reply(to: .undeleteList(.init(list: list, epoch: epoch, newName: newName)))
    }

    /// Gives a list another name. Its past, its keys of requests and its leases go along; who follows it hears that it was
    /// deleted.
    ///
    /// - Parameter ifRevision: the revision that it must be at.
    public func renameList(_ list: ListName, to newName: ListName, ifRevision: Int? = nil) async throws(ClientError) {
        _ = try await reply(to: .renameList(.init(list: list, newName: newName, ifRevision: ifRevision)))
    }

    /// Makes a list the mirror of another one somewhere else. From then on this connection alone changes it, and who follows
    /// the list is told whether it is live; when this connection ends, it is not.
    ///
    /// - Parameters:
    ///   - source: what it is a mirror of, for people.
    ///   - replacing: whether to take the place of another connection that mirrors it; otherwise that is `mirrorExists`.
    /// - Returns: Where the list is.
    public func mirror(
        _ list: ListName, of source: MirrorSource, isLive: Bool = false, replacing: Bool = false
    ) async throws(ClientError) -> ListPosition {
        let mirror = Request.Mirror(
            list: list, source: .of(source), isLive: isLive, existing: replacing ? .isReplaced : .isError)
        let result = try await reply(to: .mirror(mirror))
        let list = try decoded { () throws(DecodingError) in try Reply.ListRevision(json: result) }
        return ListPosition(epoch: list.epoch, revision: list.revision)
    }

    /// Says whether a list that this connection mirrors is what its source is like.
    public func setLive(_ isLive: Bool, _ list: ListName) async throws(ClientError) {
        _ = try await reply(to: .mirror(.init(list: list, isLive: isLive)))
    }

    /// Makes a mirror an ordinary list, which may be changed by all who have the right.
    public func endMirror(_ list: ListName) async throws(ClientError) {
        _ = try await reply(to: .mirror(.init(list: list, source: .none)))
    }

    /// Says who this is, if there is a name, and gives how long a line the daemon takes.
    @discardableResult
    func hello(name: String?) async throws(ClientError) -> Int {
        let result = try await reply(to: .hello(.init(name: name)))
        let hello = try decoded { () throws(DecodingError) in try Reply.Hello(json: result) }
        let lineLengthMax = hello.limits.first { $0.name == "lineLengthMax" }?.max ?? .max
        lineLengthMaxTold.withLock { $0 = lineLengthMax }
        return lineLengthMax
    }

    /// How long a line the daemon takes. It is asked if it has not said so yet.
    func lineLengthMax() async throws(ClientError) -> Int {
        if let told = lineLengthMaxTold.withLock({ $0 }) { return told }
        return try await hello(name: nil)
    }

    /// A list's whole state as the daemon writes it, in canonical form.
    ///
    /// - Parameter revision: one that is kept; nil: the current one.
    package func snapshotJSON(
        of list: ListName, _ options: ListOptions = ListOptions(), at revision: Int? = nil
    ) async throws(ClientError) -> [UInt8] {
        let result = try await snapshotReplyJSON(of: list, options, at: revision)
        return try decoded { () throws(DecodingError) in try SnapshotResult(json: result).bytes }
    }

    /// The daemon's own answer, with the revision.
    package func snapshotReplyJSON(
        of list: ListName, _ options: ListOptions = ListOptions(), at revision: Int? = nil
    ) async throws(ClientError) -> [UInt8] {
        try await reply(
            to: .snapshot(
                .init(
                    list: list, revision: revision, view: options.view?.view ?? View(), freshness: options.freshness)))
    }

    /// What the daemon said, or that it cannot be understood.
    func decoded<R>(_ body: () throws(DecodingError) -> R) throws(ClientError) -> R {
        do { return try body() } catch { throw .unintelligible("\(error)") }
    }
}
