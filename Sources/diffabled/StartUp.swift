import DiffableServer
import DiffableStore
import Glibc
import Systemd

/// Everything that is determined before the daemon acts, from the command line, the environment, the configuration file and the
/// service manager.
struct StartUp {
    enum Socket: Equatable {
        case path(String)
        /// From the service manager, which also removes it.
        case descriptor(Int32)
    }

    let configuration: Configuration
    private(set) var socket: Socket
    private(set) var stateDirectory: String
    private(set) var clients: AllowedUsers
    let userID: UInt32
    let subordinates: SubordinateUsers
    let file: String?
    let warnings: [String]

    private let flags: [Setting: String]
    private let configurationFile: String?
    private let received: [ListenDescriptor]
    private let processContext: ProcessContext

    init(
        flags: [Setting: String], configurationFile: String?, received: [ListenDescriptor],
        processContext: ProcessContext
    ) throws(ConfigurationError) {
        self.flags = flags
        self.configurationFile = configurationFile
        self.received = received
        self.processContext = processContext
        let places = DefaultPlaces(userID: processContext.userID, environment: processContext.environment)
        let sources = Self.sources(flags, configurationFile, places, processContext)
        configuration = try sources.configuration()
        file = sources.file
        stateDirectory = try Self.stateDirectory(configuration, places)
        clients = configuration.clients ?? places.clients
        userID = processContext.userID
        subordinates = SubordinateIDFile.users(in: processContext.subordinateIDFile, daemonUserID: userID)

        var warnings = sources.unknownEnvironmentNames().map { unknown in
            "ignoring the environment variable \(unknown.name): diffabled has no such setting"
                + (unknown.nearest.map { "; did you mean \($0)?" } ?? "")
        }
        guard received.count <= 1 else { throw .tooManySockets(names: received.map(\.name)) }
        if let received = received.first {
            socket = .descriptor(received.descriptor)
            if let path = configuration.socket {
                warnings.append("using the socket that systemd passed; the configured socket \(path) is not used")
            }
        } else if let said = configuration.socket {
            socket = .path(said)
        } else {
            socket = .path(try places.socket())
        }
        self.warnings = warnings
    }

    /// The startup with the file as it is now, and everything else unchanged.
    func reread() throws(ConfigurationError) -> StartUp {
        try StartUp(
            flags: flags, configurationFile: configurationFile, received: received, processContext: processContext)
    }

    /// The settings in force after this process applies another startup's settings: it keeps everything that it has opened.
    func applying(_ other: StartUp) -> StartUp {
        var taken = other
        taken.socket = socket
        taken.stateDirectory = stateDirectory
        taken.clients = clients
        return taken
    }

    /// The state directory alone, for tasks that serve nothing and need no socket.
    static func stateDirectory(
        flags: [Setting: String], configurationFile: String?, processContext: ProcessContext
    ) throws(ConfigurationError) -> String {
        let places = DefaultPlaces(userID: processContext.userID, environment: processContext.environment)
        let sources = sources(flags, configurationFile, places, processContext)
        return try stateDirectory(sources.configuration(), places)
    }

    private static func stateDirectory(
        _ configuration: Configuration, _ places: DefaultPlaces
    ) throws(ConfigurationError) -> String {
        // `??` would turn the typed error of its right side into any.
        if let said = configuration.stateDirectory { said } else { try places.stateDirectory() }
    }

    private static func sources(
        _ flags: [Setting: String], _ configurationFile: String?, _ places: DefaultPlaces,
        _ processContext: ProcessContext
    ) -> ConfigurationSources {
        let named = configurationFile ?? processContext.environment[Setting.configurationFileName]
        let file = named ?? places.configurationFile().flatMap { access($0, F_OK) == 0 ? $0 : nil }
        return ConfigurationSources(flags: flags, environment: processContext.environment, file: file)
    }
}
