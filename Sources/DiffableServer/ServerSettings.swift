import DiffableProtocol
import DiffableStore

/// What may be set otherwise while the server runs: one value, which all take in one step of the loop (`Hub.take`).
package struct ServerSettings: Sendable {
    package var limits: ServerLimits
    /// Who may create lists, and what they are like then.
    package var access: AccessRules

    package init(limits: ServerLimits, access: AccessRules) {
        self.limits = limits
        self.access = access
    }
}

/// Reads the configuration again, has the server take it (`Server.take`), and says what became of it, once, on any
/// thread. Called on the loop, which it must not hold up.
package typealias Reload =
    @Sendable (
        _ whenDone: @escaping @Sendable (Result<Reply.Reload, ReloadError>) -> Void
    ) -> Void

/// Nothing was changed.
package struct ReloadError: Error, Equatable {
    /// In a sentence that says where and what to do.
    package var reason: String

    package init(reason: String) { self.reason = reason }
}
