import Foundation

/// An index of a record: requests, the handlers that got them, and the results. Places are positions of events.
struct HandlerFacts {
    struct Sent {
        let id: Int
        let connection: Int
        let place: Int
        let time: ContinuousClock.Instant
        let request: HandlerRecord.Request
    }

    struct Asked {
        let sent: Sent
        let ask: HandlerRecord.Ask
    }

    struct Replied {
        let connection: Int
        let place: Int
        let time: ContinuousClock.Instant
        let reply: HandlerRecord.Reply
    }

    struct Notified {
        let connection: Int
        let place: Int
        let notice: HandlerRecord.Notice
    }

    struct Answered {
        let sent: Sent
        let verdict: HandlerRecord.Verdict
    }

    struct Registered {
        let sent: Sent
        let registration: HandlerRecord.Registration
        /// The handler's number and the place of the reply; nil without a successful reply.
        var confirmed: (number: Int, place: Int)?
        /// The place from which on it may have ended; beyond the record if it did not.
        var mayEnd = Int.max
    }

    let events: [HandlerRecord.Event]
    let habits: [Int: HandlerPeer.Habit]
    let past: [Int: HandlerAudit]
    private(set) var sent: [Int: Sent] = [:]
    private(set) var asks: [Asked] = []
    private(set) var replies: [Int: [Replied]] = [:]
    private(set) var notices: [Notified] = []
    private(set) var answers: [Int: [Answered]] = [:]
    private(set) var work: [Int: Sent] = [:]
    private(set) var registrations: [Registered] = []
    /// The place at which the client closed the connection or finished sending.
    private(set) var lastSent: [Int: Int] = [:]
    private(set) var closed: Set<Int> = []
    private(set) var noticesByTag: [Int: [Notified]] = [:]

    init(_ history: HandlerHistory) { self.init(history.record, history.past) }

    init(_ record: HandlerRecord, _ past: [Int: HandlerAudit]) {
        events = record.events
        habits = record.habits
        self.past = past
        for (place, event) in events.enumerated() { note(event, at: place) }
        registrations = registrations.map(completed)
    }

    private mutating func note(_ event: HandlerRecord.Event, at place: Int) {
        switch event.what {
        case .sent(let id, let request):
            let one = Sent(id: id, connection: event.connection, place: place, time: event.time, request: request)
            sent[id] = one
            switch request {
            case .ask(let ask): asks.append(Asked(sent: one, ask: ask))
            case .handle(let registration): registrations.append(Registered(sent: one, registration: registration))
            case .answer(let request, let verdict):
                answers[request, default: []].append(Answered(sent: one, verdict: verdict))
            case .work(_, let request): work[request] = one
            case .unhandle, .deletion, .other: break
            }
        case .replied(let id, let reply):
            replies[id, default: []].append(
                Replied(connection: event.connection, place: place, time: event.time, reply: reply))
        case .notified(let notice):
            let one = Notified(connection: event.connection, place: place, notice: notice)
            notices.append(one)
            if let tag = notice.tag { noticesByTag[tag, default: []].append(one) }
        case .finished: lastSent[event.connection] = place
        case .closed:
            lastSent[event.connection] = min(lastSent[event.connection] ?? place, place)
            closed.insert(event.connection)
        case .cancelled, .ended, .shown, .atEnd: break
        }
    }

    // MARK: Questions

    func reply(to id: Int) -> Replied? { replies[id]?.first }

    /// Whether there was a handler for it without a gap from the request to its reply.
    func isHandledThroughout(_ asked: Asked, to place: Int, exceptBy connection: Int? = nil) -> Bool {
        registrations.contains { registered in
            guard let confirmed = registered.confirmed, registered.registration.answers(asked.ask) else { return false }
            return registered.sent.connection != connection && confirmed.place < asked.sent.place
                && registered.mayEnd > place
        }
    }

    /// Whether a handler for it may have ended before.
    func mayHaveLostHandler(_ asked: Asked, before place: Int) -> Bool {
        registrations.contains { $0.registration.answers(asked.ask) && $0.mayEnd < place }
    }

    /// The answer that counts: the first one of the connection that got the request.
    func verdict(on notified: Notified) -> Answered? {
        answers[notified.notice.request]?.first {
            $0.sent.connection == notified.connection && $0.sent.place > notified.place
        }
    }

    /// Whether the daemon accepted an answer, regardless of a proposal's result. False also if unknown.
    func isAccepted(_ answered: Answered) -> Bool {
        guard let reply = reply(to: answered.sent.id) else { return false }
        return reply.reply.errorName != "noSuchRequest"
    }

    /// Returns the last revision that a connection was shown before, if that is too early; nil if it was shown the list's state
    /// or a later one. A state that is undone before sending is never sent, so an equal one suffices.
    func revisionShownTooEarly(for revision: Int, on connection: Int, before place: Int) -> Int? {
        var shown = -1
        for event in events[..<place].reversed() where event.connection == connection {
            if case .shown("steady", let last) = event.what {
                shown = last
                break
            }
        }
        if shown >= revision { return nil }
        let isTheSame = past.contains { $0.key >= revision && $0.value.state == past[shown]?.state }
        return isTheSame ? nil : shown
    }
}
