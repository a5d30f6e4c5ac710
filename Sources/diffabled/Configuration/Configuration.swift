import Diffable
import DiffableServer
import DiffableStore
import Logging

/// What diffabled can be told, with the defaults it has otherwise. `config/diffabled.yaml` documents each.
///
/// What depends on who runs it, the socket's and the state's place, is `nil` until somebody says otherwise; see
/// `DefaultPlaces`.
struct Configuration: Equatable, Sendable {
    var socket: String?
    var stateDirectory: String?
    var logLevel = Logger.Level.info
    /// Who may connect; nil for what the user that runs it makes of it (`DefaultPlaces`).
    var clients: Clients?
    /// Who may create lists, and what they are like then.
    var access = [AccessRules.Rule(creators: .everyone, mode: .ownerOnly)]

    /// Of all users together.
    var connectionsMax = 16_384
    var connectionsPerUserMax = 12_288
    var subscriptionsPerConnectionMax = 1_024
    /// Of all connections of a user together; 0 is no limit.
    var requestsPerSecondMax = 0
    /// What is kept for a user's connections, of requests that are not complete and answers that are not read, in bytes.
    var heldLengthMax = 536_870_912
    /// How long a connection may last that has sent no line, in seconds; 0 is for ever.
    var silentAgeMax = 300

    /// A line that a client sends, in bytes.
    var lineLengthMax = 1_048_576
    /// A line that a client is sent, in bytes, unless it asks for more.
    var lineOutLengthMax = 65_535
    /// How deep brackets of a line in are nested.
    var depthMax = 64
    /// Of ids, names of lists, kinds and request keys, in bytes.
    var idLengthMax = 255
    /// An item's or a section's content, in bytes.
    var contentLengthMax = 32_768
    /// How deep an item may lie under others.
    var levelsMax = 24
    /// Operations of one line; a transaction in parts may have more.
    var operationsMax = 100_000
    /// Tests of a view, with what combines them, words to search for and paths to sort by.
    var viewTermsMax = 64
    /// Rows of a view's window.
    var windowRowsMax = 10_000
    /// All parts of one transaction together, in bytes.
    var transactionLengthMax = 268_435_456
    /// Items of one list, at any depth.
    var itemsMax = 10_000_000
    var listsMax = 10_000
    /// What keeping one list's past takes, in bytes.
    var historyLengthMax = 4_194_304
    /// How long it is kept, in seconds.
    var historyAgeMax = 86_400
    /// Keys of requests that one list remembers.
    var requestKeysMax = 65_536
    /// In seconds.
    var requestKeyAgeMax = 86_400
}
