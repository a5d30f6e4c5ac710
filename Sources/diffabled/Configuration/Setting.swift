/// Every setting that diffabled has, under the name it bears in the configuration file.
///
/// One table for the file's keys, the environment's names and the messages about both: a setting that stands here and
/// nowhere else cannot be set, and one that is read elsewhere does not compile.
enum Setting: String, CaseIterable {
    case socket
    case stateDirectory
    case logLevel
    case clients
    case access
    case connectionsMax
    case connectionsPerUserMax
    case subscriptionsPerConnectionMax
    case requestsPerSecondMax
    case heldLengthMax
    case silentAgeMax
    case lineLengthMax
    case lineOutLengthMax
    case depthMax
    case idLengthMax
    case contentLengthMax
    case levelsMax
    case operationsMax
    case viewTermsMax
    case windowRowsMax
    case transactionLengthMax
    case itemsMax
    case listsMax
    case historyLengthMax
    case historyAgeMax
    case requestKeysMax
    case requestKeyAgeMax

    /// In the configuration file, where it is a key of the mapping at the top.
    var key: String { rawValue }

    /// `lineLengthMax` is `DIFFABLED_LINE_LENGTH_MAX`, as swift-configuration makes it of the prefix and the key.
    var environmentName: String {
        var name = "DIFFABLED_"
        for character in rawValue {
            if character.isUppercase { name += "_" }
            name += character.uppercased()
        }
        return name
    }

    static let environmentPrefix = "DIFFABLED_"

    /// Names the configuration file itself, so it stands in the environment and never in the file.
    static let configurationFileName = "DIFFABLED_CONFIG"
}
