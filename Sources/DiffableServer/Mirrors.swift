import Diffable
import DiffableProtocol
import DiffableStore

/// The connections that mirror lists, and the liveness of these mirrors. The store records permanently that a list is a
/// mirror; the connection that mirrors it is known only while it lasts.
///
/// It lives on the event loop, with the hub.
final class Mirrors {
    private let store: Store
    private var mirrors: [ListName: Mirror] = [:]

    private struct Mirror {
        /// The connection that mirrors the list; nil after it has ended.
        var connection: Connection?
        var liveness: Liveness
    }

    init(_ store: Store) { self.store = store }

    /// Returns the liveness of a mirror or a shared list; nil for an ordinary list.
    func liveness(of list: ListName) -> Liveness? {
        mirrored(list)?.liveness ?? store.assumeIsolated { $0.sharedLiveness(of: list) }
    }

    /// Adds the source of a mirror, and the liveness of a shared list, to a summary.
    func completed(_ summary: Reply.ListSummary) -> Reply.ListSummary {
        var summary = summary
        summary.mirror = mirrored(summary.list)
        summary.sharedLiveness = store.assumeIsolated { $0.sharedLiveness(of: summary.list) }
        return summary
    }

    /// Returns the source and liveness of a mirror; nil for any other list.
    func mirrored(_ list: ListName) -> Reply.MirroredList? {
        store.assumeIsolated { $0.source(of: list) }.map { source in
            Reply.MirroredList(source: source, liveness: mirrors[list]?.liveness ?? .notLive(since: nil))
        }
    }

    /// Whether another connection mirrors the list.
    func isMirrored(_ list: ListName, besides connection: Connection) -> Bool {
        mirrors[list]?.connection.map { $0 !== connection } ?? false
    }

    /// Makes the connection the only one that may change the list.
    func take(_ list: ListName, by connection: Connection) {
        mirrors[list]?.connection?.peer.mirrored.remove(list)
        mirrors[list, default: Mirror(liveness: .notLive(since: nil))].connection = connection
        connection.peer.mirrored.insert(list)
    }

    /// - Returns: Whether the liveness has changed.
    func set(_ liveness: Liveness, of list: ListName) -> Bool {
        guard let old = mirrors[list]?.liveness else { return false }
        // Keeps the time at which it stopped being live.
        if case .notLive = liveness, case .notLive(since: .some) = old { return false }
        mirrors[list]?.liveness = liveness
        return old != liveness
    }

    /// Forgets the mirror, because the list was deleted or became an ordinary one.
    func forget(_ list: ListName) {
        mirrors.removeValue(forKey: list)?.connection?.peer.mirrored.remove(list)
    }

    /// Ends mirrors, because their connection has ended or gave them up.
    ///
    /// - Returns: The lists that are no longer live.
    func end(_ connection: Connection, where isEnded: (ListName) -> Bool) -> [ListName] {
        let mirrored = connection.peer.mirrored.filter(isEnded).sorted()
        connection.peer.mirrored.subtract(mirrored)
        return mirrored.filter { list in
            mirrors[list]?.connection = nil
            return set(.notLive(since: now), of: list)
        }
    }

    /// Milliseconds since the beginning of 1970.
    var now: Int { store.assumeIsolated { $0.timeOfDay.milliseconds } }
}
