import Diffable
import DiffableStore

/// Async versions of requests.
extension Store {
    nonisolated func creating(
        _ name: ListName, _ durability: Durability, existing: ExistingList = .isError, lease: Lease? = nil
    ) async -> Result<ListState, StoreError> {
        await withCheckedContinuation { continuation in
            later {
                $0.createList(name, durability: durability, existing: existing, lease: lease) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }

    nonisolated func deleting(
        _ name: ListName, keeping: DeletedListKeeping = .ifPossible, origin: Origin? = nil
    ) async -> Result<ListState, StoreError> {
        await withCheckedContinuation { continuation in
            later { $0.deleteList(name, keeping: keeping, origin: origin) { continuation.resume(returning: $0) } }
        }
    }

    nonisolated func undeleting(
        _ name: ListName, epoch: String? = nil, as newName: ListName? = nil, by peer: Peer = .daemon
    ) async -> Result<ListState, StoreError> {
        await withCheckedContinuation { continuation in
            later { $0.undeleteList(name, epoch: epoch, as: newName, by: peer) { continuation.resume(returning: $0) } }
        }
    }

    nonisolated func renaming(
        _ name: ListName, to newName: ListName, ifRevision: Int? = nil, by peer: Peer = .daemon
    ) async -> Result<ListState, StoreError> {
        await withCheckedContinuation { continuation in
            later {
                $0.renameList(name, to: newName, ifRevision: ifRevision, by: peer) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }

    nonisolated func transacting(
        _ name: ListName, _ operations: [ListOperation], ifRevision: Int? = nil, key: RequestKey? = nil,
        lease: Lease? = nil, mode: TransactionMode = .commit
    ) async -> Result<Outcome, StoreError> {
        await withCheckedContinuation { continuation in
            later {
                $0.transact(name, operations, ifRevision: ifRevision, requestKey: key, lease: lease, mode: mode) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }

    nonisolated func undoing(
        _ name: ListName, _ target: UndoTarget = .back(1), key: RequestKey? = nil
    ) async -> Result<Outcome, StoreError> {
        await withCheckedContinuation { continuation in
            later { $0.undo(name, target, requestKey: key) { continuation.resume(returning: $0) } }
        }
    }

    nonisolated func undoing(_ name: ListName, to revision: Int) async -> Result<Outcome, StoreError> {
        await undoing(name, .revision(revision))
    }

    nonisolated func applying(
        _ name: ListName, _ target: Target, delivery: Delivery = .difference, key: RequestKey? = nil,
        lease: Lease? = nil, mode: TransactionMode = .commit
    ) async -> Result<Outcome, StoreError> {
        await withCheckedContinuation { continuation in
            later {
                $0.apply(name, target, delivery: delivery, requestKey: key, lease: lease, mode: mode) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
