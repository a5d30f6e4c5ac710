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
/// It connects when something is to be done, and gives its connection up a second after the last thing was. All that is
/// done through one client goes over one connection: whoever changes a list that is also followed sees the change before
/// `transact` returns. A lost connection is no error but a `connectionState`; the client tries again, after 50 ms at first
/// and after 2 s at last, and lists go on from where they were.
public final class Client: Sendable {
    let shared: SharedConnection

    /// Makes no connection yet: that is done when something is asked for.
    ///
    /// - Parameters:
    ///   - socket: where the daemon listens; nil: wherever `SocketPath.find()` finds one, each time a connection is made.
    ///   - name: who this is, for the list's history and the daemon's log.
    ///   - replyTimeout: how long the daemon may say nothing, also when asked whether it is there, before the connection
    ///     counts as lost; nil waits for ever.
    ///   - onWaiting: is called with why there is no connection, at the first attempt that comes to nothing and whenever the
    ///     reason is another one, while the client goes on trying. Without it nothing says so, unless somebody looks at
    ///     `connectionStates`, before what was asked for has run out of patience.
    public init(
        socket: SocketPath? = nil, name: String? = nil, replyTimeout: Duration? = Connection.replyTimeoutUsual,
        onWaiting: (@Sendable (ClientError) -> Void)? = nil
    ) {
        shared = SharedConnection(
            to: socket, name: name, replyTimeout: replyTimeout, watch: .always, onWaiting: onWaiting)
    }

    /// One that asks a quiet daemon only when it is told to whether it is there.
    package init(
        askingWhenToldTo socket: SocketPath?, name: String?, replyTimeout: Duration = Connection.replyTimeoutUsual
    ) {
        shared = SharedConnection(
            to: socket, name: name, replyTimeout: replyTimeout, watch: .untilGreeted, onWaiting: nil)
    }

    /// The same client once more.
    init(over shared: SharedConnection) { self.shared = shared }

    // MARK: - Following lists

    /// Follows a list whose items' content is of one type.
    ///
    /// - Parameters:
    ///   - undecodable: what becomes of an item whose content is not of that type.
    ///   - decoder: reads the JSON; an item without content is read as `null`.
    public func list<Value: Decodable & Sendable>(
        _ list: ListName, as type: Value.Type, options: ListOptions = ListOptions(),
        undecodable: UndecodableItems = .throw, decoder: JSONDecoder = JSONDecoder()
    ) -> ListUpdates<Value> {
        self.list(list, options: options, undecodable: undecodable) { item in
            try item.decodedContent(as: type, by: decoder)
        }
    }

    /// Follows a list and makes of each item what the program wants, for example according to its kind.
    ///
    /// - Parameters:
    ///   - undecodable: what becomes of an item for which `decoding` throws.
    ///   - decoding: is called once for each item that is new or looks different. The item has no children.
    public func list<Value: Sendable>(
        _ list: ListName, options: ListOptions = ListOptions(), undecodable: UndecodableItems = .throw,
        decoding: @escaping @Sendable (Item) throws -> Value
    ) -> ListUpdates<Value> {
        let contents = ItemContents.decoded(DecodedContents(by: decoding, undecodable))
        return ListUpdates(list: list, options: options, contents: contents, shared: shared)
    }

    /// Follows a list whose items' content is left as it is.
    public func list(_ list: ListName, options: ListOptions = ListOptions()) -> ListUpdates<Content?> {
        ListUpdates(list: list, options: options, contents: .asIs { $0 }, shared: shared)
    }

    // MARK: - The connection

    /// Whether the client is connected at the moment.
    public var connectionState: ConnectionState { shared.connectionState }

    /// The state at the moment and each that follows, without an end; whoever is slow is given the newest.
    public var connectionStates: some AsyncSequence<ConnectionState, Never> & Sendable { shared.connectionStates }

    /// Lends the connection that lists are followed over, as soon as there is one. Nothing is tried twice: an error of the
    /// connection while the closure runs is the closure's.
    ///
    ///     let lists = try await client.withConnection { try await $0.lists() }
    ///
    /// - Parameter patience: how long to go on trying to connect; at least once it is tried.
    public func withConnection<R>(
        patience: Duration = .seconds(30), isolation: isolated (any Actor)? = #isolation,
        _ body: (Connection) async throws -> R
    ) async throws -> R {
        try await shared.lend(until: .now + patience, body).get()
    }
}
