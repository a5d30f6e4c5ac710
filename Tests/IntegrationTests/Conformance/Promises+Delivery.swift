// Promises to subscribers with options of their own.

extension Promise {
    /// Checks only the view; `convergence` checks its content.
    static let viewsFollow = Promise(name: "after setView one group shows the new view") { events in
        var asked: [String: (view: String, life: Int)] = [:]
        return events.compactMap { event in
            switch event.what {
            case .viewSet(let view): asked[event.client] = (view, event.life)
            case .seen(let state, let cause, _):
                guard let (view, _) = asked.removeValue(forKey: event.client) else { return nil }
                if case .changes = cause, state.name.view == view { return nil }
                return "\(event.client) asked to see \(view), and is sent \(state.name), \(cause)"
            case .subscribed:
                // The daemon may have ended in between.
                guard let (view, life) = asked.removeValue(forKey: event.client), life == event.life else { return nil }
                return "\(event.client) asked to see \(view) and was never sent it"
            default: break
            }
            return nil
        }
    }

    static let bookmarks = Promise(name: "a bookmark names what was sent last") { events in
        var last: [String: Chronicle.Name] = [:]
        return events.compactMap { event in
            switch event.what {
            case .subscribed(let since, _): last[event.client] = since
            case .seen(let state, _, _): last[event.client] = state.name
            case .bookmarked(let name):
                if let name, let last = last[event.client], name.epoch == last.epoch, name.revision == last.revision {
                    return nil
                }
                let place = last[event.client].map { "\($0)" } ?? "nothing"
                return "\(event.client) was sent \(place), and its bookmark says \(name.map { "\($0)" } ?? "nothing")"
            default: break
            }
            return nil
        }
    }

    /// A client only knows that a line was sent between the subscription and its arrival. So the total number of updates cannot
    /// be too great, however late some of them arrived.
    static let pace = Promise(name: "there are no more groups than minInterval lets pass") { events in
        events.compactMap { event in
            guard case .paced(let groups, let milliseconds, let minInterval) = event.what else { return nil }
            // The daemon counts whole milliseconds.
            if Double((groups - 1) * (minInterval - 1)) <= milliseconds { return nil }
            return "\(event.client) asked for a group in \(minInterval) ms and has \(groups) after \(milliseconds) ms"
        }
    }
}

// MARK: - Leases

extension Promise {
    static let leases = Promise(name: "what a connection leased goes in one transaction when it ends") { events in
        let kept = events.compactMap { if case .kept(let kept) = $0.what { kept } else { nil } }
        let byEpoch = Dictionary(grouping: kept, by: \.name.epoch).mapValues {
            $0.sorted { $0.name.revision < $1.name.revision }
        }
        return byEpoch.values.flatMap { kept in
            var gone: Set<String> = []
            return zip(kept, kept.dropFirst()).flatMap { violations(from: $0, to: $1, &gone) } + left(in: kept.last)
        } + missing(events, kept)
    }

    /// - Parameter gone: the leases that have ended.
    private static func violations(
        from old: Chronicle.Kept, to new: Chronicle.Kept, _ gone: inout Set<String>
    ) -> [String] {
        guard new.name.revision == old.name.revision + 1 else { return [] }
        let leases = Set(old.items.keys).union(new.items.keys)
        let lessened = leases.filter { new.count($0) < old.count($0) }.sorted()
        let grown = leases.filter { new.count($0) > old.count($0) }
        var violations: [String] = []
        for lease in grown where gone.contains(lease) { violations.append("\(lease) comes back at \(new.name)") }
        for lease in lessened {
            gone.insert(lease)
            if lease.isEmpty {
                violations.append("\(new.name), by \(new.origin), takes what nobody leased")
            } else if new.count(lease) > 0 {
                violations.append("\(new.name) takes \(old.count(lease) - new.count(lease)) items of \(lease) only")
            }
        }
        if lessened.isEmpty { return violations }
        if !grown.isEmpty { violations.append("\(new.name) ends \(lessened) and brings something of \(grown)") }
        if !new.origin.hasPrefix("lease ended") { violations.append("\(new.name) ends \(lessened), by \(new.origin)") }
        // A start ends all leases of the last incarnation at once.
        if lessened.count > 1, !new.origin.contains("restart") {
            violations.append("\(new.name) ends several leases: \(lessened)")
        }
        return violations
    }

    /// Every connection has ended in the last state.
    private static func left(in last: Chronicle.Kept?) -> [String] {
        (last?.items ?? [:]).filter { !$0.key.isEmpty && $0.value > 0 }.map { "\($0.value) items of \($0.key) stay" }
    }

    /// Returns the inserted items that are missing at their revision.
    private static func missing(_ events: [Chronicle.Event], _ kept: [Chronicle.Kept]) -> [String] {
        let kept = Dictionary(kept.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        return events.compactMap { event in
            guard case .leased(let lease, let items, let name) = event.what, let state = kept[name],
                state.count(lease) != items
            else { return nil }
            return "\(name) should have \(items) items of \(lease) and has \(state.count(lease))"
        }
    }
}

extension Chronicle.Kept {
    fileprivate func count(_ lease: String) -> Int { items[lease] ?? 0 }
}
