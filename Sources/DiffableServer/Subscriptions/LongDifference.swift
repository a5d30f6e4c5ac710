import Diffable

/// A diff from the state that some subscribers were sent to the shown state, if it takes long to compute: to the rows
/// of another view, or of a list that has changed in most items.
final class LongDifference {
    /// The subscribers' state after this diff.
    let target: DeliveredState
    /// The diff; nil until it is computed.
    fileprivate(set) var operations: [ListOperation]?
    fileprivate var waiting: [Subscription] = []

    fileprivate init(to target: DeliveredState) { self.target = target }

    /// Whether a subscription still waits for it.
    fileprivate var isWanted: Bool { waiting.contains { $0.longDifference === self } }
}

/// The diffs that the background computes, once for all subscribers of an audience that were sent the same state.
final class LongDifferences {
    /// Diffs by the views that they start from.
    private var known: [RenderedView.ID: LongDifference] = [:]

    /// Computes a diff and notifies the subscription, if it still waits for it then.
    func difference(
        from sent: DeliveredState, to target: DeliveredState, for subscription: Subscription, _ background: Background
    ) -> LongDifference {
        let start = sent.shown.id
        if let known = known[start], known.target.shown === target.shown {
            known.waiting.append(subscription)
            return known
        }
        let difference = LongDifference(to: target)
        difference.waiting.append(subscription)
        known[start] = difference
        background.compute(
            size: target.shown.snapshot.numberOfItems,
            while: { [self] in
                if difference.isWanted { return true }
                forget(difference, start)
                return false
            },
            { [old = sent.shown.snapshot, new = target.shown.snapshot] in new.difference(from: old) },
            use: { [self] operations in
                forget(difference, start)
                difference.operations = operations
                let waiting = difference.waiting
                difference.waiting = []
                for subscription in waiting where subscription.longDifference === difference {
                    subscription.reportFound()
                }
            })
        return difference
    }

    private func forget(_ difference: LongDifference, _ start: RenderedView.ID) {
        if known[start] === difference { known[start] = nil }
    }
}
