/// A reply that waits until every change it depends on is on disk.
enum DeferredReply: Sendable {
    case list(Store.Completion<ListState>, Result<ListState, StoreError>)
    case outcome(Store.Completion<Outcome>, Result<Outcome, StoreError>)
    case access(Store.Completion<AccessOutcome>, Result<AccessOutcome, StoreError>)
    /// Called on success and on failure.
    case settled(@Sendable () -> Void)

    func complete() {
        switch self {
        case .list(let completion, let result): completion(result)
        case .outcome(let completion, let result): completion(result)
        case .access(let completion, let result): completion(result)
        case .settled(let completion): completion()
        }
    }

    /// Replies with this error, because a change that the reply depends on was not written.
    func fail(with error: StoreError) {
        switch self {
        case .list(let completion, _): completion(.failure(error))
        case .outcome(let completion, _): completion(.failure(error))
        case .access(let completion, _): completion(.failure(error))
        case .settled(let completion): completion()
        }
    }
}
