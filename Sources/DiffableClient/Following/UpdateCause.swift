import DiffableProtocol

/// Why a subscriber sees something new.
///
/// All but `changes` and `deleted` are resets: the daemon has sent the state as a whole. An update gives the difference all the same,
/// so a table may be told what changed; only `reload` and `unknown` ask to draw everything anew.
public enum UpdateCause: String, Sendable {
    /// Transactions.
    case changes
    /// The state that was to be gone on from is not kept any more.
    case history
    /// The list was deleted and made again, or has lost revisions.
    case epoch
    /// The list was deleted, and nothing is shown until there is another of its name (`AbsentList.isAwaited`).
    case deleted
    /// A newer daemon gave a reason that this library does not know. Draw everything anew: whatever the reason is, that is right.
    case unknown
    /// A publisher asked for everything to be drawn anew.
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

    /// Whether the daemon has sent the state as a whole.
    public var isReset: Bool { self != .changes && self != .deleted }

    /// A first state is another one's when there was one before.
    var sinceOneWasGiven: UpdateCause { self == .initial ? .epoch : self }
}

extension UpdateCause: Comparable {
    /// The greater one says more about a state than the smaller one.
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
