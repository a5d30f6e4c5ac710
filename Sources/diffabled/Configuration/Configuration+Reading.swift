import Configuration
import DiffableServer
import DiffableStore
import Logging

extension Configuration {
    /// Reads every setting. All values are read as text and understood here: the reader's typed accessors answer
    /// their default for a value they cannot convert, and a limit that is misspelt must not become the built-in one.
    init(reading reader: ConfigReader) throws(ConfigurationError) {
        let values = SettingReader(reader: reader)
        self.init()
        socket = try values.path(.socket) ?? socket
        stateDirectory = try values.path(.stateDirectory) ?? stateDirectory
        logLevel = try values.logLevel(.logLevel) ?? logLevel
        clients = try values.clients(.clients) ?? clients
        access = try values.access(.access) ?? access
        connectionsMax = try values.whole(.connectionsMax, in: 1...1_000_000) ?? connectionsMax
        connectionsPerUserMax = try values.whole(.connectionsPerUserMax, in: 1...1_000_000) ?? connectionsPerUserMax
        subscriptionsPerConnectionMax =
            try values.whole(.subscriptionsPerConnectionMax, in: 1...1_000_000) ?? subscriptionsPerConnectionMax
        requestsPerSecondMax = try values.whole(.requestsPerSecondMax, in: 0...10_000_000) ?? requestsPerSecondMax
        heldLengthMax = try values.whole(.heldLengthMax, in: 65_536...1_099_511_627_776) ?? heldLengthMax
        silentAgeMax = try values.whole(.silentAgeMax, in: 0...31_536_000) ?? silentAgeMax
        lineLengthMax = try values.whole(.lineLengthMax, in: 1024...1_073_741_824) ?? lineLengthMax
        lineOutLengthMax = try values.whole(.lineOutLengthMax, in: 1024...1_073_741_824) ?? lineOutLengthMax
        depthMax = try values.whole(.depthMax, in: 16...112) ?? depthMax
        // Keys of requests that clients make up must have room.
        idLengthMax = try values.whole(.idLengthMax, in: 64...255) ?? idLengthMax
        contentLengthMax = try values.whole(.contentLengthMax, in: 0...67_108_864) ?? contentLengthMax
        levelsMax = try values.whole(.levelsMax, in: 1...48) ?? levelsMax
        operationsMax = try values.whole(.operationsMax, in: 1...10_000_000) ?? operationsMax
        viewTermsMax = try values.whole(.viewTermsMax, in: 1...10_000) ?? viewTermsMax
        windowRowsMax = try values.whole(.windowRowsMax, in: 1...1_000_000) ?? windowRowsMax
        transactionLengthMax =
            try values.whole(.transactionLengthMax, in: 1024...4_294_967_296) ?? transactionLengthMax
        itemsMax = try values.whole(.itemsMax, in: 1...100_000_000) ?? itemsMax
        listsMax = try values.whole(.listsMax, in: 1...1_000_000) ?? listsMax
        historyLengthMax = try values.whole(.historyLengthMax, in: 0...4_294_967_296) ?? historyLengthMax
        historyAgeMax = try values.whole(.historyAgeMax, in: 0...315_360_000) ?? historyAgeMax
        requestKeysMax = try values.whole(.requestKeysMax, in: 1...10_000_000) ?? requestKeysMax
        requestKeyAgeMax = try values.whole(.requestKeyAgeMax, in: 0...31_536_000) ?? requestKeyAgeMax
        try checkThatAnItemFitsALine()
        try checkThatNestingFitsALine()
    }

    /// One item always fits one line, in and out, or a list could hold what nobody can be sent. Beside its content a
    /// line needs room for half a dozen of the longest ids, each twice as long where it is all quotation marks, and
    /// the rest of the message around them.
    private func checkThatAnItemFitsALine() throws(ConfigurationError) {
        let room = 8_192
        for (setting, length) in [(Setting.lineLengthMax, lineLengthMax), (.lineOutLengthMax, lineOutLengthMax)]
        where length < contentLengthMax + room {
            throw .contradiction(
                "\(setting.key) is \(length), too short for one item of contentLengthMax \(contentLengthMax): "
                    + "raise \(setting.key) to at least \(contentLengthMax + room) or lower contentLengthMax")
        }
    }

    /// Each level of items is two brackets, and six more stand around the first. The deepest item may hold content
    /// that came in a line of its own, so out it is both together, and clients read at most 128.
    private func checkThatNestingFitsALine() throws(ConfigurationError) {
        let levels = 2 * levelsMax + 8
        guard depthMax >= levels else {
            throw .contradiction(
                "depthMax is \(depthMax), too little for levelsMax \(levelsMax): "
                    + "raise depthMax to at least \(levels) or lower levelsMax")
        }
        guard depthMax + levels <= 128 else {
            throw .contradiction(
                "depthMax \(depthMax) and levelsMax \(levelsMax) together nest deeper than the 128 that clients "
                    + "read: lower depthMax to at most \(128 - levels) or lower levelsMax")
        }
    }
}

/// Reads single settings as the sort of value they are.
private struct SettingReader {
    let reader: ConfigReader

    private func text(_ setting: Setting) -> String? {
        reader.string(forKey: ConfigKey([setting.key]))
    }

    func path(_ setting: Setting) throws(ConfigurationError) -> String? {
        guard let value = text(setting) else { return nil }
        guard value.hasPrefix("/") else {
            throw .badValue(setting, value: value, expected: "an absolute path")
        }
        return value
    }

    func whole(_ setting: Setting, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int? {
        guard let value = text(setting) else { return nil }
        guard let number = Int(value), range.contains(number) else {
            throw .badValue(
                setting, value: value, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func clients(_ setting: Setting) throws(ConfigurationError) -> Clients? {
        guard let value = text(setting) else { return nil }
        guard let clients = Clients(rawValue: value) else {
            let names = Clients.allCases.map(\.rawValue).joined(separator: " or ")
            throw .badValue(setting, value: value, expected: names)
        }
        return clients
    }

    func access(_ setting: Setting) throws(ConfigurationError) -> [AccessRules.Rule]? {
        guard let value = text(setting) else { return nil }
        return try AccessSetting.rules(in: value)
    }

    func logLevel(_ setting: Setting) throws(ConfigurationError) -> Logger.Level? {
        guard let value = text(setting) else { return nil }
        guard let level = Logger.Level(rawValue: value) else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badValue(setting, value: value, expected: "one of \(levels)")
        }
        return level
    }
}
