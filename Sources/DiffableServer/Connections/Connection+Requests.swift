import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import NIOCore

extension Connection {
    /// Takes a line of the client.
    func receive(_ line: LineFramer.Line) {
        if case .skipped(let line) = line {
            if let error = skippedLineError { fail(error, line) }
            return skippedLineError = nil
        }
        cancelSilenceTimeout()
        quota.noteRequest()
        traffic.requests += 1
        method = nil
        switch line {
        case .tooLong(let line): refuseLine(.lineTooLong(max: hub.limits.lineLengthMax), line)
        case .line(let bytes):
            if bytes.count > hub.options.turn.lineLengthMax { return decodeInBackground(bytes) }
            receive(DecodedRequest(line: bytes, limits: hub.options.limits.decoding), length: bytes.count)
        case .skipped: break
        }
    }

    func receive(_ decoded: DecodedRequest, length: Int) {
        switch decoded.request {
        case .success(let request):
            receive(request, id: decoded.id, length: length)
            hub.noteChanges(of: quota, length: length)
        case .failure(let error):
            if let line = decoded.refusedLine { fail(error, line) }
            answer(decoded.id, .failure(error))
        }
    }

    /// Answers a line that is not read to its end.
    /// - Parameter line: nil if the line has no end yet.
    func refuseLine(_ error: WireError, _ line: RefusedLine?) {
        if let line { fail(error, line) } else { skippedLineError = error }
        answer(.null, .failure(error))
    }

    /// Notes a refused line. If it may have been a part, the whole request in parts is refused.
    private func fail(_ error: WireError, _ line: RefusedLine) {
        staging.fail(error, line)
        guard line.namesRestore || line.part == nil else { return }
        if line.part == .last { return restoration = nil }
        if restoration == nil, line.namesRestore, line.mayBeMore { restoration = Restoration(limits: SnapshotLimits()) }
        restoration?.fail(error)
    }

    /// Dispatches every request: some are answered at once, some are passed to the store, and some wait for their turn.
    func receive(_ request: Request, id: RequestID, length: Int) {
        method = request.method
        guard isAllowed(request.method) else { return answer(id, .failure(.givenUp(request.method))) }
        if let refusal = hub.refusal, request.method.needsLists { return answer(id, .failure(refusal)) }
        switch request {
        case .ping: answer(id, .success(.ping))
        case .help: answer(id, .success(.help))
        case .hello(let hello): answer(id, greet(hello))
        case .restrict(let request): restrict(request, id: id)
        case .reload: reload(id: id)
        case .restore(let restore): self.restore(restore, id: id)
        case .createList(let creation): create(creation, id: id)
        case .deleteList(let deletion): delete(deletion, id: id)
        case .undeleteList(let request): undelete(request, id: id)
        case .renameList(let request): rename(request, id: id)
        // The changes before it have to be visible when the mirror becomes live.
        case .mirror(let mirror) where mirror.source == .unchanged: enqueueRead(request, id)
        case .mirror(let request): mirror(request, id: id)
        case .transact, .apply, .propose:
            if request.part == .whole { return change(request, id: id, length: length) }
            switch staging.take(request, length: length, roomForParts) {
            case .staged(let list): answer(id, .success(.staged(list)))
            case .refuse(let error): answer(id, .failure(error))
            case .carryOut(let request): change(request, id: id, length: length)
            }
        case .undo(let undo): self.undo(undo, id: id)
        case .perform(let perform): self.perform(perform, id: id, length: length)
        case .expand(let expand): self.expand(expand, id: id, length: length)
        case .setAccess(let request): setAccess(request, id: id)
        case .setSchemas(let request): setSchemas(request, id: id)
        // Callers wait for an answer, so it does not end reading if its turn is now.
        case .answer(let request) where session.hasAnsweredAll && !quota.isOverfull: self.answer(request, id)
        case .backup: if ensureAdministrator(.backup, id: id) { enqueueRead(request, id) }
        case .attach(let request): if ensureAdministrator(.attach, id: id) { attach(request, id: id) }
        case .replicate(let request): if ensureAttached(id) { replicate(request, id: id) }
        case .hosts(let request): if ensureAttached(id) { hosts(request, id: id) }
        case .settle(let request): if ensureAttached(id) { settle(request, id: id) }
        case .checkpoint(let request): if ensureAttached(id) { checkpoint(of: request.list, id: id) }
        case .status, .clients, .lists, .followLists, .snapshot, .subscribe, .setView, .unsubscribe, .history,
            .difference,
            .schemas, .handle, .unhandle, .answer:
            enqueueRead(request, id)
        }
    }

    // MARK: Answers

    func answer(_ id: RequestID, _ result: Result<Reply, WireError>) {
        if case .failure(let error) = result { noteRefusal(error, of: method) }
        session.outbox.append { Self.write(id, result, into: &$0) }
    }

    static func write(_ id: RequestID, _ result: Result<Reply, WireError>, into writer: inout ByteWriter) {
        switch result {
        case .success(let reply): reply.write(id: id, into: &writer)
        case .failure(let error): error.write(id: id, into: &writer)
        }
    }

    private func greet(_ hello: Request.Hello) -> Result<Reply, WireError> {
        let limits = hub.limits
        if let wanted = hello.lineLengthMax {
            guard wanted >= limits.lineOutLengthMax, wanted <= limits.lineOutLengthCeiling else {
                return .failure(
                    WireError(
                        .invalidParams,
                        "maxLine of the method \"hello\" must be an integer number of bytes from \(limits.lineOutLengthMax) to "
                            + "\(limits.lineOutLengthCeiling), not \(wanted)"))
            }
            lineLengthMax = wanted
        }
        if let name = hello.name { self.name = name }
        return .success(
            .hello(
                Reply.Hello(
                    version: hub.options.version, epoch: hub.epoch,
                    limits: limits.toldToClients, capabilities: Self.capabilities,
                    methods: callableMethods.map(\.rawValue))))
    }

    private static let capabilities = [
        "applyOperations", "bookmark", "deliver", "handlers", "lease", "minInterval", "once", "parts", "redo",
        "requestKey", "shorthand", "volatile", "wait",
    ]

    // MARK: Mutations

    private func create(_ creation: Request.CreateList, id: RequestID) {
        let complete = completion(id, of: creation.list) { (state: ListState) in
            (.createList(Reply.ListRevision(state)), state.revision)
        }
        let (lease, peer) = (lease(creation.lease), peer)
        if creation.isShared {
            return hub.store.assumeIsolated {
                $0.createSharedList(
                    creation.list, existing: creation.ifPresent, lease: lease, mode: creation.mode, by: peer,
                    completion: complete)
            }
        }
        hub.store.assumeIsolated {
            $0.createList(
                creation.list, durability: creation.durability, existing: creation.ifPresent, lease: lease,
                mode: creation.mode, by: peer, completion: complete)
        }
    }

    private func delete(_ deletion: Request.DeleteList, id: RequestID) {
        let list = deletion.list
        // The reply waits until its subscriptions have nothing left to send.
        let complete = completion(id, of: list) { (_: ListState) in (.deleteList(list), .max) }
        let (origin, peer) = (origin, peer)
        hub.store.assumeIsolated {
            $0.deleteList(
                list, ifRevision: deletion.ifRevision, keeping: deletion.keeping, origin: origin, by: peer,
                completion: complete)
        }
    }

    private func undelete(_ request: Request.UndeleteList, id: RequestID) {
        let newName = request.newName ?? request.list
        let pending = PendingAnswer(id, on: self)
        let complete = completion(pending, of: newName) { (state: ListState) in
            (.createList(Reply.ListRevision(state)), state.revision)
        }
        let peer = peer
        let progress = hub.store.assumeIsolated {
            $0.undeleteList(request.list, epoch: request.epoch, as: newName, by: peer, completion: complete)
        }
        pauseReading(for: pending, progress)
    }

    private func rename(_ request: Request.RenameList, id: RequestID) {
        let complete = completion(id, of: request.newName, formerName: request.list) { (state: ListState) in
            (.createList(Reply.ListRevision(state)), state.revision)
        }
        let peer = peer
        hub.store.assumeIsolated {
            $0.renameList(
                request.list, to: request.newName, ifRevision: request.ifRevision, by: peer, completion: complete)
        }
    }

    private func setAccess(_ request: Request.SetAccess, id: RequestID) {
        // Subscriptions that lose their right have been notified before.
        let complete = completion(id, of: request.list) { (outcome: AccessOutcome) in
            (.setAccess(Reply.ListAccess(list: request.list, outcome.access)), outcome.state.revision)
        }
        let (change, peer) = (AccessRecord(request), peer)
        hub.store.assumeIsolated { $0.setAccess(of: request.list, change, by: peer, completion: complete) }
    }

    private func setSchemas(_ request: Request.SetSchemas, id: RequestID) {
        let pending = PendingAnswer(id, on: self)
        let complete = completion(pending, of: request.list) { (state: ListState) in
            (.createList(Reply.ListRevision(state)), state.revision)
        }
        let (origin, peer) = (origin, peer)
        let progress = hub.store.assumeIsolated {
            $0.setSchemas(
                of: request.list, request.schemas, existing: request.existing, origin: origin, by: peer,
                completion: complete)
        }
        pauseReading(for: pending, progress)
    }

    private func change(_ request: Request, id: RequestID, length: Int) {
        switch request {
        case .transact(let request):
            let pending = PendingAnswer(id, on: self)
            pauseReading(
                for: pending, transact(request, completion(pending, request.mode, isSummarized: false)),
                length: request.operations.lengthInMemory(line: length))
        case .propose(let propose):
            let transaction = propose.transaction
            if peer.isInScope(transaction.list), hub.handlers.isHandled(transaction.list, .propose) {
                return self.propose(propose, id: id, length: length)
            }
            guard mayOnlyPropose(transaction.list) else {
                let pending = PendingAnswer(id, on: self)
                return pauseReading(
                    for: pending, transact(transaction, completion(pending, transaction.mode, isSummarized: false)),
                    length: transaction.operations.lengthInMemory(line: length))
            }
            // An approval under the same request key is repeated, whichever handler is registered now.
            if transaction.requestKey != nil { return self.propose(propose, id: id, length: length) }
            answer(id, .failure(.noHandler(transaction.list, .propose)))
        case .apply(let apply):
            let (mode, origin, lease, peer) = (apply.mode, origin, lease(apply.lease), peer)
            let pending = PendingAnswer(id, on: self)
            let complete = completion(pending, mode, isSummarized: true)
            let progress = hub.store.assumeIsolated {
                $0.apply(
                    apply.list, apply.contents, delivery: apply.delivery,
                    ifRevision: apply.ifRevision, requestKey: apply.requestKey, lease: lease, mode: mode,
                    origin: origin, by: peer, completion: complete)
            }
            pauseReading(for: pending, progress, length: apply.contents.lengthInMemory(line: length))
        default: preconditionFailure("\(request.method) is no change")
        }
    }

    @discardableResult
    func transact(_ request: Request.Transact, _ complete: @escaping Store.Completion<Outcome>) -> RequestProgress {
        let (origin, lease, peer) = (origin, lease(request.lease), peer)
        return hub.store.assumeIsolated {
            $0.transact(
                request.list, request.operations, ifRevision: request.ifRevision, requestKey: request.requestKey,
                lease: lease, mode: request.mode, origin: origin, by: peer, completion: complete)
        }
    }

    private func undo(_ undo: Request.Undo, id: RequestID) {
        let (mode, origin, peer) = (undo.mode, origin, peer)
        let pending = PendingAnswer(id, on: self)
        let complete = completion(pending, mode, isSummarized: true)
        let progress = hub.store.assumeIsolated {
            $0.undo(
                undo.list, undo.target, ifRevision: undo.ifRevision, requestKey: undo.requestKey, mode: mode,
                origin: origin, by: peer, completion: complete)
        }
        pauseReading(for: pending, progress)
    }

    /// Returns the connection's lease, which begins with the first request that needs it.
    func lease(_ wanted: LeaseTerm?) -> Lease? {
        guard wanted != nil else { return nil }
        if lease == nil { lease = hub.store.assumeIsolated { $0.makeLease() } }
        return lease
    }

    /// Deletes the leased items and lists.
    func endLease() {
        guard let lease else { return }
        self.lease = nil
        var origin = origin
        origin.name = name.map { "lease ended: \($0)" } ?? "lease ended"
        // Long work that follows is counted for this user.
        hub.served.serve(quota.turn) { hub.store.assumeIsolated { $0.end(lease, origin: origin) } }
    }

    /// The caller's identity, for the history.
    var origin: Origin {
        Origin(name: name, processID: credentials?.processID, userID: (credentials?.userID).map(Int.init))
    }

    /// Returns the callback of the store for a change. The reply waits until this client's subscriptions to the list
    /// have been sent the revision.
    private func completion(
        _ answer: PendingAnswer, _ mode: TransactionMode, isSummarized: Bool
    ) -> Store.Completion<Outcome> {
        { result in
            switch result {
            case .success(let outcome):
                let change = Reply.Change(outcome, mode, summary: isSummarized ? outcome.summary : nil)
                answer.send(
                    .change(change), size: change.operations?.size(max: .max) ?? 0,
                    after: Outbox.Barrier(list: outcome.list, epoch: outcome.epoch, revision: outcome.revision))
            case .failure(let error): answer.refuse(WireError(error))
            }
        }
    }

    /// Returns the callback of the store for other requests about lists.
    private func completion<Value: HasEpoch & Sendable>(
        _ id: RequestID, of list: ListName, formerName: ListName? = nil,
        _ reply: @escaping @Sendable (Value) -> (Reply, revision: Int)
    ) -> Store.Completion<Value> {
        completion(PendingAnswer(id, on: self), of: list, formerName: formerName, reply)
    }

    private func completion<Value: HasEpoch & Sendable>(
        _ answer: PendingAnswer, of list: ListName, formerName: ListName? = nil,
        _ reply: @escaping @Sendable (Value) -> (Reply, revision: Int)
    ) -> Store.Completion<Value> {
        { result in
            switch result {
            case .success(let value):
                let (reply, revision) = reply(value)
                answer.send(
                    reply,
                    after: Outbox.Barrier(
                        list: list, epoch: value.epoch, revision: revision, formerName: formerName))
            case .failure(let error): answer.refuse(WireError(error))
            }
        }
    }
}

/// A result of the store about one incarnation of a list.
private protocol HasEpoch {
    var epoch: String { get }
}

extension ListState: HasEpoch {}
extension AccessOutcome: HasEpoch {}
