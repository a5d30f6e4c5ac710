import ArgumentParser
import DiffableClient
import DiffableInput
import Glibc

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
    /// 128 + SIGINT, as other pickers.
    case cancelled = 130

    var meaning: String {
        switch self {
        case .done: "success, even if nothing had to be changed"
        case .refused:
            """
            refused for a reason that is not listed below: by the daemon, or by
                  diffablectl, which does not send a change that would do harm. The
                  list is unchanged. diff --exit-code: there is a difference
            """
        case .unusable: "the arguments or the input are invalid"
        case .noDaemon: "no daemon replied, or the connection was lost before the reply"
        case .timeOut:
            """
            timed out: the condition does not hold, or the list's handler has not
                  replied; it might still act
            """
        case .conflict: "another client changed the list first, or the new object already exists"
        case .notFound: "no such list, item, section, field or revision"
        case .notAllowed: "permission denied"
        case .handlerRefused: "the list's handler refused; nothing happened"
        case .noHandler: "the list or the action has no handler; nothing happened"
        case .handlerLost:
            """
            the list's handler disconnected or failed before it replied; the action
                  might have been done
            """
        case .unwritable: "standard output could not be written; the change was made nevertheless"
        case .cancelled: "view: you ended a picker with Esc, q or Ctrl-C"
        }
    }

    static var table: String {
        allCases.map { "  \($0.rawValue)\($0.rawValue < 10 ? "   " : $0.rawValue < 100 ? "  " : " ") \($0.meaning)" }
            .joined(separator: "\n")
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
            // The argument parser has two statuses of its own: help was requested, and wrong usage. Any other error means that
            // the daemon could not be reached.
            let code = Diffablectl.exitCode(for: error)
            self = code.isSuccess ? .done : code == .validationFailure ? .unusable : .noDaemon
        }
    }
}

extension ExitStatus {
    private init(of refusal: Refusal) {
        switch refusal.code {
        case .revisionMismatch, .requestKeyReused, .listExists, .duplicateItem, .duplicateSection, .handlerExists:
            self = .conflict
        case .noSuchList, .noSuchItem, .noSuchSection, .noSuchRevision: self = .notFound
        case .permissionDenied: self = .notAllowed
        case .refused: self = .handlerRefused
        case .noHandler: self = .noHandler
        case .handlerTimedOut: self = .timeOut
        case .handlerLost: self = .handlerLost
        default: self = .refused
        }
    }
}

func end(with error: any Error) -> Never {
    let status = ExitStatus(of: error)
    switch error {
    case let error as ClientError: printMessage(error.sentence)
    case is InputError, is CommandError: printMessage("\(error)")
    case let code as ExitCode: exit(code.rawValue)
    default:
        // Help and completions go to standard output, errors to standard error.
        let message = Diffablectl.fullMessage(for: error)
        if status == .done {
            StandardOutput.write(Array("\(message)\n".utf8))
            StandardOutput.finish()
        } else {
            let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
            writeToStandardError(lines.map { harmless(String($0)) + "\n" }.joined())
        }
    }
    exit(status.rawValue)
}
