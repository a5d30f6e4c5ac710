@preconcurrency import Glibc

/// The environment that a program was started with.
package enum ProcessEnvironment {
    /// All of it, by name. Of a name that is there twice, the first counts, as for getenv(3).
    package static func given() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let variable = next.pointee {
            let parts = String(cString: variable).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, variables[String(parts[0])] == nil { variables[String(parts[0])] = String(parts[1]) }
            next += 1
        }
        return variables
    }

    /// The directory that a variable of an environment names; nil if it names none. A relative path counts as unset, as the XDG
    /// base directory specification says.
    package static func directory(_ name: String, in environment: [String: String]) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
