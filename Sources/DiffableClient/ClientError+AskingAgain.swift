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
        case .noSocket, .noConnection: true
        default: false
        }
    }

    private var isStorageFailure: Bool {
        if case .refused(let refusal) = self { refusal.code == WireError.Code.storageFailed.rawValue } else { false }
    }
}
