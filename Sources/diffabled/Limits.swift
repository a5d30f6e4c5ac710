import Diffable
import DiffableServer
import DiffableStore

/// The limits of the configuration, as the values that each part takes.
extension StartUp {
    var storeLimits: StoreLimits {
        StoreLimits(
            snapshot: SnapshotLimits(levelsMax: configuration.levelsMax, itemsMax: configuration.itemsMax),
            listsMax: configuration.listsMax)
    }

    var serverOptions: ServerOptions {
        ServerOptions(listening: listening, limits: ServerLimits())
    }

    private var listening: Listening {
        switch socket {
        case .path(let path): .path(path)
        case .descriptor(let descriptor): .descriptor(descriptor)
        }
    }
}
