import Diffable
import DiffableProtocol
import DiffableStore
import NIOCore

/// The connection of the connector, which transfers changes of shared lists to and from etcd.
///
/// Lives on the event loop, with the hub.
final class Connector {
    private let store: Store
    private(set) var connection: Connection?

    init(_ store: Store) { self.store = store }

    /// Attaches a connection as the connector. It replaces any other, which is notified.
    func attach(
        _ connection: Connection, host: HostName, send: @escaping @Sendable (EtcdCall) -> Void
    ) -> [SharedState] {
        if let former = self.connection, former !== connection { former.notify(ConnectorNotification.detached) }
        self.connection = connection
        return store.assumeIsolated { $0.attach(host: "\(host)", send: send) }
    }

    func end(_ connection: Connection) {
        guard self.connection === connection else { return }
        self.connection = nil
        store.assumeIsolated { $0.detach() }
    }
}

extension Hub {
    /// Schedules the timeout of requests that wait for etcd, in milliseconds.
    func endSharedWaits(in delay: Int) {
        schedule(in: .milliseconds(Int64(delay))) { self.store.assumeIsolated { $0.endSharedWaits() } }
    }
}
