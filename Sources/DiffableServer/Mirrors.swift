import Diffable
import DiffableProtocol
import DiffableStore

/// Which connection mirrors which list, and whether what the list shows is what its source is like. That a list is a mirror is
/// for the store to keep; who mirrors it is over with the connection.
///
/// It lives on the event loop, with the hub.
final class Mirrors {
    private let store: Store
    private var mirrors: [ListName: Mirror] = [:]

    private struct Mirror {
        /// Nil after its end.
        var connection: Connection?
        var liveness: Liveness
    }

    init(_ store: Store) { self.store = store }

    /// Nil for an ordinary list.
    func liveness(of list: ListName) -> Liveness? {
        mirrored(list)?.liveness ?? store.assumeIsolated { $0.sharedLiveness(of: list) }
    }

    /// With what it is a mirror of, and whether it is shared.
    func completed(_ summary: Reply.ListSummary) -> Reply.ListSummary {
        var summary = summary
        summary.mirror = mirrored(summary.list)
        summary.sharedLiveness = store.assumeIsolated { $0.sharedLiveness(of: summary.list) }
        return summary
    }

    /// What the list is a mirror of; nil for any other.
    func mirrored(_ list: ListName) -> Reply.MirroredList? {
        store.assumeIsolated { $0.source(of: list) }.map { source in
            Reply.MirroredList(source: source, liveness: mirrors[list]?.liveness ?? .notLive(since: nil))
        }
    }

    /// Whether another connection mirrors it.
    func isMirrored(_ list: ListName, besides connection: Connection) -> Bool {
        mirrors[list]?.connection.map { $0 !== connection } ?? false
    }

    /// From now on the connection may change the list, and nobody else.
    func take(_ list: ListName, by connection: Connection) {
        mirrors[list]?.connection?.peer.mirrored.remove(list)
        mirrors[list, default: Mirror(liveness: .notLive(since: nil))].connection = connection
        connection.peer.mirrored.insert(list)
    }

    /// - Returns: Whether that is news.
    func set(_ liveness: Liveness, of list: ListName) -> Bool {
        guard let old = mirrors[list]?.liveness else { return false }
        // It is known since when it was not.
        if case .notLive = liveness, case .notLive(since: .some) = old { return false }
        mirrors[list]?.liveness = liveness
        return old != liveness
    }

    /// The list has gone, or is an ordinary one.
    func forget(_ list: ListName) {
        mirrors.removeValue(forKey: list)?.connection?.peer.mirrored.remove(list)
    }

    /// Their connection has ended, or gave them up.
    ///
    /// - Returns: The lists that are not live any more.
    func end(_ connection: Connection, where isEnded: (ListName) -> Bool) -> [ListName] {
        let mirrored = connection.peer.mirrored.filter(isEnded).sorted()
        connection.peer.mirrored.subtract(mirrored)
        return mirrored.filter { list in
            mirrors[list]?.connection = nil
            return set(.notLive(since: now), of: list)
        }
    }

    /// In milliseconds since 1970 began.
    var now: Int { store.assumeIsolated { $0.timeOfDay.milliseconds } }
}
