import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON

extension ChangeOptions {
    /// Reports a deletion, and the number of items that were deleted with the named ones. `named` is nil if other things than
    /// items were named; then `others` follows the number, as in `2 items deleted with it`. `words` is the report if no other
    /// items were deleted.
    func report(
        deletion outcome: Outcome, named: Int? = nil, others: String = "", saying words: String? = nil
    ) async {
        guard !quiet, outcome.changed else { return }
        let deleted = await numberDeleted(by: outcome) ?? 0
        if let named, deleted > named {
            let below = counted(deleted - named, "item")
            report(outcome, saying: "\(counted(named, "item")) deleted, with \(below) below")
        } else if named == nil, deleted > 0 {
            report(outcome, saying: "\(counted(deleted, "item")) deleted\(others)")
        } else {
            report(outcome, saying: words)
        }
    }

    /// The number of items that a transaction removed from the list: the difference from the previous revision. Nil if
    /// that revision is not kept, or the caller has no right to read it.
    func numberDeleted(by outcome: Outcome) async -> Int? {
        try? await daemon.withConnection { connection in
            let before = try await connection.numberOfItems(in: outcome.list, at: outcome.revision - 1)
            let after = try await connection.numberOfItems(in: outcome.list, at: outcome.revision)
            guard let before, let after else { return nil }
            return before - after
        }
    }
}

extension Connection {
    /// The number of items at any depth; nil if the daemon does not report it.
    fileprivate func numberOfItems(in list: ListName, at revision: Int) async throws -> Int? {
        let options = ListOptions(view: try ListView(json: #"{"window":{"limit":1}}"#))
        let reply = try await snapshotReplyJSON(of: list, options, at: revision)
        return JSONReader(checked: reply[...]).member("total").flatMap { Int($0.plainText) }
    }
}
