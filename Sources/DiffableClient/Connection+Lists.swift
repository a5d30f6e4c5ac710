import Diffable
import DiffableJSON
import DiffableProtocol
import Synchronization

extension Connection {
    /// All lists that you may read, by name.
    public func lists() async throws(ClientError) -> [ListSummary] { try await lists(.existing) }

    package func listsWithActions() async throws(ClientError) -> [ListSummary] {
        try await lists(.existingWithActions)
    }

    private func lists(_ kind: Request.Lists.Kind) async throws(ClientError) -> [ListSummary] {
        let result = try await reply(to: .lists(.init(kind)))
        return try decoded { () throws(DecodingError) in try Reply.ListSummary.all(json: result).map(ListSummary.init) }
    }

    /// The deleted lists that this user can restore, the last deletion first.
    public func deletedLists() async throws(ClientError) -> [DeletedList] {
        let result = try await reply(to: .lists(.init(.deleted)))
        return try decoded { () throws(DecodingError) in
            try Reply.DeletedList.all(json: result).map(DeletedList.init)
        }
    }

    package func listsJSON() async throws(ClientError) -> [UInt8] {
        try await reply(to: .lists(.init(.existingWithActions)))
    }
    package func deletedListsJSON() async throws(ClientError) -> [UInt8] {
        try await reply(to: .lists(.init(.deleted)))
    }

    package func statusJSON() async throws(ClientError) -> [UInt8] { try await reply(to: .status) }

    /// Creates an empty list, or keeps an existing one. With a lease, a created list is deleted when this connection ends.
    ///
    /// - Parameters:
    ///   - mode: the access mode; nil: the default of the daemon's configuration.
    ///   - isShared: whether several hosts share it, by diffabled-etcd.
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

    /// Changes a list's access, and returns the new one. Nil members stay unchanged.
    ///
    /// - Parameters:
    ///   - mode: may be set by the list's owner and by root.
    ///   - owner: a user id, which only root may set.
    ///   - group: a group id; the owner may set one of their groups.
    @discardableResult
    public func setAccess(
        of list: ListName, mode: AccessMode? = nil, owner: UInt32? = nil, group: UInt32? = nil
    ) async throws(ClientError) -> ListAccess {
        let result = try await reply(to: .setAccess(.init(list: list, mode: mode, owner: owner, group: group)))
        return try decoded { () throws(DecodingError) in ListAccess(try Reply.ListAccess(json: result)) }
    }

    /// Deletes a list with its content. `undeleteList` restores it for a while.
    ///
    /// - Parameters:
    ///   - ifRevision: refused as `revisionMismatch` unless the list is at this revision.
    ///   - keeping: whether the list is kept for a restore. If that is required and impossible, the deletion is refused as
    ///     `notKept`.
    public func deleteList(
        _ list: ListName, ifRevision: Int? = nil, keeping: DeletedListKeeping = .ifPossible
    ) async throws(ClientError) {
        _ = try await reply(to: .deleteList(.init(list: list, ifRevision: ifRevision, keeping: keeping)))
    }

    /// Restores a deleted list with its history: the one with that name that was deleted last. It continues in its epoch.
    ///
    /// - Parameters:
    ///   - epoch: the epoch of another deleted list with that name, from `deletedLists`.
    ///   - newName: the new name; nil: unchanged.
    public func undeleteList(
        _ list: ListName, epoch: String? = nil, as newName: ListName? = nil
    ) async throws(ClientError) {
        _ = try await reply(to: .undeleteList(.init(list: list, epoch: epoch, newName: newName)))
    }

    /// Renames a list. Its history, request keys and leases are kept; followers are notified that it was deleted.
    ///
    /// - Parameter ifRevision: refused as `revisionMismatch` unless the list is at this revision.
    public func renameList(_ list: ListName, to newName: ListName, ifRevision: Int? = nil) async throws(ClientError) {
        _ = try await reply(to: .renameList(.init(list: list, newName: newName, ifRevision: ifRevision)))
    }

    /// Makes a list the mirror of another daemon's list. From then on only this connection changes it, and followers are
    /// notified whether it is live; it is no longer live when this connection ends.
    ///
    /// - Parameters:
    ///   - source: the name of the source, for users.
    ///   - replacing: whether to replace another connection that mirrors the list; otherwise that is refused as `mirrorExists`.
    /// - Returns: the list's position.
    public func mirror(
        _ list: ListName, of source: MirrorSource, isLive: Bool = false, replacing: Bool = false
    ) async throws(ClientError) -> ListPosition {
        let mirror = Request.Mirror(
            list: list, source: .of(source), isLive: isLive, existing: replacing ? .isReplaced : .isError)
        let result = try await reply(to: .mirror(mirror))
        let list = try decoded { () throws(DecodingError) in try Reply.ListRevision(json: result) }
        return ListPosition(epoch: list.epoch, revision: list.revision)
    }

    /// Sets whether a list that this connection mirrors has the current state of its source.
    public func setLive(_ isLive: Bool, _ list: ListName) async throws(ClientError) {
        _ = try await reply(to: .mirror(.init(list: list, isLive: isLive)))
    }

    /// Makes a mirror an ordinary list, which may be changed by all users with the right.
    public func endMirror(_ list: ListName) async throws(ClientError) {
        _ = try await reply(to: .mirror(.init(list: list, source: .none)))
    }

    /// Sends the client's name, if there is one, and returns the daemon's limit of a line, in bytes.
    @discardableResult
    package func hello(name: String?) async throws(ClientError) -> Int {
        let result = try await reply(to: .hello(.init(name: name)))
        let hello = try decoded { () throws(DecodingError) in try Reply.Hello(json: result) }
        let lineLengthMax = hello.limits.first { $0.name == "lineLengthMax" }?.max ?? .max
        lineLengthMaxTold.withLock { $0 = lineLengthMax }
        return lineLengthMax
    }

    /// The daemon's limit of a line, in bytes. The daemon is asked once.
    func lineLengthMax() async throws(ClientError) -> Int {
        if let told = lineLengthMaxTold.withLock({ $0 }) { return told }
        return try await hello(name: nil)
    }

    /// A list's whole state in the daemon's canonical form. `revision` is a kept revision; nil: the current one.
    package func snapshotJSON(
        of list: ListName, _ options: ListOptions = ListOptions(), at revision: Int? = nil
    ) async throws(ClientError) -> [UInt8] {
        let result = try await snapshotReplyJSON(of: list, options, at: revision)
        return try decoded { () throws(DecodingError) in try SnapshotResult(json: result).bytes }
    }

    package func snapshotReplyJSON(
        of list: ListName, _ options: ListOptions = ListOptions(), at revision: Int? = nil
    ) async throws(ClientError) -> [UInt8] {
        try await reply(
            to: .snapshot(
                .init(
                    list: list, revision: revision, view: options.view?.view ?? View(), freshness: options.freshness)))
    }

    func decoded<R>(_ body: () throws(DecodingError) -> R) throws(ClientError) -> R {
        do { return try body() } catch { throw .unintelligible("\(error)") }
    }
}
