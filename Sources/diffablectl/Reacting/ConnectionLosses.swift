import DiffableClient

extension Client {
    /// Reports on standard error when the connection is lost and when there is a new one, until the task is cancelled.
    ///
    /// - Parameter isEnd: whether the first loss is thrown.
    /// - Returns: why it ended.
    func sayingLosses(isEnd: Bool = false) async throws -> ClientError {
        var isLost = false
        for await state in connectionStates {
            switch state {
            case .disconnected(let reason?):
                if isEnd { throw reason }
                if !isLost { say("the connection to the daemon was lost; reconnecting") }
                isLost = true
            case .connected:
                if isLost { say("connected again") }
                isLost = false
            case .disconnected(nil): break
            }
        }
        return .cancelled
    }
}
