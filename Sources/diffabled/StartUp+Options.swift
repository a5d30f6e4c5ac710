import CResidentMemory
import DiffableProtocol
import DiffableServer
import DiffableStore
import Glibc

extension StartUp {
    /// A list whose owner a repair did not find belongs to root, or to the daemon's own user.
    var accessRules: AccessRules {
        let former: UInt32 = clients == .own ? userID : 0
        return AccessRules(configuration.access, formerOwner: former, formerGroup: clients == .own ? getegid() : 0)
    }

    func serverOptions(
        reload: @escaping Reload, onNews: @escaping @Sendable (String) -> Void
    ) -> ServerOptions {
        let directory = stateDirectory
        return ServerOptions(
            listening: listening, limits: limits, clients: clients, userID: userID, version: Version.current,
            reload: reload, onNews: onNews,
            memory: ProcessMemory(
                release: { resident_memory_release() }, trim: { resident_memory_trim() },
                length: { resident_memory_anonymous() }),
            loss: { LossMark(in: directory).sentence })
    }

    var serverSettings: ServerSettings { ServerSettings(limits: limits, access: accessRules) }

    var limits: ServerLimits {
        var limits = configuration.limits
        limits.connectionsMax = connectionsMax
        limits.store.subordinates = subordinates
        return limits
    }

    private var listening: ListenSource {
        switch socket {
        case .path(let path): .path(path)
        case .descriptor(let descriptor): .descriptor(descriptor)
        }
    }
}
