import DiffableJSON

/// The sources of settings. The command line overrides the environment, the environment the file, and the file the defaults.
struct ConfigurationSources {
    var flags: [Setting: String] = [:]
    var environment: [String: String] = [:]
    /// The file must exist.
    var file: String?

    func configuration() throws(ConfigurationError) -> Configuration {
        var values: [Setting: String] = [:]
        var lines: [Setting: Int] = [:]
        if let file {
            let read = try ConfigurationFile(path: file)
            values = read.values
            lines = read.lines
        }
        for setting in Setting.allCases {
            if let value = flags[setting] ?? environment[setting.environmentName] { values[setting] = value }
        }
        do throws(ConfigurationError) {
            return try Configuration(reading: values)
        } catch {
            switch error {
            case .badValue(let setting, let value, let expected, nil):
                let place = place(of: setting, line: lines[setting])
                throw .badValue(setting, value: value, expected: expected, place: place)
            case .badAccess(let key, let message):
                guard let source = place(of: .access, line: lines[.access]) else { throw error }
                throw .badAccess(place: "\(source), \(key)", message)
            default: throw error
            }
        }
    }

    private func place(of setting: Setting, line: Int?) -> String? {
        if flags[setting] != nil { return "on the command line" }
        if environment[setting.environmentName] != nil { return "as \(setting.environmentName) in the environment" }
        guard let file else { return nil }
        return line.map { "in line \($0) of \(file)" } ?? "in \(file)"
    }

    /// Names in the environment that look like settings of diffabled but are unknown, each with the nearest name. They cause a
    /// warning instead of an error, because the environment is inherited and has names for other programs.
    func unknownEnvironmentNames() -> [(name: String, nearest: String?)] {
        let known =
            Setting.allCases.map(\.environmentName) + [Setting.configurationFileName, Setting.feedsFileName]
        return environment.keys.filter { $0.hasPrefix(Setting.environmentPrefix) && !known.contains($0) }.sorted()
            .map { ($0, nearestName(to: $0, among: known)) }
    }
}
