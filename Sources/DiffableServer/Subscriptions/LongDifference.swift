import Diffable

/// What leads from what some subscribers were sent to what they are shown, when it takes long to find: another view's
/// rows, or a list of which most has changed.
final class LongDifference {
    /// What they have when they were sent it.
    let target: DeliveredState
    /// Nil until they are found.
    fileprivate(set) var operations: [ListOperation]?
    fileprivate var waiting: [Subscription] = []

    fileprivate init(to target: DeliveredState) { self.target = target }

    /// Whether somebody still waits for it.
    fileprivate var isWanted: Bool { waiting.contains { $0.longDifference === self } }
}

/// Those that the background looks for, once for all subscribers of an audience who were sent the same.
final class LongDifferences {
    /// By where they lead from.
    private var known: [RenderedView.ID: LongDifference] = [:]

    /// The subscription is called when it is found, if it still waits for it then.
    func find(
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
        background.find(
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
