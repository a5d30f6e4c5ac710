import DiffableServer
import DiffableStore
import Systemd

/// How the daemon ended, in the numbers of sysexits.h: a unit's `RestartPreventExitStatus=` and scripts tell by them
/// what a restart can mend.
enum DaemonExit: Int32 {
    /// The socket or the lists cannot be had: somebody else has them.
    case unavailable = 69
    /// Nothing that we foresaw.
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
