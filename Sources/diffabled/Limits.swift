import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableServer
import DiffableStore
import Glibc

/// The configuration, as the values that each part takes.
extension StartUp {
    var storeLimits: StoreLimits {
        StoreLimits(
            snapshot: SnapshotLimits(levelsMax: configuration.levelsMax, itemsMax: configuration.itemsMax),
            listsMax: configuration.listsMax,
            history: HistoryLimits(lengthMax: configuration.historyLengthMax, ageMax: configuration.historyAgeMax),
            requests: requestLimits)
    }

    /// Lists that are older than owners were for whoever could open the socket, which was root, or the daemon's own user.
    var accessRules: AccessRules {
        let former: UInt32 = clients == .own ? userID : 0
        return AccessRules(configuration.access, formerOwner: former, formerGroup: clients == .own ? getegid() : 0)
    }

    private var requestLimits: RequestLimits {
        RequestLimits(keysMax: configuration.requestKeysMax, ageMax: configuration.requestKeyAgeMax)
    }

    func serverOptions(
        reload: @escaping Reload, onNews: @escaping @Sendable (String) -> Void
    ) -> ServerOptions {
        ServerOptions(
            listening: listening, limits: serverLimits, clients: clients, userID: userID, version: Version.current,
            reload: reload, onNews: onNews)
    }

    /// What a reload may change.
    var serverSettings: ServerSettings { ServerSettings(limits: serverLimits, store: storeLimits, access: accessRules) }

    private var serverLimits: ServerLimits {
        var limits = ServerLimits(
            lineLengthMax: configuration.lineLengthMax, lineOutLengthMax: configuration.lineOutLengthMax,
            transactionLengthMax: configuration.transactionLengthMax, itemsMax: configuration.itemsMax,
            listsMax: configuration.listsMax, requests: requestLimits)
        // What a client may raise its lines to is never less than what they are.
        limits.lineOutLengthCeiling = max(limits.lineOutLengthCeiling, configuration.lineOutLengthMax)
        limits.connectionsMax = connectionsMax
        limits.connectionsPerUserMax = configuration.connectionsPerUserMax
        limits.subscriptionsPerConnectionMax = configuration.subscriptionsPerConnectionMax
        limits.requestsPerSecondMax = configuration.requestsPerSecondMax
        limits.heldLengthMax = configuration.heldLengthMax
        limits.silentAgeMax = configuration.silentAgeMax
        limits.decoding.idLengthMax = configuration.idLengthMax
        limits.decoding.depthMax = configuration.depthMax
        limits.decoding.contentLengthMax = configuration.contentLengthMax
        limits.decoding.levelsMax = configuration.levelsMax
        limits.decoding.operationsMax = configuration.operationsMax
        limits.decoding.viewTermsMax = configuration.viewTermsMax
        limits.decoding.windowRowsMax = configuration.windowRowsMax
        return limits
    }

    private var listening: Listening {
        switch socket {
        case .path(let path): .path(path)
        case .descriptor(let descriptor): .descriptor(descriptor)
        }
    }
}
