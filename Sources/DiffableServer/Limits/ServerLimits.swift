import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

/// The limits for clients, including the store's. Lengths are in bytes. `Limit` has the names and ranges.
package struct ServerLimits: Sendable, Equatable {
    /// Connections of all users. In addition, `connectionsKept` are reserved for root and the daemon's user, and
    /// `firstConnectionsKept` for users without a connection.
    package var connectionsMax = 16_384
    package var connectionsPerUserMax = 1_024
    package var subscriptionsPerConnectionMax = 1_024
    package var handlersPerConnectionMax = 1_024
    package var requestsPerHandlerMax = 4_096
    /// Requests to handlers that one connection waits for.
    package var requestsPerAskerMax = 1_024
    /// For all connections of a user together; 0 for no limit.
    package var requestsPerSecondMax = 0
    /// Memory for a user's incomplete requests and unread replies.
    package var heldLengthMax = 64 << 20
    /// Memory for a user's subscriptions with their views, and handlers with their actions.
    package var registeredLengthMax = 64 << 20
    /// The time after which a connection that has sent no line is closed, in seconds; 0 for no limit.
    package var silentAgeMax = 300
    /// A line from a client.
    package var lineLengthMax = 1 << 20
    /// A line to a client, unless it asks for more in `hello`.
    package var lineOutLengthMax = 65_535
    /// All parts of one transaction together.
    package var transactionLengthMax = 256 << 20
    package var decoding = DecodingLimits.server
    package var store = StoreLimits()

    /// So that an administrator can always connect.
    package static let connectionsKept = 8
    package static let firstConnectionsKept = 64

    package init() {}

    /// The maximum that a client can ask for, at least the default.
    package var lineOutLengthCeiling: Int { max(16 << 20, lineOutLengthMax) }

    /// The maximum depth of items, both in input and as the result of operations.
    package var levelsMax: Int {
        get { decoding.levelsMax }
        set {
            decoding.levelsMax = newValue
            store.snapshot.levelsMax = newValue
        }
    }

    var toldToClients: [WireError.Limit] {
        Limit.allCases.filter { $0.row.reader == .clients }.map { WireError.Limit($0.rawValue, max: self[$0]) }
            + [WireError.Limit("lineOutLengthCeiling", max: lineOutLengthCeiling)]
    }
}
