import Diffable
import DiffableServer
import DiffableStore
import Logging

/// The settings of diffabled, with their defaults. `config/diffabled.yaml` documents each.
///
/// The paths of the socket and of the state depend on who runs diffabled: they are `nil` until somebody sets them; see
/// `DefaultPlaces`.
struct Configuration: Equatable, Sendable {
    var socket: String?
    var stateDirectory: String?
    var logLevel = Logger.Level.info
    /// Who may connect; nil for the default of the user that runs diffabled (`DefaultPlaces`).
    var clients: Clients?
    /// Who may create lists, and which owner, group and mode these get.
    var access = [AccessRules.Rule(creators: .everyone, mode: .ownerOnly)]
    var limits = ServerLimits()

    /// The settings with other values than in another configuration, which a reload puts in force. The socket, the
    /// state directory and `clients` are not among them: `Reply.Reload` compares the values that the process uses.
    func changes(from old: Configuration) -> [Setting] {
        var changes: [Setting] = []
        if logLevel != old.logLevel { changes.append(.logLevel) }
        if access != old.access { changes.append(.access) }
        return changes + Limit.allCases.filter { limits[$0] != old.limits[$0] }.map(Setting.limit)
    }
}
