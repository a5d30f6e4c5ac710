import DiffableJSON
import DiffableStore

/// What a server needs to know beside its store.
package struct ServerOptions: Sendable {
    package var listening: Listening
    package var limits: ServerLimits
    /// Of the daemon, as `hello` and `status` tell it.
    package var version: String
    /// What `reload` does.
    package var reload: Reload

    package init(
        listening: Listening, limits: ServerLimits = ServerLimits(), version: String,
        reload: @escaping Reload = { $0(.failure(ReloadError(reason: "this server has no configuration"))) }
    ) {
        self.listening = listening
        self.limits = limits
        self.version = version
        self.reload = reload
    }
}

/// Where clients come from.
package enum Listening: Sendable, Equatable {
    /// A Unix socket that the server makes, and removes when it stops.
    case path(String)
    /// A listening Unix socket that was handed over.
    case descriptor(Int32)
}

/// Lengths are in bytes.
package struct ServerLimits: Sendable {
    /// A line that a client sends.
    package var lineLengthMax: Int
    /// A line that a client is sent, unless it asks for more in `hello`.
    package var lineOutLengthMax: Int
    /// What it may ask for at most.
    package var lineOutLengthCeiling: Int
    /// All parts of one transaction together.
    package var transactionLengthMax: Int
    package var decoding: DecodingLimits
    /// The store's, told to clients.
    package var itemsMax: Int
    package var listsMax: Int
    package var requests: RequestLimits

    package init(
        lineLengthMax: Int = 1 << 20, lineOutLengthMax: Int = 65_535, lineOutLengthCeiling: Int = 16 << 20,
        transactionLengthMax: Int = 256 << 20, decoding: DecodingLimits = .server, itemsMax: Int = 10_000_000,
        listsMax: Int = 10_000, requests: RequestLimits = RequestLimits()
    ) {
        self.lineLengthMax = lineLengthMax
        self.lineOutLengthMax = lineOutLengthMax
        self.lineOutLengthCeiling = lineOutLengthCeiling
        self.transactionLengthMax = transactionLengthMax
        self.decoding = decoding
        self.itemsMax = itemsMax
        self.listsMax = listsMax
        self.requests = requests
    }
}
