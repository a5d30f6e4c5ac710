import Diffable
import DiffableJSON
import DiffableProtocol
import Synchronization

extension Connection {
    /// Every list, by name.
    public func lists() async throws(ClientError) -> [ListSummary] {
        let result = try await reply(to: .lists)
        return try decoded { () throws(DecodingError) in try Reply.ListSummary.all(json: result).map(ListSummary.init) }
    }

    /// The daemon's own answer.
    package func listsJSON() async throws(ClientError) -> [UInt8] { try await reply(to: .lists) }

    /// How the daemon is doing, in its own words.
    package func statusJSON() async throws(ClientError) -> [UInt8] { try await reply(to: .status) }

    /// What a list of that name means to `createList`.
    public enum IfPresent: Sendable {
        case isError
        case isKept
    }

    /// Makes an empty list, or keeps the one that is there. With a lease, one that it made goes with this connection.
    ///
    /// - Parameter mode: who may see and change it; nil: as the daemon's configuration says.
    public func createList(
        _ list: ListName, durability: Durability = .durable, ifPresent: IfPresent = .isError, lease: Lease? = nil,
        mode: AccessMode? = nil
    ) async throws(ClientError) {
        let durability: Request.Durability = durability == .durable ? .durable : .volatile
        _ = try await reply(
            to: .createList(
                .init(
                    list: list, durability: durability, ifPresent: ifPresent == .isKept ? .isKept : .isError,
                    lease: lease.map { _ in .connection }, mode: mode)))
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

    /// Deletes a list and all that is in it.
    public func deleteList(_ list: ListName) async throws(ClientError) {
        _ = try await reply(to: .deleteList(list))
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
    package func snapshotJSON(
        of list: ListName, _ options: ListOptions = ListOptions()
    ) async throws(ClientError) -> [UInt8] {
        let result = try await reply(to: .snapshot(.init(list: list, view: options.view?.view ?? View())))
        return try decoded { () throws(DecodingError) in try SnapshotResult(json: result).bytes }
    }

    /// What the daemon said, or that it cannot be understood.
    func decoded<R>(_ body: () throws(DecodingError) -> R) throws(ClientError) -> R {
        do { return try body() } catch { throw .unintelligible("\(error)") }
    }
}
