import Testing

/// An invariant of every chronicle, with a validator that describes violations.
struct Promise: Sendable, CustomTestStringConvertible {
    let name: String
    /// Returns the violations; empty when the promise was kept.
    let violations: @Sendable ([Chronicle.Event]) -> [String]

    var testDescription: String { name }

    static let all = [
        noGap, wholeTransactions, order, uniqueRevisions, convergence, fewMoves, resumeOrReset, durableFirst,
        exactlyOnce, readYourWrites, ownChangeFirst, viewsFollow, bookmarks, pace, leases,
    ]
}

// MARK: - Of states

extension Promise {
    static let uniqueRevisions = Promise(name: "a revision names one state, whoever sees it") { events in
        var known: [Chronicle.Name: Chronicle.State] = [:]
        return events.states.compactMap { state in
            guard let other = known.updateValue(state, forKey: state.name), other.digest != state.digest else {
                return nil
            }
            return "\(state.name) is two states, with \(other.transactions) and \(state.transactions)"
        }
    }

    /// Each transaction makes one revision and raises one number by one, so a revision counts the transactions in it.
    static let wholeTransactions = Promise(name: "a state has as many transactions as its revision says") { events in
        var offsets: [String: Int] = [:]
        return events.states.compactMap { state in
            guard let numbers = state.allNumbers else { return nil }
            let count = numbers.reduce(0, +)
            let offset = offsets[state.name.epoch] ?? state.name.revision - count
            offsets[state.name.epoch] = offset
            if state.name.revision - count == offset { return nil }
            return "\(state.name) has \(count) transactions, \(numbers), and not \(state.name.revision - offset)"
        }
    }

    static let order = Promise(name: "a later state has all that an earlier one had, and is sent later") { events in
        Dictionary(grouping: events.states, by: \.name.epoch).values.flatMap(losses) + steps(back: events)
    }

    /// Returns the states, in order of revision, in which a writer's number decreases.
    private static func losses(of states: [Chronicle.State]) -> [String] {
        var newest: [(number: Int, name: Chronicle.Name)?] = []
        return states.sorted { $0.name.revision < $1.name.revision }.flatMap { state in
            state.numbers.enumerated().compactMap { writer, number in
                while newest.count <= writer { newest.append(nil) }
                guard let number else { return nil }
                if let before = newest[writer], before.number > number {
                    return "\(before.name) has transaction \(before.number) of writer \(writer), "
                        + "and \(state.name) only \(number)"
                }
                newest[writer] = (number, state.name)
                return nil
            }
        }
    }

    private static func steps(back events: [Chronicle.Event]) -> [String] {
        var last: [String: Chronicle.Name] = [:]
        return events.compactMap { event in
            // Another view may show the same revision.
            if case .viewSet = event.what { last[event.client] = nil }
            guard case .seen(let state, let cause, _) = event.what else { return nil }
            defer { last[event.client] = state.name }
            if case .reset = cause { return nil }
            guard let before = last[event.client], before.epoch == state.name.epoch,
                before.revision >= state.name.revision
            else { return nil }
            return "\(event.client) is sent \(state.name) after revision \(before.revision)"
        }
    }

    /// States that clients derive from updates equal the daemon's.
    static let convergence = Promise(name: "after each group a mirror is the daemon's state") { events in
        var told: [Chronicle.Name: Chronicle.State] = [:]
        for state in events.compactMap(\.stateTold) { told[state.name] = state }
        return events.compactMap { event in
            if case .misfit(let reason) = event.what { return "\(event.client) is sent what does not fit: \(reason)" }
            guard let state = event.state, let other = told[state.name], other.digest != state.digest else {
                return nil
            }
            return "\(event.client) has another \(state.name), with \(state.transactions), "
                + "than the daemon tells, with \(other.transactions)"
        }
    }

    static let fewMoves = Promise(name: "nothing is moved that could stay") { events in
        events.compactMap { event in
            guard case .seen(let state, _, let moves?) = event.what, moves.made > moves.least else { return nil }
            return "\(event.client) moves \(moves.made) times to \(state.name); \(moves.least) times is enough"
        }
    }
}

extension Chronicle.State {
    /// The numbers; nil when some mark is not shown, or there are none.
    fileprivate var allNumbers: [Int]? {
        let known = numbers.compactMap { $0 }
        return known.isEmpty || known.count < numbers.count ? nil : known
    }

    fileprivate var transactions: String { "\(numbers.map { $0.map(String.init) ?? "?" })" }
}
