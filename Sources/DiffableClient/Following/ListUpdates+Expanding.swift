import Diffable
import DiffableProtocol

extension ListUpdates {
    /// Shows the children of items. In a view with its own expansion (`ListView.Expansion.own`) this affects only the loops
    /// over this sequence; otherwise the items are expanded in the list, for all followers.
    ///
    /// The daemon is asked about items that none of the loops shows, which takes time proportional to the whole list. (A view
    /// that is made with `.own` may name any items, so that a program can keep them from one run to the next.)
    ///
    /// - Throws: refused as `noSuchItem` if any of these items is missing. Nothing is expanded then.
    public func expand(_ items: [ItemID]) async throws(ClientError) {
        if hasOwnExpansion { try await requireItems(items) }
        try await fold(.expandItems(items)) { $0.formUnion(items) }
    }

    /// Hides the children of items, in this view or for all followers: see `expand`. In a view with its own expansion, items
    /// that are not expanded or do not exist are ignored.
    public func collapse(_ items: [ItemID]) async throws(ClientError) {
        try await fold(.collapseItems(items)) { $0.subtract(items) }
    }

    private func fold(
        _ operation: ListOperation, _ change: (inout Set<ItemID>) -> Void
    ) async throws(ClientError) {
        if try changeOwnExpansion(change) { return }
        try await Client(over: shared).transact(list, [operation])
    }

    private func requireItems(_ items: [ItemID]) async throws(ClientError) {
        var unknown = itemsNotShown(among: items)[...]
        while !unknown.isEmpty {
            // As many conditions as any daemon accepts.
            let part = unknown.prefix(16)
            unknown = unknown.dropFirst(16)
            let view = try ListView(where: .any(part.map { ContentPointer.id == $0 }))
            let found = try await Client(over: shared).untilAnswered(by: .now + .seconds(30)) {
                connection throws(ClientError) in
                try await connection.state(of: list, ListOptions(view: view)).snapshot
            }
            guard let missing = part.first(where: { !found.contains($0) }) else { continue }
            throw .refused(
                Refusal(
                    WireError(
                        .noSuchItem,
                        "there is no item \"\(missing)\" in the list \"\(list)\" to expand; `snapshot` returns its items",
                        list: list, item: missing)))
        }
    }
}
