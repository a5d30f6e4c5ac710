import Diffable
import DiffableClient

/// A list that is looked at for as long as the viewer runs: one that is not there at the start is an error, and one that is
/// deleted is waited for.
struct FollowedList: Sendable {
    private let first: ListUpdates<Content?>
    private let again: ListUpdates<Content?>

    init(_ list: ListName, _ view: ListView, of client: Client) {
        var options = ListOptions(view: view)
        first = client.list(list, options: options)
        options.ifAbsent = .isAwaited
        again = client.list(list, options: options)
    }

    /// Both count the views that were set, so their updates say by the same number which one they show.
    func setView(_ view: ListView) {
        first.setView(view)
        again.setView(view)
    }

    /// Until it is cancelled, or the list may not be read any more, which is thrown.
    func follow(onUpdate: (ListUpdate<Content?>) -> Void, onDeletion: () -> Void) async throws {
        var updates = first.makeAsyncIterator()
        var hasBeenThere = false
        while let update = try await next(of: &updates, after: hasBeenThere) {
            hasBeenThere = true
            onUpdate(update)
        }
        onDeletion()
        for try await update in again {
            if update.cause == .deleted { onDeletion() } else { onUpdate(update) }
        }
    }

    /// A list that was deleted while there was no connection is refused over the next one.
    private func next(
        of updates: inout ListUpdates<Content?>.Iterator, after hasBeenThere: Bool
    ) async throws(ClientError) -> ListUpdate<Content?>? {
        do throws(ClientError) { return try await updates.next() } catch {
            if hasBeenThere, case .refused(let refusal) = error, refusal.name == "noSuchList" { return nil }
            throw error
        }
    }
}
