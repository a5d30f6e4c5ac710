import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

// Requests of handlers, and the requests that they receive.

extension Connection {
    func handle(_ request: Request.Handle, _ id: RequestID) {
        let peer = peer
        let isAllowed = hub.store.assumeIsolated { store in
            Result { () throws(StoreError) in
                try store.checkHandling(of: request.list, seeing: request.requests.contains(.propose), by: peer)
            }
        }
        if case .failure(let error) = isAllowed { return answer(id, .failure(WireError(error))) }
        guard Handlers.length(of: request) <= quota.roomForRegistrations else {
            return answer(
                id, .failure(.tooMuchRegistered(list: request.list, max: hub.limits.registeredLengthMax)))
        }
        do throws(HandlerMachine.HandleError) {
            let number = try hub.handlers.handle(request, by: self)
            answer(id, .success(.handle(Reply.Handle(handler: number, list: request.list))))
        } catch {
            answer(id, .failure(WireError(error, list: request.list)))
        }
    }

    func unhandle(_ request: Request.Unhandle, _ id: RequestID) {
        guard hub.handlers.unhandle(request.handler, by: self) else {
            return answer(id, .failure(.noHandler(number: request.handler)))
        }
        answer(id, .success(.unhandle(handler: request.handler)))
    }

    // MARK: Answering

    /// Gives the handler's answer to the callers. The handler's replies precede its answer, so its changes are visible.
    /// The callers get the answer after these changes.
    func answer(_ request: Request.Answer, _ id: RequestID) {
        let asks: [ForwardedRequest]
        do throws(HandlerMachine.AnswerError) { asks = try hub.handlers.answer(request, by: self) } catch {
            return answer(id, .failure(WireError(error, request: request.request)))
        }
        switch request.verdict {
        case .refusal(let text):
            for ask in asks { ask.refuse(.refused(text, list: ask.list), after: barrier(of: ask.list)) }
        case .failure(let text):
            for ask in asks { ask.refuse(.failed(text, list: ask.list), after: barrier(of: ask.list)) }
        case .consent(let result, let operations):
            for ask in asks {
                switch ask.kind {
                case .perform: ask.send(.perform(performReply(for: ask, result)), after: barrier(of: ask.list))
                case .expand(let item): ask.send(.expand(expanded(ask, item)), after: barrier(of: ask.list))
                case .propose(let propose):
                    return carryOut(ask, propose.transaction, with: operations, request, id)
                }
            }
        }
        answer(id, .success(.answer(request: request.request)))
    }

    /// Carries out an approved proposal. The handler's reply waits for the result.
    private func carryOut(
        _ ask: ForwardedRequest, _ transaction: Request.Transact, with operations: [ListOperation]?,
        _ request: Request.Answer,
        _ id: RequestID
    ) {
        let asker = ask.connection
        var origin = asker.origin
        origin.handler = identity
        let proposal = Proposal(transaction, lease: asker.lease(transaction.lease), origin: origin, peer: asker.peer)
        let pending = PendingAnswer(id, on: self)
        let complete = asker.onLoop { (result: Result<Outcome, StoreError>) in
            switch result {
            case .success: pending.send(.answer(request: request.request))
            case .failure(let error): pending.refuse(WireError(error))
            }
            if operations != nil, case .failure(let error) = result {
                ask.refuse(WireError(error).ofHandlersOperations)
            } else {
                ask.send(result)
            }
        }
        let evaluation = ask.takeEvaluation()
        hub.store.assumeIsolated {
            $0.carryOut(proposal, with: operations, after: evaluation, completion: complete)
        }
    }

    private func performReply(for ask: ForwardedRequest, _ result: [UInt8]?) -> Reply.Perform {
        Reply.Perform(list: ask.list, revision: visibleRevision(for: ask), result: result)
    }

    private func expanded(_ ask: ForwardedRequest, _ item: ItemID) -> Reply.Expand {
        Reply.Expand(list: ask.list, item: item, revision: visibleRevision(for: ask))
    }

    private func visibleRevision(for ask: ForwardedRequest) -> Int? {
        ask.connection.mayRead(ask.list) ? state(of: ask.list)?.revision : nil
    }

    /// Everything that the handler changed before it answered.
    private func barrier(of list: ListName) -> Outbox.Barrier? { state(of: list).map(Outbox.Barrier.init) }

    private func state(of list: ListName) -> ListState? { hub.store.assumeIsolated { $0.list(list) } }

    // MARK: What is sent

    /// Queues a request, which is sent after this client has received the state it refers to.
    func queue(request: Int, about state: ListState?) {
        var barrier = subscriptions.isEmpty ? nil : state.map(Outbox.Barrier.init)
        barrier?.includesPaced = true
        session.unordered.append(request: request, after: barrier)
        markDue()
    }

    func notify(_ notification: HandlerNotification) {
        guard session.isOpen else { return }
        session.outbox.appendUnordered { notification.write(into: &$0) }
        markDue()
    }

    /// Sends unordered lines, at most one page. Returns false if none can be sent.
    func writeUnorderedLines() -> Bool {
        var lines = ByteWriter()
        lines.reserve(1_024)
        var rest: [UnorderedLines.Waiting] = []
        // If one entry waits, entries for the same or a later revision wait too, and need no check.
        var waiting: Outbox.Barrier?
        for entry in session.unordered.take() {
            guard lines.count < UpdateRemainder.pageLength else {
                rest.append(entry)
                continue
            }
            if let barrier = entry.barrier, waiting?.isPassed(notAfter: barrier) == true || !isPassed(barrier) {
                waiting = barrier
                rest.append(entry)
                continue
            }
            switch entry.pending {
            case .reply(let line): lines.append(line)
            case .request(let number): hub.handlers.takeRequest(number)?.write(into: &lines)
            }
        }
        session.unordered.putBack(rest)
        if lines.count == 0 { return false }
        lines.withUnsafeBytes(send)
        return true
    }
}

extension Outbox.Barrier {
    /// Whether this barrier is passed no later than another, so that the other waits if this one does.
    fileprivate func isPassed(notAfter other: Outbox.Barrier) -> Bool {
        list == other.list && epoch == other.epoch && revision <= other.revision && includesPaced == other.includesPaced
    }
}
