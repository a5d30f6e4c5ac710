import Diffable
import DiffableStore

/// How a snapshot became the next one: of a list, of a selection, or of a window.
///
/// What it takes is found when somebody asks for it, once for all who do.
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

    /// - Parameter transaction: the one that led there, if it was one alone.
    init(from old: borrowing Snapshot, to new: Snapshot, by transaction: Commit.Transaction? = nil) {
        self.new = new
        self.encoded = transaction?.encoded
        self.known = transaction?.operations
        self.old = known == nil ? copy old : nil
    }

    /// The canonical difference, unless it is still to be found and that takes long.
    func operationsAtOnce(in turn: TurnLimits) -> [ListOperation]? {
        if let old, !new.isNear(old, in: turn) { return nil }
        return operations
    }

    /// The canonical difference.
    var operations: [ListOperation] {
        if let known { return known }
        guard let old else { preconditionFailure("what is not known yet can be found") }
        let operations = new.difference(from: old)
        known = operations
        self.old = nil
        return operations
    }
}
