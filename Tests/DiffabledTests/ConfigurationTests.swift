import DiffableServer
import Logging
import Testing

@testable import diffabled

@Suite struct ConfigurationTests {
    private func configuration(
        flags: [Setting: String] = [:], environment: [String: String] = [:], file text: String? = nil
    ) throws -> Configuration {
        let file = try text.map(ScratchFile.init)
        let sources = ConfigurationSources(flags: flags, environment: environment, file: file?.path)
        return try sources.configuration()
    }

    private func refusal(of text: String) throws -> String {
        do {
            _ = try configuration(file: text)
            Issue.record("accepted: \(text)")
            return ""
        } catch let error as ConfigurationError {
            return error.description
        }
    }

    // MARK: Precedence

    @Test func `a flag wins over the environment, and that over the file`() throws {
        let file = "socket: /file\nstateDirectory: /file\nlogLevel: error"
        let environment = ["DIFFABLED_SOCKET": "/environment", "DIFFABLED_STATE_DIRECTORY": "/environment"]
        let configuration = try configuration(
            flags: [.socket: "/flag"], environment: environment, file: file)
        #expect(configuration.socket == "/flag")
        #expect(configuration.stateDirectory == "/environment")
        #expect(configuration.logLevel == .error)
        #expect(configuration.limits == ServerLimits())
    }

    @Test func `a byte order mark is no part of the file`() throws {
        #expect(try configuration(file: "\u{FEFF}logLevel: error\n").logLevel == .error)
        #expect(try configuration(file: "\u{FEFF}") == Configuration())
    }

    /// Values that differ from the defaults, for settings that are not limits.
    private static let otherValues: [Setting: String] = [
        .socket: "/a", .stateDirectory: "/b", .logLevel: "trace", .clients: "own",
        .access: "[{prefix: a, mode: '0644'}]",
    ]

    /// Returns a value for a limit that is consistent with the other defaults, normally a bit less than its own default.
    private static func otherValue(of limit: Limit) -> Int {
        let usual = ServerLimits()[limit]
        return limit.row.range.contains(usual - 1) ? usual - 1 : usual + 1
    }

    @Test(arguments: Setting.allCases)
    func `each setting is read from the file and, under its other name, from the environment`(
        setting: Setting
    ) throws {
        var expected = Configuration()
        var value = Self.otherValues[setting]
        if case .limit(let limit) = setting {
            value = "\(Self.otherValue(of: limit))"
            expected.limits[limit] = Self.otherValue(of: limit)
            #expect(Limit.allCases.filter { expected.limits[$0] != ServerLimits()[$0] } == [limit])
            #expect(expected.changes(from: Configuration()) == [setting])
        }
        let said = try #require(value)
        let fromFile = try configuration(file: "\(setting.key): \(said)")
        #expect(fromFile != Configuration())
        if case .limit = setting { #expect(fromFile == expected) }
        let fromEnvironment = try configuration(environment: [setting.environmentName: said])
        #expect(fromEnvironment == fromFile)
    }

    @Test(arguments: Limit.allCases)
    func `a limit is refused one beyond each end of its range`(limit: Limit) throws {
        for value in [limit.row.range.lowerBound - 1, limit.row.range.upperBound + 1] {
            let message = try refusal(of: "\(limit): \(value)")
            #expect(message.contains("from \(limit.row.range.lowerBound) to \(limit.row.range.upperBound) (set it"))
        }
    }

    // MARK: Mistakes

    @Test func `an unknown key is refused with its line and the nearest known one`() throws {
        let message = try refusal(of: "logLevel: info\nlineLenghtMax: 5")
        #expect(message.hasSuffix("unknown key \"lineLenghtMax\" in line 2. Did you mean lineLengthMax?"))
    }

    @Test(arguments: Setting.allCases)
    func `a key that is one letter off is told apart from all others`(setting: Setting) throws {
        let message = try refusal(of: "\(setting.key.dropLast()): 5")
        #expect(message.hasSuffix("Did you mean \(setting.key)?"))
    }

    @Test func `an unknown key that is like no other is answered with all of them`() throws {
        let message = try refusal(of: "colour: blue")
        for setting in Setting.allCases { #expect(message.contains(setting.key)) }
    }

    @Test(arguments: ["itemsMax: many", "itemsMax: 0", "itemsMax: -5", "itemsMax: 1.5", "itemsMax: 100000001"])
    func `a limit that is no whole number in its range is refused, not replaced by the default`(
        text: String
    ) throws {
        #expect(try refusal(of: text).contains("must be an integer from 1 to 100000000"))
    }

    @Test func `limits are taken up to both ends of their range`() throws {
        #expect(try configuration(file: "itemsMax: 1").limits[.itemsMax] == 1)
        #expect(try configuration(file: "itemsMax: 100000000").limits[.itemsMax] == 100_000_000)
    }

    @Test(arguments: ["itemsMax: [1, 2]", "itemsMax: {a: 1}", "itemsMax:", "itemsMax: ~", "itemsMax: \"\""])
    func `a setting without one value is refused`(text: String) throws {
        #expect(try refusal(of: text).contains("itemsMax in line 1 needs one value"))
    }

    @Test(arguments: ["- itemsMax", "itemsMax", "a: b: c", "itemsMax: 1\nitemsMax: 2"])
    func `a file that is no mapping of settings is refused by its name`(text: String) throws {
        #expect(try refusal(of: text).contains("the configuration file /"))
    }

    @Test(arguments: ["", "---", "# nothing\n", "---\n# nothing\n"])
    func `a file that says nothing changes nothing`(text: String) throws {
        #expect(try configuration(file: text) == Configuration())
    }

    @Test func `a file that was named and is missing is an error`() throws {
        #expect(throws: ConfigurationError.self) {
            try ConfigurationSources(file: "/nonexistent.yaml").configuration()
        }
    }

    @Test func `a log level that there is not is refused with those that there are`() throws {
        #expect(try refusal(of: "logLevel: loud").contains("one of trace, debug, info"))
    }

    @Test func `a relative path is refused in a file`() throws {
        #expect(try refusal(of: "socket: here.sock").contains("an absolute path"))
    }

    @Test func `a content limit that does not fit a line is refused with both remedies`() throws {
        let message = try refusal(of: "contentLengthMax: 60000")
        #expect(message.contains("raise lineOutLengthMax to at least 68192 or lower contentLengthMax"))
        #expect(try configuration(file: "contentLengthMax: 57343").limits[.contentLengthMax] == 57_343)
        #expect(try refusal(of: "contentLengthMax: 57344").contains("lineOutLengthMax"))
    }

    @Test func `levels that do not fit the nesting of a line are refused with both remedies`() throws {
        #expect(try refusal(of: "levelsMax: 29").contains("raise depthMax to at least 66 or lower levelsMax"))
        #expect(try configuration(file: "levelsMax: 28").limits[.levelsMax] == 28)
        #expect(try refusal(of: "depthMax: 73").contains("lower depthMax to at most 72 or lower levelsMax"))
        #expect(try configuration(file: "depthMax: 72").limits[.depthMax] == 72)
    }

    @Test func `a misspelt name in the environment is reported, and other programs' are not`() {
        let sources = ConfigurationSources(environment: [
            "DIFFABLED_LIST_MAX": "5", "DIFFABLED_CONFIG": "/c", "DIFFABLED_SOCKET": "/s", "HOME": "/root",
        ])
        let unknown = sources.unknownEnvironmentNames()
        #expect(unknown.map(\.name) == ["DIFFABLED_LIST_MAX"])
        #expect(unknown.map(\.nearest) == ["DIFFABLED_LISTS_MAX"])
    }
}
