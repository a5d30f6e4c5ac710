import DiffableServer
import DiffableStore
import Systemd

/// The exit status, with the numbers of sysexits.h. It shows a unit's `RestartPreventExitStatus=` and scripts whether a restart
/// helps.
enum DaemonExit: Int32 {
    case unavailable = 69
    case software = 70
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
