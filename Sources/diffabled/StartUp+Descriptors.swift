import Glibc

// Every connection is a file descriptor, and so is every file that the lists are in.

extension StartUp {
    /// What is opened beside connections: the journal, sockets of the system, and room for connections that are told
    /// that they are too many.
    private static let descriptorsKept = 64

    /// Takes as many descriptors as the process may have: the soft limit is for programs that use select(2).
    static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// How many connections there are descriptors for.
    private static var connectionsPossible: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        return max(Int(clamping: limit.rlim_cur) - descriptorsKept, 1)
    }

    /// Such that there are always descriptors for the lists' files.
    var connectionsMax: Int { min(configuration.connectionsMax, Self.connectionsPossible) }

    /// What is odd about the descriptors and no reason not to start.
    var descriptorWarning: String? {
        guard connectionsMax < configuration.connectionsMax else { return nil }
        return "the limit of open files leaves \(connectionsMax) connections, fewer than connectionsMax "
            + "\(configuration.connectionsMax): raise LimitNOFILE= of the unit or `ulimit -Hn`, or lower connectionsMax"
    }
}
