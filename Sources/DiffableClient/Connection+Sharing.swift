import Diffable
import DiffableProtocol

// The requests of a connector that administration needs while no connector is attached.

extension Connection {
    /// Takes the place of the connector for this connection. The daemon refuses that while `diffabled-etcd` is attached.
    package func attach(as host: HostName) async throws(ClientError) {
        _ = try await reply(to: .attach(.init(host: host)))
    }

    /// Turns this host's copy of a shared list into an ordinary list, or deletes the copy. Other hosts keep the list.
    package func leave(_ list: ListName, epoch: String, isDropped: Bool) async throws(ClientError) {
        _ = try await reply(
            to: .replicate(.init(list: list, epoch: epoch, isGone: isDropped, isLeft: !isDropped)))
    }
}
