import DiffableServer

/// Where the socket, the state and the configuration are when nobody says so: for the system's daemon in the
/// system's directories, for a user's in those of the XDG base directory specification.
///
/// A service manager that made directories for the daemon has the last word (`RUNTIME_DIRECTORY`,
/// `STATE_DIRECTORY`, `CONFIGURATION_DIRECTORY`).
struct DefaultPlaces {
    let userID: UInt32
    let environment: [String: String]

    private var isSystem: Bool { userID == 0 }

    /// A user's own daemon is for that user; the unit of the system's says otherwise, because it does not run as root.
    var clients: Clients { isSystem ? .everyone : .own }

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

    /// Read if it is there, and no error if it is not.
    func configurationFile() -> String? {
        if let directory = managedDirectory("CONFIGURATION_DIRECTORY") { return directory + "/diffabled.yaml" }
        if isSystem { return "/etc/diffabled/diffabled.yaml" }
        if let directory = directory("XDG_CONFIG_HOME") { return directory + "/diffabled/diffabled.yaml" }
        return directory("HOME").map { $0 + "/.config/diffabled/diffabled.yaml" }
    }

    /// systemd lists several directories with colons between; the first is the unit's own.
    private func managedDirectory(_ name: String) -> String? {
        directory(name).map { String($0.prefix { $0 != ":" }) }
    }

    /// A relative path counts as not set, as the specification says.
    private func directory(_ name: String) -> String? {
        guard let value = environment[name], value.hasPrefix("/") else { return nil }
        return value
    }
}
