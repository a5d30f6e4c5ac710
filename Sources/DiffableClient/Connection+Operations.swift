import DiffableJSON
import DiffableProtocol

extension Connection {
    /// Who is connected, as the daemon says it: everybody, for those who may run it, and otherwise one's own.
    package func clientsJSON() async throws(ClientError) -> [UInt8] { try await reply(to: .clients) }

    /// Has the daemon send all durable lists as they are at one moment, as lines without their newlines, each a request
    /// that `restore` sends back. The reply tells of the lists as that to `lists` does.
    package func backupJSON(_ receive: @escaping @Sendable ([UInt8]) -> Void) async throws(ClientError) -> [UInt8] {
        withConversation { conversation in
            conversation.backupReceiver = { arrival in
                if case .notification(_, let line) = arrival { receive(line) }
            }
        }
        defer { withConversation { $0.backupReceiver = nil } }
        return try await reply(to: .backup)
    }

    /// Sends the lines of a backup, given one after the other until there is none, and has all of its lists made or
    /// none. The reply tells of the lists as that to `lists` does.
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
