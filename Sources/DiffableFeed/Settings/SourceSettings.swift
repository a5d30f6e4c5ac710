import Diffable

package enum SourceSettings: Equatable, Sendable {
    case command(CommandSettings)
    case sqlite(DatabaseSettings)
    case url(HTTPSettings)
    case directory(DirectorySettings)
    case systemd(UnitSettings)

    package var kind: String {
        switch self {
        case .command: "command"
        case .sqlite: "sqlite"
        case .url: "url"
        case .directory: "directory"
        case .systemd: "systemd"
        }
    }

    /// Whether the source delivers rows, which a mapping turns into items.
    var bringsRows: Bool {
        switch self {
        case .command, .sqlite, .url: true
        case .directory, .systemd: false
        }
    }

    /// Whether an empty state is a normal result. An empty output usually means that a command failed.
    var mayBeEmpty: Bool {
        switch self {
        case .command: false
        case .sqlite, .url, .directory, .systemd: true
        }
    }

    var usualLook: Content? {
        switch self {
        case .command, .sqlite, .url: nil
        case .directory(let settings): settings.usualLook
        case .systemd(let settings): settings.usualLook
        }
    }
}
