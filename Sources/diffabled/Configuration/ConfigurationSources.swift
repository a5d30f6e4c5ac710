import Configuration
import DiffableJSON

/// Where settings come from. What was typed for this start wins over the environment, that over the file, and the
/// file over what is built in.
struct ConfigurationSources {
    /// From the command line; `nil` for what was not said there.
    var flags: [Setting: String] = [:]
    var environment: [String: String] = [:]
    /// Must be there.
    var file: String?

    func configuration() throws(ConfigurationError) -> Configuration {
        var providers: [any ConfigProvider] = [
            provider(of: flags, name: "command line"),
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "diffabled"),
        ]
        var lines: [Setting: Int] = [:]
        if let file {
            let read = try ConfigurationFile(path: file)
            providers.append(provider(of: read.values, name: file))
            lines = read.lines
        }
        do throws(ConfigurationError) {
            return try Configuration(reading: ConfigReader(providers: providers))
        } catch {
            guard case .badValue(let setting, let value, let expected, nil) = error else { throw error }
            let place = place(of: setting, line: lines[setting])
            throw .badValue(setting, value: value, expected: expected, place: place)
        }
    }

    private func place(of setting: Setting, line: Int?) -> String? {
        if flags[setting] != nil { return "on the command line" }
        if environment[setting.environmentName] != nil { return "as \(setting.environmentName) in the environment" }
        guard let file else { return nil }
        return line.map { "in line \($0) of \(file)" } ?? "in \(file)"
    }

    private func provider(of values: [Setting: String], name: String) -> InMemoryProvider {
        let values = values.map { (AbsoluteConfigKey([$0.key.key]), ConfigValue(.string($0.value), isSecret: false)) }
        return InMemoryProvider(name: name, values: Dictionary(uniqueKeysWithValues: values))
    }

    /// Names in the environment that look like ours and are none, each with what was probably meant.
    ///
    /// They are worth a warning and no refusal: the environment is inherited, and holds what is meant for others.
    func unknownEnvironmentNames() -> [(name: String, nearest: String?)] {
        let known = Setting.allCases.map(\.environmentName) + [Setting.configurationFileName]
        return environment.keys.filter { $0.hasPrefix(Setting.environmentPrefix) && !known.contains($0) }.sorted()
            .map { ($0, nearestName(to: $0, among: known)) }
    }
}
