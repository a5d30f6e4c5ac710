/// The hosts that wait to append to one list, in order, as far as one host knows.
///
/// A host that loses a compare-and-swap leaves a ticket in etcd, and hosts wait for the oldest ticket. Otherwise the winner
/// would win again, because only the others need to catch up first. Tickets are only hints: the compare-and-swap of the head
/// decides, so a missed, stale or forged ticket costs only time.
package struct TurnQueue: Hashable, Sendable {
    package struct Ticket: Hashable, Sendable {
        package var host: String
        /// The revision of etcd at which the ticket was left: the lowest is the oldest.
        package var number: Int64

        package init(host: String, number: Int64) {
            self.host = host
            self.number = number
        }
    }

    /// An event of a queue.
    package enum Event: Hashable, Sendable {
        /// Tickets as they were read at a revision of etcd; if not whole, there may be more.
        case read([Ticket], at: Int64, isWhole: Bool)
        case left(Ticket, at: Int64)
        case gone(host: String, at: Int64)

        var revision: Int64 {
            switch self {
            case .read(_, let revision, _), .left(_, let revision), .gone(_, let revision): revision
            }
        }
    }

    private var numbers: [String: Int64] = [:]
    /// The newest known revision; older events are ignored, because a watch repeats them and an answer may overtake it.
    private var revision: Int64 = 0

    package init() {}

    package mutating func take(_ event: Event) {
        guard event.revision >= revision else { return }
        revision = event.revision
        switch event {
        case .read(let tickets, _, let isWhole):
            if isWhole { numbers = [:] }
            for ticket in tickets { numbers[ticket.host] = ticket.number }
        case .left(let ticket, _): numbers[ticket.host] = ticket.number
        case .gone(let host, _): numbers[host] = nil
        }
    }

    package func has(_ host: String) -> Bool { numbers[host] != nil }

    /// Returns the oldest ticket, except for passed ones.
    package func first(without passed: Set<Ticket> = []) -> Ticket? {
        let waiting = numbers.lazy.map { Ticket(host: $0.key, number: $0.value) }.filter { !passed.contains($0) }
        return waiting.min { $0.number < $1.number }
    }
}

extension TurnQueue.Ticket {
    init?(_ part: LifePart, _ stored: StoredValue) {
        guard case .turn(let host) = part.kind else { return nil }
        self.init(host: host, number: stored.createRevision)
    }
}
