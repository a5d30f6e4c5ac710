import DiffableServer
import Glibc
import Systemd

/// Everything that is decided before anything is done: what the command line, the environment, the configuration
/// file and the service manager say, brought together.
struct StartUp {
    enum Socket: Equatable {
        case path(String)
        /// Handed over by the service manager, which also removes it.
        case descriptor(Int32)
    }

    let configuration: Configuration
    private(set) var socket: Socket
    private(set) var stateDirectory: String
    private(set) var clients: Clients
    /// Whom the daemon runs as.
    let userID: UInt32
    /// What was read, if there is such a file.
    let file: String?
    /// What is odd and no reason not to start.
    let warnings: [String]

    private let flags: [Setting: String]
    private let configurationFile: String?
    private let received: [ListenDescriptor]
    private let surroundings: Surroundings

    init(
        flags: [Setting: String], configurationFile: String?, received: [ListenDescriptor], surroundings: Surroundings
    ) throws(ConfigurationError) {
        self.flags = flags
        self.configurationFile = configurationFile
        self.received = received
        self.surroundings = surroundings
        let places = DefaultPlaces(userID: surroundings.userID, environment: surroundings.environment)
        let sources = Self.sources(flags, configurationFile, places, surroundings)
        configuration = try sources.configuration()
        file = sources.file
        stateDirectory = try Self.stateDirectory(configuration, places)
        clients = configuration.clients ?? places.clients
        userID = surroundings.userID

        var warnings = sources.unknownEnvironmentNames().map { unknown in
            "\(unknown.name) in the environment is no setting of diffabled and is ignored"
                + (unknown.nearest.map { "; did you mean \($0)?" } ?? "")
        }
        guard received.count <= 1 else { throw .tooManySockets(names: received.map(\.name)) }
        if let received = received.first {
            socket = .descriptor(received.descriptor)
            if let path = configuration.socket {
                warnings.append("the socket is the one that the service manager handed over; \(path) is not used")
            }
        } else if let said = configuration.socket {
            socket = .path(said)
        } else {
            socket = .path(try places.socket())
        }
        self.warnings = warnings
    }

    /// What a start would be now: the file is read again, and all else is as it was.
    func again() throws(ConfigurationError) -> StartUp {
        try StartUp(
            flags: flags, configurationFile: configurationFile, received: received, surroundings: surroundings)
    }

    /// What is in force when this process takes another start's settings: what it has opened, it keeps.
    func taking(_ other: StartUp) -> StartUp {
        var taken = other
        taken.socket = socket
        taken.stateDirectory = stateDirectory
        taken.clients = clients
        return taken
    }

    /// The directory alone, for what serves nothing and so needs no socket.
    static func stateDirectory(
        flags: [Setting: String], configurationFile: String?, surroundings: Surroundings
    ) throws(ConfigurationError) -> String {
        let places = DefaultPlaces(userID: surroundings.userID, environment: surroundings.environment)
        let sources = sources(flags, configurationFile, places, surroundings)
        return try stateDirectory(sources.configuration(), places)
    }

    private static func stateDirectory(
        _ configuration: Configuration, _ places: DefaultPlaces
    ) throws(ConfigurationError) -> String {
        // `??` would turn the typed error of its right side into any.
        if let said = configuration.stateDirectory { said } else { try places.stateDirectory() }
    }

    private static func sources(
        _ flags: [Setting: String], _ configurationFile: String?, _ places: DefaultPlaces, _ surroundings: Surroundings
    ) -> ConfigurationSources {
        let named = configurationFile ?? surroundings.environment[Setting.configurationFileName]
        let file = named ?? places.configurationFile().flatMap { access($0, F_OK) == 0 ? $0 : nil }
        return ConfigurationSources(flags: flags, environment: surroundings.environment, file: file)
    }
}
