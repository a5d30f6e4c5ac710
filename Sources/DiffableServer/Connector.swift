import Diffable
import DiffableProtocol
import DiffableStore
import NIOCore

/// Which connection is the connector: what shared lists reach the engine by, and hear of other hosts by.
///
/// It lives on the event loop, with the hub.
final class Connector {
    private let store: Store
    private(set) var connection: Connection?

    init(_ store: Store) { self.store = store }

    /// The connection takes the place of any other, which is told so.
    func attach(
        _ connection: Connection, host: HostName, send: @escaping @Sendable (EngineCall) -> Void
    ) -> [SharedState] {
        if let former = self.connection, former !== connection { former.tell(ConnectorNotification.detached) }
        self.connection = connection
        return store.assumeIsolated { $0.attach(host: "\(host)", send: send) }
    }

    /// The connection has ended.
    func end(_ connection: Connection) {
        guard self.connection === connection else { return }
        self.connection = nil
        store.assumeIsolated { $0.detach() }
    }
}

extension Hub {
    /// Those who wait too long for the engine hear so then.
    func endSharedWaits(in delay: Int) {
        schedule(in: .milliseconds(Int64(delay))) { self.store.assumeIsolated { $0.endSharedWaits() } }
    }
}
