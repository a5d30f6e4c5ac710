import DiffableJSON
import DiffableServer
import Logging

extension Configuration {
    /// Converts every setting that has a value. A value that cannot be converted is an error: a mistyped limit must not become
    /// the default.
    init(reading values: [Setting: String]) throws(ConfigurationError) {
        self.init()
        for setting in Setting.allCases {
            guard let value = values[setting] else { continue }
            try set(setting, to: value)
        }
        try checkThatAnItemFitsALine()
        try checkThatNestingFitsALine()
    }

    private mutating func set(_ setting: Setting, to value: String) throws(ConfigurationError) {
        func unless<Value>(_ meaning: Value?, _ expected: String) throws(ConfigurationError) -> Value {
            guard let meaning else { throw .badValue(setting, value: value, expected: expected) }
            return meaning
        }
        switch setting {
        case .socket: socket = try unless(absolutePath(value), "an absolute path")
        case .stateDirectory: stateDirectory = try unless(absolutePath(value), "an absolute path")
        case .logLevel: logLevel = try unless(Logger.Level(rawValue: value), "one of \(names(Logger.Level.self))")
        case .clients: clients = try unless(AllowedUsers(rawValue: value), "one of \(names(AllowedUsers.self))")
        case .access: access = try AccessSetting.rules(in: value)
        case .limit(let limit): limits[limit] = try unless(limit.row.number(value), limit.row.expectation)
        }
    }

    /// One item must always fit one line, in and out. Otherwise a list could hold an item that cannot be sent. Besides its
    /// content a line needs room for half a dozen of the longest ids, each twice as long if it is all quotation marks, and for
    /// the rest of the message around them.
    private func checkThatAnItemFitsALine() throws(ConfigurationError) {
        let (room, contentLengthMax) = (8_192, limits.decoding.contentLengthMax)
        for limit in [Limit.lineLengthMax, .lineOutLengthMax] where limits[limit] < contentLengthMax + room {
            throw .contradiction(
                "\(limit) is \(limits[limit]), too short for one item of contentLengthMax \(contentLengthMax): "
                    + "raise \(limit) to at least \(contentLengthMax + room) or lower contentLengthMax")
        }
    }

    /// Each level of items takes two brackets, and eight more are reserved for the message around the first. The
    /// deepest item may hold content that arrived in a line of its own, so an outgoing line contains both, and clients
    /// read at most 128.
    private func checkThatNestingFitsALine() throws(ConfigurationError) {
        let (depthMax, levelsMax) = (limits.decoding.depthMax, limits.levelsMax)
        let levels = 2 * levelsMax + 8
        guard depthMax >= levels else {
            throw .contradiction(
                "depthMax is \(depthMax), too little for levelsMax \(levelsMax): "
                    + "raise depthMax to at least \(levels) or lower levelsMax")
        }
        guard depthMax + levels <= 128 else {
            throw .contradiction(
                "depthMax \(depthMax) and levelsMax \(levelsMax) together nest deeper than the 128 levels that clients "
                    + "read: lower depthMax to at most \(128 - levels) or lower levelsMax")
        }
    }
}

private func absolutePath(_ value: String) -> String? { value.hasPrefix("/") ? value : nil }

private func names<Value: CaseIterable & RawRepresentable<String>>(_: Value.Type) -> String {
    Value.allCases.map(\.rawValue).joined(separator: ", ")
}

extension Limit.Row {
    fileprivate func number(_ value: String) -> Int? { Int(value).flatMap { range.contains($0) ? $0 : nil } }

    fileprivate var expectation: String {
        let what =
            switch unit {
            case .bytes: "an integer number of bytes"
            case .seconds: "an integer number of seconds"
            case .number: "an integer"
            }
        return "\(what) from \(range.lowerBound) to \(range.upperBound)"
    }
}
