import Diffable
import DiffableProtocol
import DiffableStore
import Glibc
import NIOCore

extension Hub {
    /// The server's figures for its status line.
    struct Figures: Equatable {
        var lists = 0
        var items = 0
        var connections = 0
        var transactions = 0

        /// `2 lists, 31 items, 1 client, 7 transactions`
        var sentence: String {
            func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
            return [
                counted(lists, "list"), counted(items, "item"), counted(connections, "client"),
                counted(transactions, "transaction"),
            ].joined(separator: ", ")
        }
    }

    /// O(lists)
    var figures: Figures {
        let (lists, items, transactions) = store.assumeIsolated {
            ($0.extent.lists, $0.extent.items, $0.statistics.transactions)
        }
        return Figures(lists: lists, items: items, connections: connections.count, transactions: transactions)
    }

    /// Returns the server's status. It counts the lists that the peer may read and the connections of its own user.
    /// Only administrators see totals that reveal the activity of other users. O(lists and connections)
    func status(for client: Connection) -> Reply.Status {
        let peer = client.peer
        let (lists, statistics, storage) = store.assumeIsolated {
            ($0.lists(for: peer).map(\.state), $0.statistics, Reply.Status.StorageState($0.health))
        }
        let connections = connections(seenBy: client)
        let sees = client.isAdministrator
        return Reply.Status(
            version: options.version, processID: Int(getpid()),
            uptimeSeconds: Int((NIODeadline.now() - startTime).nanoseconds / 1_000_000_000),
            connections: connections.count,
            subscriptions: connections.reduce(0) { $0 + $1.numberOfSubscriptions },
            lists: lists.count, items: lists.reduce(0) { $0 + $1.snapshot.numberOfItems },
            transactions: sees ? statistics.transactions : nil, groups: sees ? statistics.groups : nil,
            traffic: sees ? connections.reduce(into: trafficBefore) { $0 += $1.traffic } : nil,
            otherHosts: otherHosts(of: lists, statistics, for: client), storage: storage, refusing: refusal?.message,
            loss: sees ? options.loss() : nil)
    }

    /// The status of mirrors and shared lists; nil if all lists belong to this host alone.
    private func otherHosts(
        of lists: [ListState], _ statistics: StoreStatistics, for client: Connection
    ) -> Reply.Status.OtherHosts? {
        let mirrored = lists.compactMap { mirrors.mirrored($0.name)?.liveness }
        let (shared, hosts, waiting) = store.assumeIsolated { store in
            (lists.compactMap { store.sharedLiveness(of: $0.name) }, store.numberOfHosts, store.numberAwaitingEngine)
        }
        let isConnected = connector.connection != nil
        let sees = client.isAdministrator
        let isSharing = !shared.isEmpty || sees && isConnected
        guard isSharing || !mirrored.isEmpty else { return nil }
        return Reply.Status.OtherHosts(
            sharedLists: shared.count, mirrors: mirrored.count,
            notLive: (shared + mirrored).count { $0 != .live }, isConnected: isSharing ? isConnected : nil,
            hosts: sees ? hosts : nil, waiting: sees && isSharing ? waiting : nil,
            batches: sees && isSharing ? statistics.batches : nil)
    }

    /// Returns the clients that a client may see, in the order of their connections.
    func clients(seenBy client: Connection, namingActions: Bool) -> [Reply.Client] {
        connections(seenBy: client).sorted { $0.number < $1.number }.map { connection in
            var client = Reply.Client(connection)
            client.handlers = handlers.handlers(of: connection, namingActions: namingActions)
            return client
        }
    }

    /// Returns the connections that a client may see: all of them for root and the daemon's user, otherwise those of
    /// its own user. A client that gave up lists sees only itself, because other connections could reveal these lists.
    private func connections(seenBy client: Connection) -> [Connection] {
        if client.peer.scope != nil { return [client] }
        return connections.values.filter { client.peer.isPrivileged || $0.peer.userID == client.peer.userID }
    }
}

extension Reply.Client {
    fileprivate init(_ connection: Connection) {
        self.init(
            number: connection.number, name: connection.name, processID: connection.credentials?.processID,
            userID: (connection.credentials?.userID).map(Int.init), connectedSeconds: connection.connectedSeconds,
            traffic: connection.traffic,
            pendingBytes: connection.session.unsent.length + connection.session.outbox.length,
            subscriptions: connection.subscriptions.map {
                Subscription(
                    subscription: $0.number, list: $0.list, behind: $0.revisionsBehind, deliveries: $0.deliveries,
                    bytesSent: $0.bytesSent)
            })
    }
}

extension Reply.Status.StorageState {
    fileprivate init(_ health: StoreHealth) {
        self =
            switch health {
            case .working: .working
            case .full: .full
            case .failed: .failed
            case .unreadable: .unreadable
            case .closing: .closing
            }
    }
}
