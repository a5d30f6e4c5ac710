/// A request's answer, ready to be given when what it rests on is on disk.
enum Answer: Sendable {
    case list(Store.Completion<ListState>, Result<ListState, StoreError>)
    case outcome(Store.Completion<Outcome>, Result<Outcome, StoreError>)
    case access(Store.Completion<AccessOutcome>, Result<AccessOutcome, StoreError>)
    /// Whatever became of it.
    case settled(@Sendable () -> Void)

    func give() {
        switch self {
        case .list(let completion, let result): completion(result)
        case .outcome(let completion, let result): completion(result)
        case .access(let completion, let result): completion(result)
        case .settled(let completion): completion()
        }
    }

    /// What the answer rests on is not on disk: whatever it was, it is this now.
    func refuse(_ error: StoreError) {
        switch self {
        case .list(let completion, _): completion(.failure(error))
        case .outcome(let completion, _): completion(.failure(error))
        case .access(let completion, _): completion(.failure(error))
        case .settled(let completion): completion()
        }
    }
}
