@preconcurrency import Glibc

/// What the process was started in, read once, so that everything after is a function of its arguments.
struct Surroundings {
    var userID: UInt32
    var environment: [String: String]

    static var current: Surroundings { Surroundings(userID: geteuid(), environment: variables()) }

    /// Of a name that stands twice, the first counts, as for getenv(3).
    private static func variables() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let variable = next.pointee {
            let parts = String(cString: variable).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, variables[String(parts[0])] == nil { variables[String(parts[0])] = String(parts[1]) }
            next += 1
        }
        return variables
    }
}
