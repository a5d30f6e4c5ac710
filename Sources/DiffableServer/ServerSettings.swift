import DiffableProtocol
import DiffableStore

/// Settings that can change while the server runs. All are applied in one step of the event loop (`Hub.take`).
package struct ServerSettings: Sendable {
    package var limits: ServerLimits
    package var access: AccessRules

    package init(limits: ServerLimits, access: AccessRules) {
        self.limits = limits
        self.access = access
    }
}

/// Reads the configuration again, applies it (`Server.take`), and reports the result once, on any thread. Called on the
/// event loop, which it must not block.
package typealias Reload =
    @Sendable (
        _ whenDone: @escaping @Sendable (Result<Reply.Reload, ReloadError>) -> Void
    ) -> Void

/// Why the configuration was not reloaded. Nothing was changed.
package struct ReloadError: Error, Equatable {
    /// A sentence with the place of the error and the remedy.
    package var reason: String

    package init(reason: String) { self.reason = reason }
}
