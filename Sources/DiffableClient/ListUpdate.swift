import Diffable

/// What a subscriber sees next: the list as it is, and how it came there from what the subscriber saw last.
public struct ListUpdate: Sendable {
    public var list: ListName
    public var epoch: String
    public var revision: Int
    public var snapshot: Snapshot
    /// What the subscriber saw last; empty at first.
    public var previous: Snapshot
    public var cause: Cause

    /// Why there is something new.
    public enum Cause: String, Sendable {
        /// The first state.
        case initial
        /// Transactions.
        case changes
        /// The list was deleted and made again.
        case epoch
        /// The state that was asked to be resumed is no longer known.
        case history
        /// A publisher asked for everything to be drawn anew.
        case reload

        /// A reason that a newer daemon may give means at least that everything is to be drawn anew.
        init(resetReason: String) {
            self = Cause(rawValue: resetReason) ?? .reload
        }
    }

    /// From `previous` to `snapshot`, in canonical form. O(d log n) for d differences.
    public var difference: [Operation] { snapshot.difference(from: previous) }
}
