import DiffableClient

extension Client {
    /// Reports on standard error when the connection is lost and when it is restored, until the task is cancelled. `isEnd` says
    /// whether to throw the first loss. Returns the reason of the end.
    func reportConnectionLosses(isEnd: Bool = false) async throws -> ClientError {
        var isLost = false
        for await state in connectionStates {
            switch state {
            case .disconnected(let reason?):
                if isEnd {
                    guard case .connectionLost = reason else { throw reason }
                    throw CommandError(
                        .noDaemon, "the daemon closed the connection, so --no-reconnect has ended this command")
                }
                if !isLost { printMessage("the connection to the daemon was lost; reconnecting") }
                isLost = true
            case .connected:
                if isLost { printMessage("connected again") }
                isLost = false
            case .disconnected(nil): break
            }
        }
        return .cancelled
    }
}
