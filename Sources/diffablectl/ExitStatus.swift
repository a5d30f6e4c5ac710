import ArgumentParser
import DiffableClient
import DiffableInput
import Glibc

/// The exit statuses, for scripts.
enum ExitStatus: Int32, CaseIterable {
    case done = 0
    case refused = 1
    case unusable = 2
    case noDaemon = 3
    case timeOut = 4
    case conflict = 5
    case notFound = 6
    case notAllowed = 7
    case handlerRefused = 8
    case noHandler = 9
    case handlerLost = 10
    /// EX_IOERR of sysexits.h: an error of input or output.
    case unwritable = 74

    var meaning: String {
        switch self {
        case .done: "done, also when nothing had to change"
        case .refused:
            "the daemon refused for another reason than those below, or what would have been sent does harm, and the list "
                + "is as it was; diff --exit-code: there is a difference"
        case .unusable: "the arguments or the input cannot be used"
        case .noDaemon: "no daemon answers, or it went away before it answered"
        case .timeOut:
            "the time is over: what is waited for is not so, or the list's handler has not answered and may yet do it"
        case .conflict: "somebody was faster, or what is to be made is there already"
        case .notFound: "there is no such list, item, section, field or revision"
        case .notAllowed: "this user may not do that"
        case .handlerRefused: "the list's handler refused, and nothing happened"
        case .noHandler: "nobody answers for that list, or for that action, and nothing happened"
        case .handlerLost: "the list's handler went away before it answered, or failed; it may have been done"
        case .unwritable: "standard output could not be written; a change was made all the same"
        }
    }

    static var table: String {
        allCases.map { "  \($0.rawValue)\($0.rawValue < 10 ? "  " : " ") \($0.meaning)" }.joined(separator: "\n")
    }

    init(of error: any Error) {
        switch error {
        case let error as ClientError:
            switch error {
            case .refused(let refusal), .subscriptionEnded(let refusal): self = ExitStatus(of: refusal)
            case .noMergePatch, .undecodable, .unencodable: self = .unusable
            case .noSocket, .ownDaemonStopped, .noConnection, .noPermission, .untrustedSocket, .connectionLost,
                .noReply, .unintelligible, .notOnMainThread, .cancelled:
                self = .noDaemon
            }
        case is InputError: self = .unusable
        case let error as CommandError: self = error.status
        case let code as ExitCode: self = ExitStatus(rawValue: code.rawValue) ?? .noDaemon
        default:
            // The argument parser has two statuses of its own: help was asked for, and wrong usage. Any other error happened
            // on the way to the daemon.
            let code = Diffablectl.exitCode(for: error)
            self = code.isSuccess ? .done : code == .validationFailure ? .unusable : .noDaemon
        }
    }
}

extension ExitStatus {
    private init(of refusal: Refusal) {
        switch refusal.name {
        case "revisionMismatch", "requestKeyReused", "listExists", "duplicateItem", "duplicateSection", "handlerExists":
            self = .conflict
        case "noSuchList", "noSuchItem", "noSuchSection", "noSuchRevision": self = .notFound
        case "permissionDenied": self = .notAllowed
        case "refused": self = .handlerRefused
        case "noHandler": self = .noHandler
        case "handlerTimedOut": self = .timeOut
        case "handlerLost": self = .handlerLost
        default: self = .refused
        }
    }
}

/// Prints the error with its remedy, and ends the program.
func end(with error: any Error) -> Never {
    let status = ExitStatus(of: error)
    switch error {
    case let error as ClientError: say(error.words)
    case is InputError, is CommandError: say("\(error)")
    // The message has been printed already.
    case is ExitCode: break
    default:
        // Help and completions go to standard output, errors to standard error.
        let message = Diffablectl.fullMessage(for: error)
        if status == .done {
            StandardOutput.write(Array("\(message)\n".utf8))
            StandardOutput.end()
        } else {
            let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
            complain(lines.map { harmless(String($0)) + "\n" }.joined())
        }
    }
    exit(status.rawValue)
}
