import Diffable
import DiffableJSON
import DiffableStore

/// The configurable limits, in one table: the value, range and unit of each, and who gets to know it.
///
/// A limit's raw value is its name in the configuration file, in `hello` and in `tooLarge`. Its default is next to the
/// property that the path leads to. A new limit needs that property, a case and a row here, a description in
/// `config/diffabled.yaml`, and a trial in `LimitTrials`. The compiler or a test checks each of these.
package enum Limit: String, CaseIterable, Sendable {
    case connectionsMax
    case connectionsPerUserMax
    case subscriptionsPerConnectionMax
    case handlersPerConnectionMax
    case requestsPerHandlerMax
    case requestsPerAskerMax
    case requestsPerSecondMax
    case heldLengthMax
    case registeredLengthMax
    case silentAgeMax
    case lineLengthMax
    case lineOutLengthMax
    case transactionLengthMax
    case depthMax
    case idLengthMax
    case contentLengthMax
    case levelsMax
    case operationsMax
    case viewTermsMax
    case viewSegmentsMax
    case viewIdsMax
    case windowRowsMax
    case schemaLengthMax
    case schemaDepthMax
    case schemaKeywordsMax
    case argumentsLengthMax
    case resultLengthMax
    case actionsPerHandlerMax
    case itemsMax
    case listsMax
    case listsPerUserMax
    case contentPerUserMax
    case historyLengthMax
    case pastLengthMax
    case deletedLengthMax
    case historyAgeMax
    case requestKeysMax
    case requestKeysTotalMax
    case requestKeyAgeMax
    case engineWaitMax

    package var row: Row {
        switch self {
        case .connectionsMax: Row(\.connectionsMax, 1...1_000_000)
        case .connectionsPerUserMax: Row(\.connectionsPerUserMax, 1...1_000_000)
        case .subscriptionsPerConnectionMax: Row(\.subscriptionsPerConnectionMax, 1...1_000_000)
        case .handlersPerConnectionMax: Row(\.handlersPerConnectionMax, 1...1_000_000)
        case .requestsPerHandlerMax: Row(\.requestsPerHandlerMax, 1...1_000_000)
        case .requestsPerAskerMax: Row(\.requestsPerAskerMax, 1...1_000_000)
        case .requestsPerSecondMax: Row(\.requestsPerSecondMax, 0...10_000_000)
        case .heldLengthMax: Row(\.heldLengthMax, 65_536...1 << 40, .bytes)
        case .registeredLengthMax: Row(\.registeredLengthMax, 4_096...1 << 40, .bytes)
        case .silentAgeMax: Row(\.silentAgeMax, 0...31_536_000, .seconds)
        case .lineLengthMax: Row(\.lineLengthMax, 1_024...1 << 30, .bytes)
        case .lineOutLengthMax: Row(\.lineOutLengthMax, 1_024...1 << 30, .bytes)
        case .transactionLengthMax: Row(\.transactionLengthMax, 1_024...1 << 32, .bytes)
        case .depthMax: Row(\.decoding.depthMax, 16...112)
        // Request keys that clients generate have about 40 bytes.
        case .idLengthMax: Row(\.decoding.idLengthMax, 64...255, .bytes)
        case .contentLengthMax: Row(\.decoding.contentLengthMax, 0...64 << 20, .bytes)
        case .levelsMax: Row(\.levelsMax, 1...48)
        case .operationsMax: Row(\.decoding.operationsMax, 1...10_000_000)
        case .viewTermsMax: Row(\.decoding.viewTermsMax, 1...10_000)
        case .viewSegmentsMax: Row(\.decoding.viewSegmentsMax, 1...100_000)
        case .viewIdsMax: Row(\.decoding.viewIdsMax, 1...1_000_000)
        case .windowRowsMax: Row(\.decoding.windowRowsMax, 1...1_000_000)
        case .schemaLengthMax: Row(\.decoding.schemas.lengthMax, 2...64 << 20, .bytes)
        case .schemaDepthMax: Row(\.decoding.schemas.depthMax, 1...112)
        case .schemaKeywordsMax: Row(\.decoding.schemas.keywordsMax, 1...1_000_000)
        case .argumentsLengthMax: Row(\.decoding.argumentsLengthMax, 0...64 << 20, .bytes)
        case .resultLengthMax: Row(\.decoding.resultLengthMax, 0...64 << 20, .bytes)
        case .actionsPerHandlerMax: Row(\.decoding.actionsPerHandlerMax, 1...100_000)
        case .itemsMax: Row(\.store.snapshot.itemsMax, 1...100_000_000)
        case .listsMax: Row(\.store.listsMax, 1...1_000_000)
        case .listsPerUserMax: Row(\.store.listsPerUserMax, 1...1_000_000)
        case .contentPerUserMax: Row(\.store.contentPerUserMax, 1_024...1 << 40, .bytes)
        case .historyLengthMax: Row(\.store.history.lengthMax, 0...1 << 32, .bytes, toldTo: .administrators)
        case .pastLengthMax: Row(\.store.history.lengthInAllMax, 0...1 << 40, .bytes, toldTo: .administrators)
        case .deletedLengthMax: Row(\.store.history.deletedLengthMax, 0...1 << 40, .bytes, toldTo: .administrators)
        case .historyAgeMax: Row(\.store.history.ageMax, 0...315_360_000, .seconds, toldTo: .administrators)
        case .requestKeysMax: Row(\.store.requests.keysMax, 1...10_000_000)
        case .requestKeysTotalMax: Row(\.store.requests.keysInAllMax, 1...100_000_000)
        case .requestKeyAgeMax: Row(\.store.requests.ageMax, 0...31_536_000, .seconds)
        case .engineWaitMax: Row(\.store.engineWaitMax, 1...3_600, .seconds, toldTo: .administrators)
        }
    }
}

extension Limit {
    package struct Row: Sendable {
        let path: any WritableKeyPath<ServerLimits, Int> & Sendable
        /// The values that the configuration may set.
        package let range: ClosedRange<Int>
        package let unit: Unit
        let reader: Reader

        init(
            _ path: any WritableKeyPath<ServerLimits, Int> & Sendable, _ range: ClosedRange<Int>,
            _ unit: Unit = .number,
            toldTo reader: Reader = .clients
        ) {
            self.path = path
            self.range = range
            self.unit = unit
            self.reader = reader
        }
    }

    package enum Unit: Sendable {
        case bytes, seconds
        /// A count of the things in the limit's name.
        case number
    }

    enum Reader: Sendable {
        /// All clients, in `hello`.
        case clients
        /// Only users that can read the configuration.
        case administrators
    }
}

extension Limit: CustomStringConvertible {
    package var description: String { rawValue }
}

extension ServerLimits {
    package subscript(limit: Limit) -> Int {
        get { self[keyPath: limit.row.path] }
        set { self[keyPath: limit.row.path] = newValue }
    }
}
