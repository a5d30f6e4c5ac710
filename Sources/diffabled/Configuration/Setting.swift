import DiffableServer

/// Every setting of diffabled: the limits, which have a table of their own, and the others.
enum Setting: Hashable, CaseIterable, Sendable {
    case socket
    case stateDirectory
    case logLevel
    case clients
    case access
    case limit(Limit)

    static let allCases: [Setting] =
        [.socket, .stateDirectory, .logLevel, .clients, .access] + Limit.allCases.map(Setting.limit)

    private static let byKey = Dictionary(uniqueKeysWithValues: allCases.map { ($0.key, $0) })

    init?(key: String) {
        guard let setting = Setting.byKey[key] else { return nil }
        self = setting
    }

    var key: String {
        switch self {
        case .socket: "socket"
        case .stateDirectory: "stateDirectory"
        case .logLevel: "logLevel"
        case .clients: "clients"
        case .access: "access"
        case .limit(let limit): limit.rawValue
        }
    }

    /// `lineLengthMax` is `DIFFABLED_LINE_LENGTH_MAX`.
    var environmentName: String {
        var name = Setting.environmentPrefix
        for character in key {
            if character.isUppercase { name += "_" }
            name += character.uppercased()
        }
        return name
    }

    static let environmentPrefix = "DIFFABLED_"

    /// Names the configuration file itself, so it exists only in the environment.
    static let configurationFileName = "DIFFABLED_CONFIG"

    /// Names the file of `diffable-feed`. It may be in every program's environment.
    static let feedsFileName = "DIFFABLED_FEEDS"
}
