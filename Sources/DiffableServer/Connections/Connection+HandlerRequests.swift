import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import NIOCore

// Requests of clients to the handlers of lists.

extension Connection {
    func perform(_ request: Request.Perform, id: RequestID, length: Int) {
        let subject = HandlerMachine.Subject.perform(request.action)
        guard let ask = ask(.perform, of: request.list, request.timeout, id: id, length: length) else { return }
        // Without a handler, the caller must not learn whether the target exists.
        var place: HandlerRequestTarget?
        if hub.handlers.isHandled(request.list, subject) {
            place = HandlerRequestTarget(ifRevision: request.ifRevision)
            switch request.target {
            case .list: break
            case .items(let items): place?.items = items
            case .section(let section): place?.section = section
            }
        }
        let isHandled = place != nil
        checkTarget(place, for: ask) { state in
            guard isHandled else { return ask.refuse(.noHandler(request.list, subject)) }
            self.ask(
                ask, subject, about: state, .perform(request.action, request.target, arguments: request.arguments))
        }
    }

    func expand(_ request: Request.Expand, id: RequestID, length: Int) {
        let subject = HandlerMachine.Subject.expand(request.item)
        guard let ask = ask(.expand(request.item), of: request.list, request.timeout, id: id, length: length)
        else { return }
        // Without a handler, a caller that cannot read the list must not learn which items exist.
        let isChecked = hub.handlers.isHandled(request.list, subject) || mayRead(request.list)
        checkTarget(isChecked ? HandlerRequestTarget(items: [request.item]) : nil, for: ask) { state in
            let hasChildren = (state.snapshot.numberOfChildren(of: request.item) ?? 0) > 0
            guard isChecked, !hasChildren, self.hub.handlers.isHandled(request.list, subject) else {
                return ask.send(.expand(self.expanded(request.item, state)), after: Outbox.Barrier(state))
            }
            self.ask(ask, subject, about: state, .expand(request.item))
        }
    }

    /// Asks the list's handler for approval, even if this connection is the handler.
    func propose(_ request: Request.Propose, id: RequestID, length: Int) {
        let transaction = request.transaction
        let length = transaction.operations.lengthInMemory(line: length)
        guard let ask = ask(.propose(request), of: transaction.list, request.timeout, id: id, length: length)
        else { return }
        let proposal = Proposal(transaction, origin: origin, peer: peer)
        let complete = onLoop { (result: Result<Outcome, StoreError>) in
            if case .success(let outcome) = result { ask.note(outcome.evaluation) }
            switch result {
            // Without a handler, the error would reveal which items exist.
            case .failure
            where transaction.mode == .commit && self.mayOnlyPropose(transaction.list)
                && !self.hub.handlers.isHandled(transaction.list, .propose):
                ask.refuse(.noHandler(transaction.list, .propose))
            case .failure(let error): ask.refuse(WireError(error))
            case .success(let outcome) where outcome.isRepeated || transaction.mode == .dryRun:
                ask.send(outcome, transaction.mode)
            // Nothing would change, so no approval is needed. Exceptions: a request key has to be remembered, and a
            // caller without read permission would learn something about the contents.
            case .success(let outcome)
            where !outcome.isChanged && !outcome.isWriteOnly && transaction.requestKey == nil:
                ask.send(outcome, .commit)
            case .success(let outcome): self.ask(ask, about: outcome, transaction)
            }
        }
        hub.store.assumeIsolated {
            switch transaction.mode {
            case .commit: $0.evaluate(proposal, completion: complete)
            case .dryRun: $0.dryRun(proposal, completion: complete)
            }
        }
    }

    /// Asks the handler. If it has disconnected, carries out a `transact` instead, if the caller may change the list.
    private func ask(_ ask: ForwardedRequest, about outcome: Outcome, _ transaction: Request.Transact) {
        guard context != nil else { return ask.abandon() }
        guard hub.handlers.isHandled(transaction.list, .propose) else {
            if mayOnlyPropose(transaction.list) { return ask.refuse(.noHandler(transaction.list, .propose)) }
            transact(transaction, onLoop { ask.send($0) })
            return
        }
        // The handler gets the requested operations and not the diff, which may describe the move of a row past its
        // neighbour as a move of the neighbour.
        self.ask(ask, .propose, about: outcome.before, .propose(transaction.operations, outcome.summary))
    }

    // MARK: Forwarded requests

    /// Creates a forwarded request. Answers with an error if the client has too many pending requests or its user holds too much
    /// memory.
    private func ask(
        _ kind: ForwardedRequest.Kind, of list: ListName, _ timeout: Int?, id: RequestID, length: Int
    ) -> ForwardedRequest? {
        let limits = hub.limits
        if session.unordered.awaitedCount >= limits.requestsPerAskerMax {
            answer(id, .failure(.tooManyAsked(list: list, max: limits.requestsPerAskerMax)))
            return nil
        }
        if length > quota.roomForRequests {
            let error = WireError.tooMuchHeld(
                list: list, length: length, smaller: "split it into several requests", max: limits.heldLengthMax)
            answer(id, .failure(error))
            return nil
        }
        let end = NIODeadline.now() + .milliseconds(Int64(timeout ?? Request.timeoutUsual))
        return ForwardedRequest(
            kind, of: list, id: id, length: length, deadline: DeadlineTimers<ForwardedRequest>.time(end), by: self)
    }

    private func checkTarget(
        _ place: HandlerRequestTarget?, for ask: ForwardedRequest, _ body: @escaping (ListState) -> Void
    ) {
        let complete = onLoop { [unowned self] (result: Result<ListState, StoreError>) in
            guard context != nil else { return ask.abandon() }
            switch result {
            case .success(let state): body(state)
            case .failure(let error): ask.refuse(WireError(error))
            }
        }
        let (list, peer) = (ask.list, peer)
        hub.store.assumeIsolated { $0.checkHandlerRequest(list, about: place, by: peer, completion: complete) }
    }

    private func ask(
        _ ask: ForwardedRequest, _ subject: HandlerMachine.Subject, about state: ListState,
        _ content: HandlerRequest.Content
    ) {
        do throws(HandlerMachine.AskError) {
            try hub.handlers.ask(ask, subject, about: state, content)
        } catch {
            switch error {
            case .noHandler: ask.refuse(.noHandler(ask.list, subject))
            case .tooManyForHandler(let max): ask.refuse(.tooManyForHandler(list: ask.list, max: max))
            }
        }
    }

    /// Wraps a callback of the store. The store calls back on the event loop, which this code runs on too.
    func onLoop<Value>(_ body: @escaping (Value) -> Void) -> @Sendable (Value) -> Void {
        let body = NIOLoopBound(body, eventLoop: hub.eventLoop)
        return { body.value($0) }
    }

    private func expanded(_ item: ItemID, _ state: ListState) -> Reply.Expand {
        Reply.Expand(list: state.name, item: item, revision: mayRead(state.name) ? state.revision : nil)
    }

    func mayRead(_ list: ListName) -> Bool {
        let peer = peer
        return hub.store.assumeIsolated { $0.mayRead(list, peer) }
    }

    /// Whether the client can propose a change, and not make it: it has only the right to ask, or gave up `transact`.
    func mayOnlyPropose(_ list: ListName) -> Bool {
        let (peer, mayTransact) = (peer, isAllowed(.transact))
        return hub.store.assumeIsolated { store in
            store.mayOnlyAsk(list, peer) || !mayTransact && store.rights(of: peer, on: list).contains(.ask)
        }
    }

    var identity: ClientIdentity {
        ClientIdentity(name: name, processID: credentials?.processID, userID: (credentials?.userID).map(Int.init))
    }
}

extension ForwardedRequest {
    func send(_ result: Result<Outcome, StoreError>) {
        switch result {
        case .success(let outcome): send(outcome, .commit)
        case .failure(let error): refuse(WireError(error))
        }
    }

    func send(_ outcome: Outcome, _ mode: TransactionMode) {
        let barrier = Outbox.Barrier(list: outcome.list, epoch: outcome.epoch, revision: outcome.revision)
        send(.change(Reply.Change(outcome, mode, summary: nil)), after: barrier)
    }
}

extension Proposal {
    init(_ transaction: Request.Transact, lease: Lease? = nil, origin: Origin, peer: Peer) {
        self.init(
            list: transaction.list, operations: transaction.operations, ifRevision: transaction.ifRevision,
            requestKey: transaction.requestKey, lease: lease, origin: origin, peer: peer)
    }
}

extension Outbox.Barrier {
    init(_ state: ListState) { self.init(list: state.name, epoch: state.epoch, revision: state.revision) }
}
