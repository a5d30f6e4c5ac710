import Diffable
import DiffableClient
import DiffableView

/// A list that is followed as long as the viewer runs. A list that is missing at startup is an error. A list that is deleted
/// later, or becomes unreadable, is waited for.
struct FollowedList: Sendable {
    private let first: ListUpdates<Content?>
    private let again: ListUpdates<Content?>

    /// If the list may be absent at startup, it is waited for.
    init(_ list: ListName, _ view: ListView, of client: Client, mayBeAbsent: Bool) {
        var options = ListOptions(view: view)
        if mayBeAbsent { options.ifAbsent = .isAwaited }
        first = client.list(list, options: options)
        options.ifAbsent = .isAwaited
        again = client.list(list, options: options)
    }

    /// Both count the views that were set, so their updates identify a view by the same number.
    func setView(_ view: ListView) {
        first.setView(view)
        again.setView(view)
    }

    /// Follows the list until this task is cancelled. Calls `onAbsence` and waits when the list is deleted or no longer readable.
    func follow(onUpdate: (ListUpdate<Content?>) -> Void, onAbsence: (ListAbsence) -> Void) async throws {
        onAbsence(try await followFirst(onUpdate))
        while true {
            do {
                for try await update in again {
                    if update.cause == .deleted { onAbsence(.deleted) } else { onUpdate(update) }
                }
                return
            } catch {
                guard let absence = Self.absence(error, hasBeenThere: true) else { throw error }
                // The next loop waits until the list may be read again.
                onAbsence(absence)
            }
        }
    }

    /// Follows the list that exists at startup. Returns the reason when it cannot be followed any more.
    private func followFirst(_ onUpdate: (ListUpdate<Content?>) -> Void) async throws -> ListAbsence {
        var hasBeenThere = false
        do {
            for try await update in first {
                hasBeenThere = true
                onUpdate(update)
            }
            return .deleted
        } catch {
            guard let absence = Self.absence(error, hasBeenThere: hasBeenThere) else { throw error }
            return absence
        }
    }

    private static func absence(_ error: any Error, hasBeenThere: Bool) -> ListAbsence? {
        switch error as? ClientError {
        case .subscriptionEnded?: .notReadable
        // The list was deleted, or the user lost the right to read it, while the client was disconnected.
        case .refused(let refusal)? where hasBeenThere && refusal.code == .noSuchList: .deleted
        default: nil
        }
    }
}
