// When handlers have ended, as far as the record shows it.
//
// The daemon reads connections in an order that no client sees: what one has sent before may be carried out after what
// another has sent, until it is answered.

extension HandlerFacts {
    /// With what became of it.
    func completed(_ registered: Registered) -> Registered {
        var registered = registered
        if let reply = reply(to: registered.sent.id), case .result(let result) = reply.reply,
            let number = result.handler
        {
            registered.confirmed = (number, reply.place)
        }
        registered.mayEnd = min(endByItself(of: registered), endByOthers(of: registered))
        return registered
    }

    /// When its connection sends what ends it, or is not there any more.
    private func endByItself(of registered: Registered) -> Int {
        firstPlace(onConnectionOf: registered) { what in
            switch what {
            case .closed, .finished, .atEnd: true
            case .sent(_, .unhandle(let number)): number == registered.confirmed?.number
            default: false
            }
        } ?? Int.max
    }

    /// The first moment at which somebody else may have ended it: when its list is deleted, or another replaces it.
    private func endByOthers(of registered: Registered) -> Int {
        let begin = registered.sent.place
        let heard = firstPlace(onConnectionOf: registered) { what in
            if case .ended(let number) = what { number == registered.confirmed?.number } else { false }
        }
        if heard == nil, hearsAll(registered) { return Int.max }
        let cause = events.indices.first { place in
            guard place != begin, case .sent(let id, let request) = events[place].what,
                request.mayEnd(registered.registration)
            else { return false }
            // One connection's requests are carried out in their order.
            return mayBeCarriedOut(id, after: begin)
                && (place > begin || events[place].connection != registered.sent.connection)
        }
        return min(cause.map { max($0, begin) } ?? Int.max, heard ?? Int.max)
    }

    /// Whether it is known that the client has read all that it was told of the handler.
    private func hearsAll(_ registered: Registered) -> Bool {
        let end = firstPlace(onConnectionOf: registered) { what in
            switch what {
            case .closed, .finished, .atEnd: true
            default: false
            }
        }
        return registered.confirmed != nil && end == nil
    }

    /// Whether it was not answered before. What is refused never is.
    private func mayBeCarriedOut(_ id: Int, after place: Int) -> Bool {
        guard let reply = reply(to: id) else { return true }
        return reply.reply.errorName == nil && reply.place > place
    }

    private func firstPlace(
        onConnectionOf registered: Registered, where isWanted: (HandlerRecord.What) -> Bool
    ) -> Int? {
        events.indices.dropFirst(registered.sent.place + 1).first { place in
            events[place].connection == registered.sent.connection && isWanted(events[place].what)
        }
    }
}

extension HandlerRecord.Request {
    /// Whether it ends such a handler of somebody else when it is carried out.
    fileprivate func mayEnd(_ registration: HandlerRecord.Registration) -> Bool {
        switch self {
        case .deletion(let list): list == registration.list
        case .handle(let other): other.replaces && other.overlaps(with: registration)
        case .ask, .unhandle, .answer, .work, .other: false
        }
    }
}
