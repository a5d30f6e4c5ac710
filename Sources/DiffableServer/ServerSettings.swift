import DiffableStore

/// What may be set otherwise while the server runs: one value, which all take in one step of the loop (`Hub.take`).
package struct ServerSettings: Sendable {
    package var limits: ServerLimits
    package var store: StoreLimits
    /// Who may create lists, and what they are like then.
    package var access: AccessRules

    package init(limits: ServerLimits, store: StoreLimits, access: AccessRules) {
        self.limits = limits
        self.store = store
        self.access = access
    }
}

/// Reads the configuration again, has the server take it (`Server.take`), and says what became of it, once, on any
/// thread. Called on the loop, which it must not hold up.
package typealias Reload = @Sendable (_ whenDone: @escaping @Sendable (Result<Reloaded, ReloadError>) -> Void) -> Void

/// The settings are in force.
package struct Reloaded: Sendable, Equatable {
    /// What was read, if there is such a file.
    package var file: String?
    /// The settings that have other values now, as in the configuration.
    package var applied: [String]
    /// Those that have other values in the configuration, and keep the old ones until a restart.
    package var needRestart: [String]

    package init(file: String?, applied: [String], needRestart: [String]) {
        self.file = file
        self.applied = applied
        self.needRestart = needRestart
    }
}

/// Nothing was changed.
package struct ReloadError: Error, Equatable {
    /// In a sentence that says where and what to do.
    package var reason: String

    package init(reason: String) { self.reason = reason }
}
