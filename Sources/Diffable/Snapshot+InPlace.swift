extension Snapshot {
    /// Applies the operations to this very snapshot, which shares nothing with a state before when nobody keeps one:
    /// then a step costs no copies. What is left when it throws is good for nothing.
    package mutating func apply(_ operations: [Operation], limits: SnapshotLimits) throws(TransactionError) {
        let insertion = Insertion(known: Snapshot(), limits: limits)
        for (index, operation) in operations.enumerated() {
            do throws(OperationError) {
                try apply(operation, insertion)
            } catch {
                throw TransactionError(index: index, reason: error)
            }
        }
    }
}
