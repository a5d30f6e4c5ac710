/// The reply to a request, which waits until everything that it rests on is on disk.
enum DeferredReply: Sendable {
    case list(Store.Completion<ListState>, Result<ListState, StoreError>)
    case outcome(Store.Completion<Outcome>, Result<Outcome, StoreError>)
    case access(Store.Completion<AccessOutcome>, Result<AccessOutcome, StoreError>)
    /// Called in either case.
    case settled(@Sendable () -> Void)

    func complete() {
        switch self {
        case .list(let completion, let result): completion(result)
        case .outcome(let completion, let result): completion(result)
        case .access(let completion, let result): completion(result)
        case .settled(let completion): completion()
        }
    }

    /// What the reply rests on did not come to the disk: the reply is this error instead.
    func fail(with error: StoreError) {
        switch self {
        case .list(let completion, _): completion(.failure(error))
        case .outcome(let completion, _): completion(.failure(error))
        case .access(let completion, _): completion(.failure(error))
        case .settled(let completion): completion()
        }
    }
}
