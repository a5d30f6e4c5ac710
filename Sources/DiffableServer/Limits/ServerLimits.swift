import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

/// What clients may take, the store's part of it included. Lengths are in bytes. `Limit` has the names and ranges.
package struct ServerLimits: Sendable, Equatable {
    /// Connections of all users. `connectionsKept` more are for root and the daemon's user, and `firstConnectionsKept` more for
    /// users without a connection.
    package var connectionsMax = 16_384
    package var connectionsPerUserMax = 1_024
    package var subscriptionsPerConnectionMax = 1_024
    package var handlersPerConnectionMax = 1_024
    /// That it has not answered.
    package var requestsPerHandlerMax = 4_096
    /// That one connection waits for.
    package var requestsPerAskerMax = 1_024
    /// Of all connections of a user together; 0 is no limit.
    package var requestsPerSecondMax = 0
    /// Memory for a user's incomplete requests and unread replies.
    package var heldLengthMax = 64 << 20
    /// Memory for a user's subscriptions, with their views, and handlers, with their actions.
    package var registeredLengthMax = 64 << 20
    /// How long a connection may last that has sent no line, in seconds; 0 is for ever.
    package var silentAgeMax = 300
    /// A line that a client sends.
    package var lineLengthMax = 1 << 20
    /// A line that a client is sent, unless it asks for more in `hello`.
    package var lineOutLengthMax = 65_535
    /// All parts of one transaction together.
    package var transactionLengthMax = 256 << 20
    package var decoding = DecodingLimits.server
    package var store = StoreLimits()

    /// So that an administrator can always have a look.
    package static let connectionsKept = 8
    package static let firstConnectionsKept = 64

    package init() {}

    /// What a client may raise its lines to: never less than what they are.
    package var lineOutLengthCeiling: Int { max(16 << 20, lineOutLengthMax) }

    /// Levels of items, in what is read and in what operations make of a list.
    package var levelsMax: Int {
        get { decoding.levelsMax }
        set {
            decoding.levelsMax = newValue
            store.snapshot.levelsMax = newValue
        }
    }

    /// As `hello` tells them.
    var toldToClients: [WireError.Limit] {
        Limit.allCases.filter { $0.row.reader == .clients }.map { WireError.Limit($0.rawValue, max: self[$0]) }
            + [WireError.Limit("lineOutLengthCeiling", max: lineOutLengthCeiling)]
    }
}
