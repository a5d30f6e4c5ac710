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
    let socket: Socket
    let stateDirectory: String
    /// What is odd and no reason not to start.
    let warnings: [String]

    init(
        flags: [Setting: String], configurationFile: String?, received: [ListenDescriptor], surroundings: Surroundings
    ) throws(ConfigurationError) {
        let places = DefaultPlaces(userID: surroundings.userID, environment: surroundings.environment)
        let named = configurationFile ?? surroundings.environment[Setting.configurationFileName]
        let file = named ?? places.configurationFile().flatMap { access($0, F_OK) == 0 ? $0 : nil }
        let sources = ConfigurationSources(flags: flags, environment: surroundings.environment, file: file)
        configuration = try sources.configuration()
        // `??` would turn the typed error of its right side into any.
        stateDirectory = if let said = configuration.stateDirectory { said } else { try places.stateDirectory() }

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
}
