import Diffable
import DiffableProtocol

extension ListUpdates {
    /// Shows the children of items. In a view that has an expansion of its own (`ListView.Expansion.own`) that is so here
    /// alone, in all loops over this sequence; otherwise the items are expanded in the list, for everybody.
    ///
    /// The daemon is asked about an item that none of the loops shows, which costs a look at the whole list. (A view that is
    /// made with `.own` may name any items, so that a program can keep them from one run to the next.)
    ///
    /// - Throws: refused as `noSuchItem` when the list has not each of these items. Nothing is expanded then.
    public func expand(_ items: [ItemID]) async throws(ClientError) {
        if hasOwnExpansion { try await requireItems(items) }
        try await fold(.expandItems(items)) { $0.formUnion(items) }
    }

    /// Hides the children of items, here alone or for everybody: see `expand`. In a view with an expansion of its own an item
    /// that is not expanded is passed over, also one that is not there.
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
            // As many conditions as any daemon takes.
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
                        "there is no item \"\(missing)\" in the list \"\(list)\" to expand; `snapshot` shows those there are",
                        list: list, item: missing)))
        }
    }
}
