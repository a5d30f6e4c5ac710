/// What must hold of every chronicle. Each promise has a checker of its own, which says what breaks it.
struct Promise: Sendable {
    let name: String
    /// Empty when the promise was kept.
    let violations: @Sendable ([Chronicle.Event]) -> [String]

    static let all = [
        uniqueRevisions, wholeTransactions, order, durability, acknowledgement, noGap, resumeOrReset, ownChangeFirst,
        readYourWrites,
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
            return "\(state.name) is two states, with \(other.numbers) and \(state.numbers)"
        }
    }

    /// Each transaction makes one revision and raises one number by one, so a revision counts the transactions in it.
    static let wholeTransactions = Promise(name: "a state has as many transactions as its revision says") { events in
        var offsets: [String: Int] = [:]
        return events.states.compactMap { state in
            let count = state.numbers.reduce(0, +)
            let offset = offsets[state.name.epoch] ?? state.name.revision - count
            offsets[state.name.epoch] = offset
            return state.name.revision - count == offset
                ? nil
                : "\(state.name) has \(count) transactions, \(state.numbers), and should have \(state.name.revision - offset)"
        }
    }

    static let order = Promise(name: "a later state has all that an earlier one had") { events in
        Dictionary(grouping: events.states, by: \.name.epoch).values.flatMap { states in
            let states = states.sorted { $0.name.revision < $1.name.revision }
            return zip(states, states.dropFirst()).compactMap { before, after in
                zip(before.numbers, after.numbers).contains(where: >)
                    ? "\(before.name) has \(before.numbers), and \(after.name) only \(after.numbers)" : nil
            }
        }
    }
}

// MARK: - Of writers

extension Promise {
    /// Whatever was acknowledged or seen in one life of the daemon is there in the next one.
    static let durability = Promise(name: "what was acknowledged or seen is kept") { events in
        var kept: [Int] = []
        var violations: [String] = []
        for (life, events) in Dictionary(grouping: events, by: \.life).sorted(by: { $0.key < $1.key }) {
            var next = kept
            for event in events {
                switch event.what {
                case .seen(let state, _), .read(let state):
                    for (writer, number) in state.numbers.enumerated() {
                        if kept[at: writer] > number {
                            violations.append(
                                "in life \(life) \(event.client) sees transaction \(number) of writer \(writer); "
                                    + "\(kept[at: writer]) was acknowledged or seen before")
                        }
                        next[at: writer] = max(next[at: writer], number)
                    }
                case .acknowledged(let writer, let number, _, _, _): next[at: writer] = max(next[at: writer], number)
                case .subscribed: break
                }
            }
            kept = next
        }
        return violations
    }

    /// The revision of an answer is the one that has the transaction as its last; also when it was sent again.
    static let acknowledgement = Promise(name: "an answer names the revision that its transaction made, once") {
        events in
        var states: [Chronicle.Name: Chronicle.State] = [:]
        for state in events.states { states[state.name] = state }
        var answers: [Chronicle.Name: (writer: Int, number: Int)] = [:]
        var violations: [String] = []
        for event in events {
            guard case .acknowledged(let writer, let number, let epoch, let revision, _) = event.what else { continue }
            let name = Chronicle.Name(epoch: epoch, revision: revision)
            if let other = answers.updateValue((writer, number), forKey: name), other != (writer, number) {
                violations.append("\(name) was answered to writer \(other.writer) and to writer \(writer)")
            }
            if let state = states[name], state.numbers[at: writer] != number {
                violations.append(
                    "\(name) was answered for transaction \(number) of writer \(writer), and has \(state.numbers)")
            }
            let before = Chronicle.Name(epoch: epoch, revision: revision - 1)
            if let state = states[before], state.numbers[at: writer] != number - 1 {
                violations.append(
                    "\(name) was answered for transaction \(number) of writer \(writer), and \(before) has \(state.numbers)"
                )
            }
        }
        return violations
    }

    static let readYourWrites = Promise(name: "a read has what was acknowledged before") { events in
        var violations: [String] = []
        var acknowledged: [String: (writer: Int, number: Int)] = [:]
        for event in events {
            switch event.what {
            case .acknowledged(let writer, let number, _, _, _): acknowledged[event.client] = (writer, number)
            case .read(let state):
                guard let own = acknowledged[event.client], state.numbers[at: own.writer] < own.number else { continue }
                violations.append("\(event.client) reads \(state.numbers) after the answer to its \(own.number)th")
            case .seen, .subscribed: break
            }
        }
        return violations
    }

    static let ownChangeFirst = Promise(name: "a client sees its change before the answer to it") { events in
        var violations: [String] = []
        var seen: [String: Chronicle.Name] = [:]
        for event in events {
            switch event.what {
            case .seen(let state, _): seen[event.client] = state.name
            case .subscribed: seen[event.client] = nil
            case .acknowledged(_, let number, let epoch, let revision, let isRepeated):
                // One that is sent again may have been made long before.
                guard !isRepeated, let name = seen[event.client] else { continue }
                if name.epoch != epoch || name.revision < revision {
                    violations.append(
                        "\(event.client) has \(name) at the answer to its \(number)th, revision \(revision)")
                }
            case .read: break
            }
        }
        return violations
    }
}

// MARK: - Of subscribers

extension Promise {
    static let noGap = Promise(name: "a group goes on where the one before ended") { events in
        var last: [String: Chronicle.Name] = [:]
        var violations: [String] = []
        for event in events {
            guard case .seen(let state, let cause) = event.what else { continue }
            if case .changes(let from) = cause {
                let expected = last[event.client]
                if expected != Chronicle.Name(epoch: state.name.epoch, revision: from) {
                    let place = expected.map { "\($0)" } ?? "nothing"
                    violations.append("\(event.client) had \(place) and is sent changes from \(from)")
                }
                if state.name.revision <= from {
                    violations.append("\(event.client) goes from \(from) to \(state.name)")
                }
            }
            last[event.client] = state.name
        }
        return violations
    }

    /// `resumed` goes on from there, and anything else begins anew and says why.
    static let resumeOrReset = Promise(name: "who comes back goes on, or is told why not") { events in
        var asked: [String: (since: Chronicle.Name?, isResumed: Bool?)] = [:]
        var violations: [String] = []
        for event in events {
            switch event.what {
            case .subscribed(let since, let isResumed):
                asked[event.client] = (since, isResumed)
                if (since == nil) != (isResumed == nil) {
                    violations.append(
                        "\(event.client) asked since \(since.map { "\($0)" } ?? "nothing"), resumed: \(isResumed as Any)"
                    )
                }
            case .seen(let state, let cause):
                guard let (since, isResumed) = asked.removeValue(forKey: event.client) else { continue }
                switch cause {
                case .changes(let from):
                    guard isResumed == true, let since, since.epoch == state.name.epoch, since.revision == from else {
                        violations.append("\(event.client) begins with changes from \(from)")
                        continue
                    }
                case .reset(let reason):
                    if isResumed == true { violations.append("\(event.client) is resumed and then reset: \(reason)") }
                    let reasons = since == nil ? ["initial"] : ["epoch", "history", "reload"]
                    if !reasons.contains(reason) { violations.append("\(event.client) is reset because of \(reason)") }
                }
            case .acknowledged, .read: break
            }
        }
        return violations
    }
}

extension [Chronicle.Event] {
    var states: [Chronicle.State] {
        compactMap { event in
            switch event.what {
            case .seen(let state, _), .read(let state): state
            case .acknowledged, .subscribed: nil
            }
        }
    }
}

extension [Int] {
    /// Zero beyond the end.
    fileprivate subscript(at index: Int) -> Int {
        get { index < count ? self[index] : 0 }
        set {
            while index >= count { append(0) }
            self[index] = newValue
        }
    }
}
