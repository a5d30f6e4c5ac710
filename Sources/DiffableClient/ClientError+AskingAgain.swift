import DiffableProtocol

// What asking again for a change is worth, under the same key, after an error.

extension ClientError {
    /// Whether the same change may get another answer. (A disk that failed is behind a daemon that will be started anew.)
    package var isSettledByAskingAgain: Bool { isHealedByReconnecting || isStorageFailure }

    /// Whether the change may have been made.
    package var leavesOutcomeOpen: Bool { isLoss || isStorageFailure }

    /// Whether nobody answers where a daemon would.
    package var isAbsence: Bool {
        switch self {
        case .noSocket, .ownDaemonStopped, .noConnection: true
        default: false
        }
    }

    private var isStorageFailure: Bool { isRefused(.storageFailed) }

    /// Whether the daemon has refused it for this reason.
    func isRefused(_ code: WireError.Code) -> Bool {
        if case .refused(let refusal) = self { refusal.code == code.rawValue } else { false }
    }
}
