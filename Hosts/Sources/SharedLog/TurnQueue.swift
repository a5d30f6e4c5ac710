/// The hosts that wait to append to one list, in their order, as far as one of them has heard.
///
/// A host that loses a swap leaves a ticket in the engine, and hosts hold back for the oldest ticket: otherwise the one
/// that won would win again, because it alone need not catch up first. All of this is a hint. What is appended, the swap
/// of the head decides, so a ticket that is missed, stale or made up costs time and nothing else.
package struct TurnQueue: Hashable, Sendable {
    package struct Ticket: Hashable, Sendable {
        package var host: String
        /// The engine's revision at which it was left: the lowest is the oldest.
        package var number: Int64

        package init(host: String, number: Int64) {
            self.host = host
            self.number = number
        }
    }

    /// What is told of a queue.
    package enum Event: Hashable, Sendable {
        /// Tickets as they were read at a revision of the engine; not whole: there may be more.
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
    /// What is older is known: a watch repeats, and a swap's answer may overtake it.
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

    /// The oldest ticket, but for those that are not waited for any more.
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
