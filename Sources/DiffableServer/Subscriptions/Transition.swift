import Diffable
import DiffableStore

/// A step from one snapshot to the next: of a list, of a selection, or of a window.
///
/// Its diff is computed when it is first needed, once for all users.
final class Transition {
    let new: Snapshot
    /// The same as `operations`, as a JSON array, if the journal made it.
    let encoded: [UInt8]?
    private var known: [ListOperation]?
    /// Kept until the operations are known.
    private var old: Snapshot?

    init(to new: Snapshot, by operations: [ListOperation]) {
        self.new = new
        self.encoded = nil
        self.known = operations
    }

    /// - Parameter transaction: the transaction that led there, if it was a single one.
    init(from old: borrowing Snapshot, to new: Snapshot, by transaction: Commit.Transaction? = nil) {
        self.new = new
        self.encoded = transaction?.encoded
        self.known = transaction?.operations
        self.old = known == nil ? copy old : nil
    }

    /// Returns the canonical diff, or nil if it is not known yet and takes long to compute.
    func operationsAtOnce(in turn: IterationLimits) -> [ListOperation]? {
        if let old, !new.sharesMostPages(with: old, in: turn) { return nil }
        return operations
    }

    /// The canonical diff.
    var operations: [ListOperation] {
        if let known { return known }
        guard let old else { preconditionFailure("what is not known yet can be found") }
        let operations = new.difference(from: old)
        known = operations
        self.old = nil
        return operations
    }
}
