import DiffableServer
import DiffableStore
import Systemd

/// The exit status, with the numbers of sysexits.h. A unit's `RestartPreventExitStatus=` and scripts tell by it whether
/// a restart helps.
enum DaemonExit: Int32 {
    /// Somebody else has the socket or the lists.
    case unavailable = 69
    /// An unexpected error.
    case software = 70
    /// The lists cannot be read or written.
    case inputOutput = 74
    case configuration = 78

    init(for error: any Error) {
        switch error {
        case is ConfigurationError, is ListenDescriptorError: self = .configuration
        case StoreOpeningError.inUse, is ServerError: self = .unavailable
        case is StoreOpeningError, is StoreFailure: self = .inputOutput
        default: self = .software
        }
    }
}
