// Promises about the sequence of updates.

extension Promise {
    static let noGap = Promise(name: "a group goes on where the one before ended") { events in
        var last: [String: Chronicle.Name] = [:]
        // Subscribers to which another view of the same revision is shown next.
        var turned: Set<String> = []
        return events.flatMap { event -> [String] in
            switch event.what {
            case .subscribed(since: nil, _), .misfit: last[event.client] = nil
            case .subscribed(let since?, _):
                // An unanswered `setView` is forgotten with the connection.
                if turned.remove(event.client) != nil { last[event.client]?.view = since.view }
            case .viewSet(let view):
                last[event.client]?.view = view
                turned.insert(event.client)
            case .seen(let state, let cause, _):
                defer { last[event.client] = state.name }
                guard case .changes(let from) = cause else { return [] }
                var violations: [String] = []
                var start = state.name
                start.revision = from
                if last[event.client] != start {
                    let place = last[event.client].map { "\($0)" } ?? "nothing"
                    violations.append("\(event.client) had \(place) and is sent changes from \(start)")
                }
                let isTurned = turned.remove(event.client) != nil
                if state.name.revision < from || state.name.revision == from && !isTurned {
                    violations.append("\(event.client) is sent changes from \(from) to \(state.name)")
                }
                return violations
            default: break
            }
            return []
        }
    }

    /// `resumed` continues from there, and anything else begins again with a reason.
    static let resumeOrReset = Promise(name: "who comes back goes on, or is told why not") { events in
        var asked: [String: (since: Chronicle.Name?, isResumed: Bool?)] = [:]
        return events.compactMap { event in
            switch event.what {
            case .subscribed(let since, let isResumed):
                asked[event.client] = (since, isResumed)
                if (since == nil) == (isResumed == nil) { return nil }
                let place = since.map { "\($0)" } ?? "nothing"
                let answer = isResumed.map { "\($0)" } ?? "nothing"
                return "\(event.client) asked since \(place), and is told resumed: \(answer)"
            case .seen(let state, let cause, _):
                guard let (since, isResumed) = asked.removeValue(forKey: event.client) else { return nil }
                return violation(of: cause, state.name, since: since, isResumed: isResumed)
                    .map { "\(event.client) \($0)" }
            default: return nil
            }
        }
    }

    private static func violation(
        of cause: Replay.Cause, _ name: Chronicle.Name, since: Chronicle.Name?, isResumed: Bool?
    ) -> String? {
        switch cause {
        case .changes(let from):
            if isResumed == true, let since, since.epoch == name.epoch, since.revision == from { return nil }
            let place = since.map { "\($0)" } ?? "nothing"
            return "asked since \(place), and begins with changes from \(from) of epoch \(name.epoch)"
        case .snapshot: return isResumed == true ? nil : "begins with a snapshot that gives no reason"
        case .reset(let reason):
            if isResumed == true, reason != "reload" { return "is resumed, and then reset: \(reason)" }
            let reasons = since == nil ? ["initial"] : ["epoch", "history", "reload"]
            return reasons.contains(reason) ? nil : "is reset for the reason \(reason)"
        }
    }
}
