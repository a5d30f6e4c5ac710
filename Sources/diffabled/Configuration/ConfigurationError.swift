import DiffableJSON

/// Why a configuration cannot be used. Each description gives the place of the mistake and the remedy.
enum ConfigurationError: Error, Equatable, CustomStringConvertible {
    case unreadableFile(path: String, reason: String)
    case unknownKey(String, line: Int?)
    case noSingleValue(Setting, line: Int?)
    /// `place` is the source of the value, if it is known.
    case badValue(Setting, value: String, expected: String, place: String? = nil)
    case badAccess(place: String, String)
    case contradiction(String)
    case noRuntimeDirectory
    case noStateDirectory
    case tooManySockets(names: [String])

    var description: String {
        switch self {
        case .unreadableFile(let path, let reason):
            "the configuration file \(path) cannot be used: \(reason)"
        case .unknownKey(let key, let line):
            "unknown key \"\(key)\"\(at(line)). \(suggestion(for: key))"
        case .noSingleValue(let setting, let line):
            "\(setting.key)\(at(line)) needs one value; leave the line out or comment it out for the default"
        case .badValue(let setting, let value, let expected, let place):
            "\(setting.key)\(place.map { ", \($0)," } ?? "") is \"\(value)\"; it must be \(expected) "
                + "(set it as \(setting.key) in the configuration file or as \(setting.environmentName))"
        case .badAccess(let place, let message):
            "\(place): \(message)"
        case .contradiction(let message):
            message
        case .noRuntimeDirectory:
            "XDG_RUNTIME_DIR is not set, so there is no place for the socket: use --socket PATH, "
                + "or log in through a session that sets it"
        case .noStateDirectory:
            "neither STATE_DIRECTORY, XDG_STATE_HOME nor HOME is set to an absolute path, "
                + "so there is no place for the lists: use --state-directory DIR"
        case .tooManySockets(let names):
            "systemd passed \(names.count) sockets (\(names.joined(separator: ", "))), "
                + "and diffabled serves one: keep one ListenStream= in one socket unit"
        }
    }
}

private func at(_ line: Int?) -> String {
    line.map { " in line \($0)" } ?? ""
}

private func suggestion(for key: String) -> String {
    if let nearest = nearestName(to: key, among: Setting.allCases.map(\.key)) { return "Did you mean \(nearest)?" }
    return "The keys are \(Setting.allCases.map(\.key).joined(separator: ", "))"
}
