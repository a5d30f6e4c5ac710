import DiffableServer
import ProcessArguments

/// The default paths of the socket, the state and the configuration: in the system's directories for the system's daemon, and in
/// those of the XDG base directory specification for a user's. Directories that the service manager created for the daemon have
/// precedence (`RUNTIME_DIRECTORY`, `STATE_DIRECTORY`, `CONFIGURATION_DIRECTORY`).
struct DefaultPlaces {
    let userID: UInt32
    let environment: [String: String]

    private var isSystem: Bool { userID == 0 }

    /// A user's daemon serves that user. The system's unit sets `clients`, because that daemon does not run as root.
    var clients: AllowedUsers { isSystem ? .everyone : .own }

    func socket() throws(ConfigurationError) -> String {
        if let directory = managedDirectory("RUNTIME_DIRECTORY") { return directory + "/diffabled.sock" }
        if isSystem { return "/run/diffabled/diffabled.sock" }
        guard let directory = directory("XDG_RUNTIME_DIR") else { throw .noRuntimeDirectory }
        return directory + "/diffabled/diffabled.sock"
    }

    func stateDirectory() throws(ConfigurationError) -> String {
        if let directory = managedDirectory("STATE_DIRECTORY") { return directory }
        if isSystem { return "/var/lib/diffabled" }
        if let directory = directory("XDG_STATE_HOME") { return directory + "/diffabled" }
        guard let home = directory("HOME") else { throw .noStateDirectory }
        return home + "/.local/state/diffabled"
    }

    /// The file need not exist.
    func configurationFile() -> String? {
        if let directory = managedDirectory("CONFIGURATION_DIRECTORY") { return directory + "/diffabled.yaml" }
        if isSystem { return "/etc/diffabled/diffabled.yaml" }
        if let directory = directory("XDG_CONFIG_HOME") { return directory + "/diffabled/diffabled.yaml" }
        return directory("HOME").map { $0 + "/.config/diffabled/diffabled.yaml" }
    }

    /// systemd separates several directories by colons; the first is the unit's own.
    private func managedDirectory(_ name: String) -> String? {
        directory(name).map { String($0.prefix { $0 != ":" }) }
    }

    private func directory(_ name: String) -> String? { ProcessEnvironment.directory(name, in: environment) }
}
