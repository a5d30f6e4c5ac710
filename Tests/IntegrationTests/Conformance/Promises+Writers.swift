// Promises to writers.

extension Promise {
    /// Changes that were acknowledged or seen in one incarnation are in the next one.
    static let durableFirst = Promise(name: "what was acknowledged or seen is on disk") { events in
        var kept: [Int: Int] = [:]
        var violations: [String] = []
        for (life, events) in Dictionary(grouping: events, by: \.life).sorted(by: { $0.key < $1.key }) {
            var next = kept
            for event in events {
                if case .acknowledged(let transaction, _, _) = event.what {
                    next[transaction.writer] = max(next[transaction.writer] ?? 0, transaction.number)
                }
                guard let state = event.state, !event.isOfThePast else { continue }
                for (writer, number) in state.numbers.enumerated() {
                    guard let number else { continue }
                    if let before = kept[writer], before > number {
                        violations.append(
                            "in life \(life) \(event.client) sees transaction \(number) of writer \(writer) as the last; "
                                + "\(before) was acknowledged or seen before")
                    }
                    next[writer] = max(next[writer] ?? 0, number)
                }
            }
            kept = next
        }
        return violations
    }

    /// A transaction is made once however often it was sent, and all its answers are equal.
    static let exactlyOnce = Promise(name: "a transaction is made once, and each answer names its revision") { events in
        var states: [Chronicle.Name: Chronicle.State] = [:]
        for state in events.states where state.name.view.isEmpty { states[state.name] = state }
        var names: [Chronicle.Transaction: Chronicle.Name] = [:]
        var transactions: [Chronicle.Name: Chronicle.Transaction] = [:]
        return events.flatMap { event -> [String] in
            switch event.what {
            case .refused(let transaction, let error, let isRepeated):
                return ["\(transaction), sent \(isRepeated ? "again" : "once"), is answered by \(error)"]
            case .acknowledged(let transaction, let name, _):
                var violations: [String] = []
                if let other = names.updateValue(name, forKey: transaction), other != name {
                    violations.append("\(transaction) is answered by \(other) and by \(name)")
                }
                if let other = transactions.updateValue(transaction, forKey: name), other != transaction {
                    violations.append("\(name) is the answer to \(other) and to \(transaction)")
                }
                let before = Chronicle.Name(epoch: name.epoch, revision: name.revision - 1)
                for (place, expected) in [(name, transaction.number), (before, transaction.number - 1)] {
                    guard let number = states[place]?.numbers[transaction.writer], number != expected else { continue }
                    violations.append("\(name) is the answer to \(transaction), and \(place) has \(number)")
                }
                return violations
            default: return []
            }
        }
    }

    /// Acknowledged changes are in every read that begins afterwards.
    static let readYourWrites = Promise(name: "a read has what was acknowledged before it") { events in
        var acknowledged: [[Int: Int]] = [[:]]
        for event in events {
            var now = acknowledged[acknowledged.count - 1]
            if case .acknowledged(let transaction, _, _) = event.what {
                now[transaction.writer] = max(now[transaction.writer] ?? 0, transaction.number)
            }
            acknowledged.append(now)
        }
        return events.flatMap { event -> [String] in
            guard case .read(let state, let begun) = event.what else { return [] }
            return acknowledged[begun].compactMap { writer, number in
                guard let read = state.numbers[writer], read < number else { return nil }
                return "\(event.client) reads transaction \(read) of writer \(writer) after the answer to \(number)"
            }
        }
    }

    static let ownChangeFirst = Promise(name: "a client sees its change before the answer to it") { events in
        var seen: [String: Chronicle.State?] = [:]
        return events.compactMap { event in
            switch event.what {
            case .seen(let state, _, _): seen[event.client] = state
            case .subscribed: seen[event.client] = .some(nil)
            case .acknowledged(let transaction, let name, _):
                guard let state = seen[event.client] else { return nil }
                let number = state?.numbers[transaction.writer] ?? 0
                if number >= transaction.number, let state, state.name.revision >= name.revision { return nil }
                return "\(event.client) has seen \(number) of its transactions at the answer to \(transaction.number)"
            default: break
            }
            return nil
        }
    }
}

extension Chronicle.Event {
    /// Whether it requested an old state.
    fileprivate var isOfThePast: Bool {
        if case .audited = what { return true }
        return false
    }
}
