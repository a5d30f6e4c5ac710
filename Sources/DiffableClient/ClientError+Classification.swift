import DiffableProtocol

extension ClientError {
    /// Whether a repetition may have another result. (After a disk failure, the daemon is restarted.)
    package var isSettledByAskingAgain: Bool { isHealedByReconnecting || isStorageFailure }

    package var leavesOutcomeOpen: Bool { isLoss || isStorageFailure }

    package var isAbsence: Bool {
        switch self {
        case .noSocket, .ownDaemonStopped, .noConnection: true
        default: false
        }
    }

    private var isStorageFailure: Bool { isRefused(.storageFailed) }

    func isRefused(_ code: Refusal.Code) -> Bool {
        if case .refused(let refusal) = self { refusal.code == code } else { false }
    }
}
