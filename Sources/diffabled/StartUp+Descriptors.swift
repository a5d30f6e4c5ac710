import DiffableServer
import Glibc

extension StartUp {
    /// Descriptors for other purposes than the connections that `connectionsMax` counts: the journal, the system's sockets,
    /// refused clients, and the connections that are reserved for root and for users without a connection.
    private static let descriptorsKept = 128

    private static var connectionsPossible: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        return max(Int(clamping: limit.rlim_cur) - descriptorsKept, 1)
    }

    /// The limit in force, which leaves descriptors for the lists' files.
    var connectionsMax: Int { min(configuration.limits.connectionsMax, Self.connectionsPossible) }

    var descriptorWarning: String? {
        guard connectionsMax < configuration.limits.connectionsMax else { return nil }
        return "the limit of open files leaves \(connectionsMax) connections, fewer than connectionsMax "
            + "\(configuration.limits.connectionsMax): raise LimitNOFILE= of the unit or `ulimit -Hn`, or lower connectionsMax"
    }
}
