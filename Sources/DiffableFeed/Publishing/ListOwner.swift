import Diffable
import DiffableClient
import DiffableInput
import Files
import Glibc

// Another user can create a list before a feed does. Its owner could read all that the feed writes to it, and could send requests
// to the feed's handler.

extension FeedSettings {
    /// Nil if the list does not exist. Throws `FeedError` for a list of another user that the feed does not adopt.
    func usableList(over connection: Connection) async throws -> ListSummary? {
        let alternative = "feed another list, or use \(adoption) if that user may see and change the feed's data"
        return try await connection.list(list, checked: !adopts, alternative: alternative)
    }
}

extension Connection {
    /// Nil if the list does not exist. `isChecked` refuses a list that belongs to another user than root and the user of this
    /// process; `alternative` is the last remedy in the error, after those for the owner of the list.
    func list(_ list: ListName, checked isChecked: Bool = true, alternative: String) async throws -> ListSummary? {
        let summary = try await lists().first { $0.list == list }
        guard isChecked, let owner = summary?.access.owner, ![0, geteuid()].contains(owner) else { return summary }
        let name = quoted(list)
        throw FeedError(
            "the list \(name) belongs to the user \(userName(owner)), so diffable-feed does not use it: as root, run "
                + "`diffablectl delete \(name)`, or take the list over with `diffablectl chown \(geteuid()):\(getegid()) \(name)` "
                + "and `diffablectl chmod 0600 \(name)`; otherwise \(alternative)")
    }

    func epoch(of list: ListName) async throws -> String {
        try await state(of: list, ListOptions(view: ListView(sections: []))).epoch
    }
}
