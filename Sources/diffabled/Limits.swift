import Diffable
import DiffableJSON
import DiffableServer
import DiffableStore

/// The configuration, as the values that each part takes.
extension StartUp {
    var storeLimits: StoreLimits {
        StoreLimits(
            snapshot: SnapshotLimits(levelsMax: configuration.levelsMax, itemsMax: configuration.itemsMax),
            listsMax: configuration.listsMax,
            history: HistoryLimits(lengthMax: configuration.historyLengthMax, ageMax: configuration.historyAgeMax),
            requests: requestLimits)
    }

    private var requestLimits: RequestLimits {
        RequestLimits(keysMax: configuration.requestKeysMax, ageMax: configuration.requestKeyAgeMax)
    }

    func serverOptions(reload: @escaping Reload) -> ServerOptions {
        ServerOptions(listening: listening, limits: serverLimits, version: Version.current, reload: reload)
    }

    /// What a reload may change.
    var serverSettings: ServerSettings { ServerSettings(limits: serverLimits, store: storeLimits) }

    private var serverLimits: ServerLimits {
        var limits = ServerLimits(
            lineLengthMax: configuration.lineLengthMax, lineOutLengthMax: configuration.lineOutLengthMax,
            transactionLengthMax: configuration.transactionLengthMax, itemsMax: configuration.itemsMax,
            listsMax: configuration.listsMax, requests: requestLimits)
        // What a client may raise its lines to is never less than what they are.
        limits.lineOutLengthCeiling = max(limits.lineOutLengthCeiling, configuration.lineOutLengthMax)
        limits.decoding.depthMax = configuration.depthMax
        limits.decoding.contentLengthMax = configuration.contentLengthMax
        limits.decoding.levelsMax = configuration.levelsMax
        limits.decoding.operationsMax = configuration.operationsMax
        return limits
    }

    private var listening: Listening {
        switch socket {
        case .path(let path): .path(path)
        case .descriptor(let descriptor): .descriptor(descriptor)
        }
    }
}
