import DiffableJSON
import DiffableProtocol

extension Connection {
    /// The connections: all of them for users who may run the daemon, otherwise the caller's own.
    package func clientsJSON() async throws(ClientError) -> [UInt8] {
        try await reply(to: .clients(.init(namesActions: true)))
    }

    /// Requests all durable lists as of one moment. `receive` gets lines without their newlines, each a request that `restore`
    /// sends back. The reply describes the lists as `lists` does.
    package func backupJSON(_ receive: @escaping @Sendable ([UInt8]) -> Void) async throws(ClientError) -> [UInt8] {
        withRouter { router in
            router.backupReceiver = { arrival in
                if case .notification(_, let line) = arrival { receive(line) }
            }
        }
        defer { withRouter { $0.backupReceiver = nil } }
        return try await reply(to: .backup)
    }

    /// Sends the lines of a backup, until `nextLine` returns nil, and restores all of its lists or none. The reply describes
    /// the lists as `lists` does.
    package func restoreJSON(
        replacing: Bool, _ nextLine: () -> ArraySlice<UInt8>?
    ) async throws(ClientError) -> [UInt8] {
        try await reply { id, writer throws(ClientError) in
            if let line = nextLine() {
                writer.append(Array(line))
                writer.append(byte: UInt8(ascii: "\n"))
                return .more
            }
            Request.restore(.end(replacing: replacing)).write(id: id, into: &writer)
            return .done
        }
    }

    /// Makes the daemon read its configuration again. Allowed for root and the daemon's own user.
    ///
    /// Throws `refused` as `invalidConfiguration`, with the mistake and its place, if nothing was applied.
    public func reloadConfiguration() async throws(ClientError) -> ConfigurationReload {
        let result = try await reply(to: .reload)
        return try decoded { () throws(DecodingError) in ConfigurationReload(try Reply.Reload(json: result)) }
    }
}

/// The result of reading the configuration again.
public struct ConfigurationReload: Sendable, Equatable {
    /// The file that was read, if it exists.
    public var file: String?
    /// The settings whose values have changed, with their names in the configuration.
    public var applied: [String]
    /// The settings that have changed in the configuration, but keep their values until a restart.
    public var needRestart: [String]

    init(_ reload: Reply.Reload) {
        file = reload.file
        applied = reload.applied
        needRestart = reload.needRestart
    }
}
