import Diffable
import DiffableServer
import DiffableStore
import Logging

/// The settings of diffabled, with their defaults. `config/diffabled.yaml` documents each. The default paths of the socket and of
/// the state depend on the user that runs diffabled (`DefaultPlaces`), so they are nil here.
struct Configuration: Equatable, Sendable {
    var socket: String?
    var stateDirectory: String?
    var logLevel = Logger.Level.info
    /// The users that may connect; nil for the default of the user that runs diffabled (`DefaultPlaces`).
    var clients: AllowedUsers?
    /// The users that may create lists, and the owner, group and mode of these lists.
    var access = [AccessRules.Rule(creators: .everyone, mode: .ownerOnly)]
    var limits = ServerLimits()

    /// The settings that differ from another configuration and that a reload applies. The socket, the state directory and
    /// `clients` are not among them: `Reply.Reload` compares the values that the process uses.
    func changes(from old: Configuration) -> [Setting] {
        var changes: [Setting] = []
        if logLevel != old.logLevel { changes.append(.logLevel) }
        if access != old.access { changes.append(.access) }
        return changes + Limit.allCases.filter { limits[$0] != old.limits[$0] }.map(Setting.limit)
    }
}
