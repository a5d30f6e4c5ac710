/// A guarantee of docs/protocol-handlers.md, checked in a record of requests and answers. It knows nothing of the daemon's
/// implementation.
struct HandlerPromise: Sendable {
    let name: String
    /// Returns the violations; empty when the promise was kept.
    let violations: @Sendable (HandlerFacts) -> [String]

    static let all = [
        oneReply, rightReply, once, seenBefore, knownBefore, nothingHappened, patience, overOnce, shared,
    ]

    static let oneReply = HandlerPromise(name: "each request has one reply") { facts in
        facts.sent.values.sorted { $0.id < $1.id }.compactMap { sent in
            let replies = facts.replies[sent.id] ?? []
            if replies.contains(where: { $0.connection != sent.connection }) { return "\(sent) is answered to another" }
            if replies.count > 1 { return "\(sent) is answered \(replies.count) times" }
            return replies.isEmpty && !facts.closed.contains(sent.connection) ? "\(sent) is not answered" : nil
        } + facts.replies.keys.filter { facts.sent[$0] == nil }.map { "\($0) is answered and was never sent" }
    }

    static let once = HandlerPromise(name: "nothing is asked twice, and nothing happens twice") { facts in
        var numbers: Set<Int> = []
        var tags: Set<Int> = []
        let twice = facts.notices.flatMap { notified in
            [
                numbers.insert(notified.notice.request).inserted ? nil : "\(notified.notice) has a number again",
                notified.notice.tag.map { tags.insert($0).inserted } ?? true
                    ? nil : "\(notified.notice) is asked again",
            ]
        }
        var marks: Set<Int> = []
        return twice.compactMap { $0 }
            + facts.past.sorted { $0.key < $1.key }.compactMap { revision, audit in
                guard let tag = audit.mark?.tag, !marks.insert(tag).inserted else { return nil }
                return "revision \(revision) does \(tag) again"
            }
    }

    static let seenBefore = HandlerPromise(name: "a reply comes after what it caused was sent") { facts in
        facts.asks.compactMap { asked in
            guard asked.ask.list == "steady", let habit = facts.habits[asked.sent.connection],
                let reply = facts.reply(to: asked.sent.id)
            else { return nil }
            var caused = 0
            if case .result(let result) = reply.reply { caused = result.revision ?? 0 }
            if let notified = facts.noticesByTag[asked.sent.id]?.first,
                let answered = facts.verdict(on: notified), facts.isAccepted(answered),
                let work = facts.work[notified.notice.request], work.place < answered.sent.place,
                case .result(let done)? = facts.reply(to: work.id)?.reply, let revision = done.revision
            {
                if case .result = reply.reply, caused < revision {
                    return "\(asked) is answered with revision \(caused), and caused revision \(revision)"
                }
                caused = max(caused, revision)
            }
            // With a `minInterval`, changes are sent later.
            guard habit.subscription == "", caused > 0 else { return nil }
            return facts.revisionShownTooEarly(for: caused, on: asked.sent.connection, before: reply.place).map {
                "\(asked) caused revision \(caused), and is answered after revision \($0)"
            }
        }
    }

    static let knownBefore = HandlerPromise(name: "a handler knows the state that it is asked about") { facts in
        facts.notices.compactMap { notified in
            guard notified.notice.list == "steady", facts.habits[notified.connection]?.subscription != nil,
                let revision = notified.notice.revision
            else { return nil }
            return facts.revisionShownTooEarly(for: revision, on: notified.connection, before: notified.place).map {
                "\(notified.notice) comes after revision \($0)"
            }
        }
    }

    /// As clients measure it: their clock starts before the daemon's, which counts whole milliseconds, and stops after it.
    static let patience = HandlerPromise(name: "nobody is told too early that no answer came") { facts in
        facts.asks.compactMap { asked in
            guard let reply = facts.reply(to: asked.sent.id), reply.reply.errorName == "handlerTimedOut" else {
                return nil
            }
            let waited = asked.sent.time.duration(to: reply.time)
            return waited < .milliseconds(asked.ask.milliseconds - 2) ? "\(asked) timed out after \(waited)" : nil
        }
    }

    /// Callers that ask for an item while the handler is working share one request.
    static let shared = HandlerPromise(name: "one request at a time is for the children of an item") { facts in
        let cancelled = facts.cancelled
        var last: [String: HandlerFacts.Notified] = [:]
        return facts.notices.compactMap { notified in
            guard let item = notified.notice.item else { return nil }
            let place = "\(notified.connection) \(notified.notice.handler) \(item)"
            guard let before = last.updateValue(notified, forKey: place) else { return nil }
            if cancelled[before.notice.request] != nil { return nil }
            if let answered = facts.verdict(on: before), answered.sent.place < notified.place { return nil }
            return "\(notified.notice) comes while \(before.notice) is open"
        }
    }
}

extension HandlerFacts {
    /// The connections that were notified of a cancelled request, by its number.
    var cancelled: [Int: [Int]] {
        var cancelled: [Int: [Int]] = [:]
        for event in events {
            if case .cancelled(let request) = event.what { cancelled[request, default: []].append(event.connection) }
        }
        return cancelled
    }
}
