import DiffableJSON
import DiffableProtocol

extension Connection {
    /// Has the daemon read its configuration again. For root and the daemon's own user.
    ///
    /// Throws `refused` as `invalidConfiguration`, with what is wrong where, when nothing of it was taken.
    public func reloadConfiguration() async throws(ClientError) -> ConfigurationReload {
        let result = try await reply(to: .reload)
        return try decoded { () throws(DecodingError) in ConfigurationReload(try Reply.Reload(json: result)) }
    }
}

/// What a daemon made of its configuration.
public struct ConfigurationReload: Sendable, Equatable {
    /// What was read, if there is such a file.
    public var file: String?
    /// The settings that have other values now, as in the configuration.
    public var applied: [String]
    /// Those that have other values in the configuration, and keep the old ones until a restart.
    public var needRestart: [String]

    init(_ reload: Reply.Reload) {
        file = reload.file
        applied = reload.applied
        needRestart = reload.needRestart
    }
}
