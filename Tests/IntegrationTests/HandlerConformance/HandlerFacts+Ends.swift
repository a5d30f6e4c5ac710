// The ends of handlers, as far as the record shows them.
//
// Clients do not see the order in which the daemon reads connections: until a request is answered, it may be executed after
// later requests of others.

extension HandlerFacts {
    /// Adds the end of a handler.
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

    /// Returns the moment when its connection sends a request that ends it, or closes.
    private func endByItself(of registered: Registered) -> Int {
        firstPlace(onConnectionOf: registered) { what in
            switch what {
            case .closed, .finished, .atEnd: true
            case .sent(_, .unhandle(let number)): number == registered.confirmed?.number
            default: false
            }
        } ?? Int.max
    }

    /// Returns the first moment at which another client may have ended it, by deleting the list or replacing the handler.
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
            // One connection's requests are executed in order.
            return mayBeCarriedOut(id, after: begin)
                && (place > begin || events[place].connection != registered.sent.connection)
        }
        return min(cause.map { max($0, begin) } ?? Int.max, heard ?? Int.max)
    }

    /// Whether the client has certainly read all lines about the handler.
    private func hearsAll(_ registered: Registered) -> Bool {
        let end = firstPlace(onConnectionOf: registered) { what in
            switch what {
            case .closed, .finished, .atEnd: true
            default: false
            }
        }
        return registered.confirmed != nil && end == nil
    }

    /// Whether it was not answered before. A refused request is never executed.
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
    /// Whether executing it ends another client's handler like this one.
    fileprivate func mayEnd(_ registration: HandlerRecord.Registration) -> Bool {
        switch self {
        case .deletion(let list): list == registration.list
        case .handle(let other): other.replaces && other.overlaps(with: registration)
        case .ask, .unhandle, .answer, .work, .other: false
        }
    }
}
