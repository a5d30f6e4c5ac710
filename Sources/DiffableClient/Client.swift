import Diffable

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A client of a daemon that outlives its connections.
///
///     struct Todo: Decodable { var text: String; var done: Bool? }
///
///     let client = Client()
///     for try await update in client.list("tasks", as: Todo.self) {
///         for section in update.snapshot.sections {
///             for item in section.items { print(item.content.text) }
///         }
///     }
///
/// It connects on demand, and closes its connection a second after the last use. All requests of a client share one connection:
/// if you change a list that you also follow, you see the change before `transact` returns. A lost connection is not an error
/// but a `connectionState`; the client reconnects, after 50 ms at first and after at most 2 s later, and lists continue from
/// their last state.
public final class Client: Sendable {
    let shared: SharedConnection

    /// Creates a client. It connects when it is first used.
    ///
    /// - Parameters:
    ///   - socket: the daemon's socket; nil: the socket that `SocketPath.find()` finds, each time a connection is made.
    ///   - name: the client's name in the list's history and the daemon's log.
    ///   - replyTimeout: the time without any data after which the connection counts as lost, even though the client has asked
    ///     whether the daemon is alive; nil waits forever.
    ///   - onWaiting: called with the reason why there is no connection, after the first failed attempt and whenever the reason
    ///     changes, while the client keeps trying. Without it, and unless you follow `connectionStates`, nothing reports the
    ///     failures until a request's patience ends.
    public init(
        socket: SocketPath? = nil, name: String? = nil, replyTimeout: Duration? = Connection.replyTimeoutUsual,
        onWaiting: (@Sendable (ClientError) -> Void)? = nil
    ) {
        shared = SharedConnection(
            to: socket, name: name, replyTimeout: replyTimeout, watch: .always, onWaiting: onWaiting)
    }

    /// Creates a client that checks a silent daemon only on request.
    package init(
        askingWhenToldTo socket: SocketPath?, name: String?, replyTimeout: Duration = Connection.replyTimeoutUsual
    ) {
        shared = SharedConnection(
            to: socket, name: name, replyTimeout: replyTimeout, watch: .untilGreeted, onWaiting: nil)
    }

    init(over shared: SharedConnection) { self.shared = shared }

    // MARK: - Following lists

    /// Follows a list whose items' content has one type.
    ///
    /// - Parameters:
    ///   - undecodable: the treatment of an item whose content is not of that type.
    ///   - decoder: reads the JSON; an item without content is read as `null`.
    public func list<Value: Decodable & Sendable>(
        _ list: ListName, as type: Value.Type, options: ListOptions = ListOptions(),
        undecodable: UndecodableItems = .throw, decoder: JSONDecoder = JSONDecoder()
    ) -> ListUpdates<Value> {
        self.list(list, options: options, undecodable: undecodable) { item in
            try item.decodedContent(as: type, by: decoder)
        }
    }

    /// Follows a list and converts each item, for example according to its kind.
    ///
    /// - Parameters:
    ///   - undecodable: the treatment of an item for which `decoding` throws.
    ///   - decoding: called once for each item that is new or changed. The item has no children.
    public func list<Value: Sendable>(
        _ list: ListName, options: ListOptions = ListOptions(), undecodable: UndecodableItems = .throw,
        decoding: @escaping @Sendable (Item) throws -> Value
    ) -> ListUpdates<Value> {
        let contents = ItemContents.decoded(DecodedContents(by: decoding, undecodable))
        return ListUpdates(list: list, options: options, contents: contents, shared: shared)
    }

    /// Follows a list without decoding its items' content.
    public func list(_ list: ListName, options: ListOptions = ListOptions()) -> ListUpdates<Content?> {
        ListUpdates(list: list, options: options, contents: .asIs { $0 }, shared: shared)
    }

    // MARK: - The connection

    /// Whether the client is connected at the moment.
    public var connectionState: ConnectionState { shared.connectionState }

    /// The current state and each later one, without an end. A slow reader gets only the newest.
    public var connectionStates: some AsyncSequence<ConnectionState, Never> & Sendable { shared.connectionStates }

    /// Passes the connection that lists are followed over to the closure, as soon as there is one. Nothing is retried: the
    /// closure gets any error of the connection.
    ///
    ///     let lists = try await client.withConnection { try await $0.lists() }
    ///
    /// - Parameter patience: the time to keep trying to connect; at least one attempt is made.
    public func withConnection<R>(
        patience: Duration = .seconds(30), isolation: isolated (any Actor)? = #isolation,
        _ body: (Connection) async throws -> R
    ) async throws -> R {
        try await shared.lend(until: .now + patience, body).get()
    }
}
