import Diffable
import DiffableProtocol
import DiffableStore

/// What a client can do with a list, as it was told.
struct Abilities: Equatable {
    /// Nil before it was told.
    var may: Set<Permission>?
    var handles: Set<HandledKind> = []
    /// Nil if no handler named any.
    var actions: [ActionName]?

    /// What is different from what the client was told.
    ///
    /// - Parameter lengthMax: the length of all actions, in bytes. More of them do not fit into a line, and are left out.
    func news(since told: Abilities, lengthMax: Int) -> AbilityNews {
        AbilityNews(
            may: may == told.may ? nil : may, handles: handles == told.handles ? nil : handles,
            actions: actions == told.actions || lengthOfActions > lengthMax ? nil : .some(actions))
    }

    /// With quotation marks and escapes.
    private var lengthOfActions: Int {
        (actions ?? []).reduce(0) { $0 + 3 + 6 * $1.record.withID { $0.count } }
    }
}

extension Connection {
    /// What the client can do with a list: what its rights and the methods that it did not give up allow.
    func may(_ list: ListName) -> Set<Permission> {
        let peer = peer
        let rights = hub.store.assumeIsolated { $0.rights(of: peer, on: list) }
        var may: Set<Permission> = []
        if rights.contains(.read) { may.insert(.see) }
        if rights.contains(.ask) { may.insert(.ask) }
        if rights.contains(.write) { may.insert(.change) }
        guard let allowedMethods else { return may }
        return may.filter { !$0.methods.isDisjoint(with: allowedMethods) }
    }

    func abilities(on list: ListName) -> Abilities {
        Abilities(
            may: may(list), handles: hub.handlers.handledKinds(of: list), actions: hub.handlers.actions(of: list))
    }
}
