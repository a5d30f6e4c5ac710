import Diffable

extension ListUpdates {
    /// Shows the children of items. In a view that has an expansion of its own (`ListView.Expansion.own`) that is so here
    /// alone, in all loops over this sequence; otherwise the items are expanded in the list, for everybody.
    ///
    /// - Throws: `noSuchItem` when the list is to expand an item that it has not; a view may name any.
    public func expand(_ items: [ItemID]) async throws(ClientError) {
        try await fold(.expandItems(items)) { $0.formUnion(items) }
    }

    /// Hides the children of items, here alone or for everybody: see `expand`.
    public func collapse(_ items: [ItemID]) async throws(ClientError) {
        try await fold(.collapseItems(items)) { $0.subtract(items) }
    }

    private func fold(
        _ operation: ListOperation, _ change: (inout Set<ItemID>) -> Void
    ) async throws(ClientError) {
        if try changeOwnExpansion(change) { return }
        try await Client(over: shared).transact(list, [operation])
    }
}
