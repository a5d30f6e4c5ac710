import Diffable
import DiffableProtocol
import DiffableStore

/// The things that a client can do with a list, as it was last notified.
struct ListCapabilities: Equatable {
    /// Nil before the client's first bookmark.
    var may: Set<Permission>?
    var handles: Set<HandlerRequestKind> = []
    /// Nil if no handler named any.
    var actions: [ActionName]?

    /// Returns the differences from the capabilities that the client knows.
    ///
    /// - Parameter lengthMax: bytes of all actions at most. Longer actions do not fit into a line, and are left out.
    func changes(since told: ListCapabilities, lengthMax: Int) -> CapabilitiesChange {
        CapabilitiesChange(
            may: may == told.may ? nil : may, handles: handles == told.handles ? nil : handles,
            actions: actions == told.actions || lengthOfActions > lengthMax ? nil : .some(actions))
    }

    /// Bytes of the actions with quotation marks and escapes.
    private var lengthOfActions: Int {
        (actions ?? []).reduce(0) { $0 + 3 + 6 * $1.record.withID { $0.count } }
    }
}

extension Connection {
    /// Returns the client's permissions on a list: those that its rights and the methods that it has kept allow.
    func permissions(on list: ListName) -> Set<Permission> {
        let peer = peer
        let rights = hub.store.assumeIsolated { $0.rights(of: peer, on: list) }
        var may: Set<Permission> = []
        if rights.contains(.read) { may.insert(.see) }
        if rights.contains(.ask) { may.insert(.ask) }
        if rights.contains(.write) { may.insert(.change) }
        guard let allowedMethods else { return may }
        return may.filter { !$0.methods.isDisjoint(with: allowedMethods) }
    }

    func capabilities(on list: ListName) -> ListCapabilities {
        ListCapabilities(
            may: permissions(on: list), handles: hub.handlers.handledKinds(of: list),
            actions: hub.handlers.actions(of: list))
    }
}
