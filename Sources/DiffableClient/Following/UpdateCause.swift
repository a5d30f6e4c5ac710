import DiffableProtocol

/// The cause of an update.
///
/// All except `changes` and `deleted` are resets: the daemon has sent the whole state. An update has a diff in any case, so a
/// table can apply the changes; only `reload` and `unknown` ask to redraw everything.
public enum UpdateCause: String, Sendable {
    /// Transactions changed the list.
    case changes
    /// The state to continue from is not kept any more.
    case history
    /// The list was deleted and created again, or has lost revisions.
    case epoch
    /// The list was deleted. The snapshot is empty until there is another list with its name (`AbsentList.isAwaited`).
    case deleted
    /// A newer daemon gave a reason that this library does not know. Redraw everything, which is always right.
    case unknown
    /// A publisher asked to redraw everything.
    case reload
    /// The first state.
    case initial

    init(resetReason: String) {
        switch NotificationWriter.ResetReason(rawValue: resetReason) {
        case .initial: self = .initial
        case .epoch: self = .epoch
        case .history: self = .history
        case .reload: self = .reload
        case nil: self = .unknown
        }
    }

    /// Whether the daemon has sent the whole state.
    public var isReset: Bool { self != .changes && self != .deleted }

    /// A first state belongs to a different list if there was a state before.
    var sinceOneWasGiven: UpdateCause { self == .initial ? .epoch : self }
}

extension UpdateCause: Comparable {
    /// Whether the first cause is weaker. The greater one says more about a state.
    public static func < (a: UpdateCause, b: UpdateCause) -> Bool { a.weight < b.weight }

    private var weight: Int {
        switch self {
        case .changes: 0
        case .history: 1
        case .epoch: 2
        case .deleted: 3
        case .unknown: 4
        case .reload: 5
        case .initial: 6
        }
    }
}
