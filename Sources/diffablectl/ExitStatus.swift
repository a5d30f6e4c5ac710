import ArgumentParser
import DiffableClient

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// What the exit status tells a script.
enum ExitStatus: Int32, CaseIterable {
    case done = 0
    case refused = 1
    case unusable = 2
    case noDaemon = 3

    var meaning: String {
        switch self {
        case .done: "done, also when nothing had to change"
        case .refused: "the daemon refused; the list is as it was"
        case .unusable: "the arguments or the input cannot be used"
        case .noDaemon: "no daemon answers, or it went away before it answered"
        }
    }

    static var table: String {
        allCases.map { "  \($0.rawValue)  \($0.meaning)" }.joined(separator: "\n")
    }

    init(of error: any Error) {
        switch error {
        case let error as ClientError:
            switch error {
            case .refused, .subscriptionEnded: self = .refused
            case .noMergePatch, .undecodable: self = .unusable
            case .noSocket, .noConnection, .noPermission, .untrustedSocket, .connectionLost, .noReply, .unintelligible,
                .cancelled:
                self = .noDaemon
            }
        case is InputError: self = .unusable
        default:
            // The argument parser's own are "help was asked for" and "cannot be used"; anything else went wrong on the
            // way to the daemon.
            let code = Diffablectl.exitCode(for: error)
            self = code.isSuccess ? .done : code == .validationFailure ? .unusable : .noDaemon
        }
    }
}

/// Says what went wrong, with its remedy, and ends the program.
func end(with error: any Error) -> Never {
    let status = ExitStatus(of: error)
    switch error {
    case is ClientError, is InputError: say("\(error)")
    default:
        // Help and completions belong on standard output, complaints do not.
        let message = Diffablectl.fullMessage(for: error)
        write(Array("\(message)\n".utf8), to: status == .done ? STDOUT_FILENO : STDERR_FILENO)
    }
    exit(status.rawValue)
}
