@preconcurrency import Glibc

/// The environment that a program was started with.
package enum ProcessEnvironment {
    /// Returns all variables by name. The first of duplicates counts, as for getenv(3).
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

    /// Returns the directory that a variable names, or nil. A relative path counts as unset, as the XDG base directory
    /// specification requires.
    package static func directory(_ name: String, in environment: [String: String]) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
