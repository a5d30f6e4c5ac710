// The ends of requests: for callers, for handlers, and for the list.

extension HandlerPromise {
    static let rightReply = HandlerPromise(name: "a reply says what became of the request") { facts in
        facts.asks.compactMap { asked in
            guard let replied = facts.reply(to: asked.sent.id) else { return nil }
            let objection: String? =
                switch replied.reply {
                case .result(let result):
                    switch asked.ask.subject {
                    case .perform: performed(asked, result, facts)
                    case .propose: proposed(asked, replied.place, facts)
                    case .expand(let item): expanded(asked, item, result, replied.place, facts)
                    }
                case .failure(let failure): refused(asked, failure, replied.place, facts)
                }
            return objection.map { "\(asked) is answered with \(replied.reply): \($0)" }
        }
    }

    private static func performed(
        _ asked: HandlerFacts.Asked, _ result: ReadLine.Result, _ facts: HandlerFacts
    ) -> String? {
        guard let notified = facts.noticesByTag[asked.sent.id]?.first else { return "nobody was asked" }
        guard let answered = facts.verdict(on: notified) else { return "nobody has answered" }
        if answered.verdict != .consent { return "the handler has refused" }
        return result.result?.tag == asked.sent.id ? nil : "the handler's result is another"
    }

    private static func proposed(_ asked: HandlerFacts.Asked, _ place: Int, _ facts: HandlerFacts) -> String? {
        guard let notified = facts.noticesByTag[asked.sent.id]?.first else {
            let isHandled = facts.isHandledThroughout(asked, to: place, exceptBy: asked.sent.connection)
            return isHandled ? "the handler was not asked" : nil
        }
        guard let answered = facts.verdict(on: notified) else { return "the handler has not consented" }
        return answered.verdict == .refusal ? "the handler has refused" : nil
    }

    private static func expanded(
        _ asked: HandlerFacts.Asked, _ item: String, _ result: ReadLine.Result, _ place: Int, _ facts: HandlerFacts
    ) -> String? {
        if let revision = result.revision, asked.ask.list == "steady",
            facts.past[revision]?.parents.contains(item) == true
        {
            return nil
        }
        let isAnswered = facts.notices.contains { notified in
            guard notified.notice.item == item, notified.notice.list == asked.ask.list,
                let answered = facts.verdict(on: notified)
            else { return false }
            return answered.verdict == .consent && answered.sent.place < place
                && facts.reply(to: answered.sent.id).map { $0.place > asked.sent.place } ?? true
        }
        if isAnswered || asked.ask.list != "steady" { return nil }
        return facts.isHandledThroughout(asked, to: place) ? "it has no children, and nobody has answered" : nil
    }

    private static func refused(
        _ asked: HandlerFacts.Asked, _ failure: ReadLine.Refusal, _ place: Int, _ facts: HandlerFacts
    ) -> String? {
        let notified = facts.noticesByTag[asked.sent.id]?.first
        let answered = notified.flatMap { facts.verdict(on: $0) }
        switch failure.data?.name {
        case "noHandler":
            if asked.ask.subject.kind != "perform" { return "it needs no handler" }
            return facts.isHandledThroughout(asked, to: place) ? "there is a handler" : nil
        case "refused":
            if case .expand = asked.ask.subject { return failure.message == "no, 0" ? nil : "nobody said so" }
            return answered?.verdict == .refusal && failure.message == "no, \(asked.sent.id)" ? nil : "nobody said so"
        case "handlerTimedOut", "handlerLost":
            if let answered, facts.isAccepted(answered) { return "the handler has answered" }
            if failure.data?.name == "handlerTimedOut" || facts.mayHaveLostHandler(asked, before: place) { return nil }
            return "no handler has ended"
        case "noSuchList", "noSuchItem": return asked.ask.list == "fragile" ? nil : "that list stays"
        case "revisionMismatch": return asked.ask.hasRevision ? nil : "any revision is right"
        case "tooLarge":
            switch failure.data?.limit {
            case "requestsPerHandlerMax": return nil
            case "requestsPerAskerMax":
                let waiting = facts.asks.count {
                    $0.sent.connection == asked.sent.connection && $0.sent.place < asked.sent.place
                        && facts.reply(to: $0.sent.id).map { $0.place > asked.sent.place } ?? true
                }
                return waiting >= HandlerHistory.requestsPerAskerMax ? nil : "it waits for \(waiting)"
            default: return "nothing is too large"
            }
        default: return "that is no answer to it"
        }
    }

    // MARK: For the list

    static let nothingHappened = HandlerPromise(
        name: "a proposal is applied when its reply says so, and otherwise never"
    ) { facts in
        var applied: [Int: [(revision: Int, audit: HandlerAudit)]] = [:]
        for (revision, audit) in facts.past {
            if let tag = audit.mark?.tag { applied[tag, default: []].append((revision, audit)) }
        }
        let proposals = facts.asks.filter { $0.ask.subject == .propose && $0.ask.list == "steady" }
        let known = Set(proposals.map(\.sent.id))
        return proposals.compactMap { asked in
            let changes = applied[asked.sent.id] ?? []
            guard let reply = facts.reply(to: asked.sent.id)?.reply else { return nil }
            guard case .result(let result) = reply else {
                return changes.isEmpty ? nil : "\(asked) is refused, and applied as revision \(changes[0].revision)"
            }
            guard let (revision, audit) = changes.first, revision == result.revision else {
                return "\(asked) is said to be revision \(result.revision ?? -1), and is \(changes.map(\.revision))"
            }
            return misattributed(asked, audit, facts).map { "revision \(revision), \(asked): \($0)" }
        } + applied.keys.filter { $0 > 0 && !known.contains($0) }.map { "\($0) is applied and was never proposed" }
    }

    private static func misattributed(
        _ asked: HandlerFacts.Asked, _ audit: HandlerAudit, _ facts: HandlerFacts
    ) -> String? {
        func name(_ connection: Int) -> String { "\(facts.habits[connection]?.name ?? "") \(connection)" }
        if audit.name != name(asked.sent.connection) { return "\(audit.name ?? "nobody") made it" }
        let notified = facts.noticesByTag[asked.sent.id]?.first
        let answered = notified.flatMap { facts.verdict(on: $0) }
        if audit.handler != notified.map({ name($0.connection) }) { return "\(audit.handler ?? "nobody") consented" }
        return (audit.mark?.instead == true) == (answered?.verdict == .instead) ? nil : "something else is applied"
    }

    // MARK: For the handler

    static let overOnce = HandlerPromise(name: "a handler knows how each of its requests ended, once") { facts in
        let cancelled = facts.cancelled
        var ends: [String: Int] = [:]
        for (place, event) in facts.events.enumerated() {
            switch event.what {
            case .ended(let handler): ends["\(event.connection) \(handler)"] = place
            case .sent(_, .unhandle(let handler)): ends["\(event.connection) \(handler)", default: .max] = place
            default: break
            }
        }
        return facts.notices.compactMap { notified in
            let notice = notified.notice
            let accepted = (facts.answers[notice.request] ?? []).filter { facts.isAccepted($0) }
            let end = ends["\(notified.connection) \(notice.handler)"]
            let cancellations = cancelled[notice.request]?.count ?? 0
            if accepted.contains(where: { $0.sent.connection != notified.connection }) {
                return "\(notice) is answered by another"
            }
            if accepted.count + cancellations > 1 {
                return "\(notice) is answered \(accepted.count) times and cancelled \(cancellations) times"
            }
            if case .ended? = end.map({ facts.events[$0].what }), let end, end < notified.place {
                return "\(notice) comes after the handler's end"
            }
            if accepted.count + cancellations == 1 || end != nil || facts.lastSent[notified.connection] != nil {
                return nil
            }
            return "\(notice) was sent, and nothing became of it"
        }
            + cancelled.keys.filter { number in !facts.notices.contains { $0.notice.request == number } }.map {
                "request \($0) is cancelled and was never sent"
            }
    }
}
