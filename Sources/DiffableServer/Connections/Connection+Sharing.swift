import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import Logging
import NIOCore

// Requests of the connector, diffabled-etcd, which transfers changes of shared lists to and from etcd.

extension Connection {
    func attach(_ request: Request.Attach, id: RequestID) {
        if let other = hub.connector.connection, other !== self, request.existing == .isError {
            return answer(
                id,
                .failure(
                    WireError(
                        .attachExists,
                        "another connection is attached as the shared-list connector (diffabled-etcd); stop that process, or send "
                            + "`attach` with `\"replace\":true` to take its place")))
        }
        hub.logger.notice(
            "the shared-list connector (diffabled-etcd) was attached",
            metadata: who.merging(["host": "\(request.host)"]) { $1 })
        let connection = NIOLoopBound(self, eventLoop: hub.eventLoop)
        let states = hub.connector.attach(self, host: request.host) { call in
            connection.value.notify(ConnectorNotification(call))
        }
        // Not now: the framer is in use while the requests of one read are carried out.
        hub.eventLoop.execute { connection.value.applyLimits() }
        answer(id, .success(.attach(states.map(SharedReplica.init))))
    }

    func ensureAttached(_ id: RequestID) -> Bool {
        if hub.connector.connection === self { return true }
        answer(
            id,
            .failure(
                WireError(
                    .notAttached,
                    "only the shared-list connector (diffabled-etcd) can send this request; send `attach` first"))
        )
        return false
    }

    func replicate(_ request: Request.Replicate, id: RequestID) {
        var told = Replication(list: request.list, epoch: request.epoch)
        told.batches = request.batches
        told.isLive = request.isLive
        told.isGone = request.isGone
        told.isLeft = request.isLeft
        told.beginning = request.access.map { SharedBeginning($0) }
        if let state = request.state {
            var end: SharedPosition?
            if let told = state.end {
                guard let chain = SharedChain(told.chain) else {
                    let message =
                        "chain of the method \"replicate\" must be 16 hexadecimal digits, not \(told.chain.quoted); nothing was "
                        + "applied to the list \"\(request.list)\""
                    return answer(id, .failure(WireError(.invalidParams, message, list: request.list)))
                }
                end = SharedPosition(batch: told.batch, chain: chain)
            }
            told.part = Replication.Part(text: state.text, end: end)
        }
        let pending = PendingAnswer(id, on: self)
        let complete = onLoop { (result: Result<ReplicaReport, StoreError>) in
            switch result {
            case .success(let report): pending.send(.replicate(SharedReplica(report.state), fits: report.fits))
            case .failure(let error): pending.refuse(WireError(error))
            }
        }
        hub.store.assumeIsolated { $0.replicate(told, completion: complete) }
    }

    func hosts(_ request: Request.Hosts, id: RequestID) {
        hub.store.assumeIsolated { $0.setHosts(request.hosts.map(\.description)) }
        answer(id, .success(.hosts(request.hosts.count)))
    }

    func settle(_ request: Request.Settle, id: RequestID) {
        hub.store.assumeIsolated {
            $0.settle(request.call, SharingOutcome(request.outcome), isFull: request.outcome == .full)
        }
        answer(id, .success(.settle(call: request.call)))
    }

    func checkpoint(of list: ListName, id: RequestID) {
        let found = hub.store.assumeIsolated { store in
            Result { () throws(StoreError) in try store.sharedCheckpoint(of: list) }
        }
        switch found {
        case .success(let checkpoint):
            answer(
                id,
                .success(
                    .checkpoint(Reply.Checkpoint(replica: SharedReplica(checkpoint.state), parts: checkpoint.parts))))
        case .failure(let error): answer(id, .failure(WireError(error)))
        }
    }

    func notify(_ notification: ConnectorNotification) {
        guard session.isOpen else { return }
        session.outbox.appendUnordered { notification.write(into: &$0) }
        markDue()
    }
}

// MARK: - The store's values in the words of the wire

extension SharedReplica {
    init(_ state: SharedState) {
        self.init(
            list: state.list, epoch: state.epoch, revision: state.revision, batch: state.position.batch,
            chain: "\(state.position.chain)")
    }
}

extension ConnectorNotification {
    init(_ call: EtcdCall) {
        switch call {
        case .append(let call, let state, let next, let revision, let text, let absent):
            let after = SharedReplica(state)
            var replica = after
            (replica.batch, replica.chain, replica.revision) = (next.batch, "\(next.chain)", revision)
            self = .append(call: call, after: after, next: replica, text: text, absent: absent)
        case .confirm(let call, let state): self = .confirm(call: call, SharedReplica(state))
        case .share(let call, let list, let epoch, let beginning):
            self = .share(call: call, list, epoch: epoch, access: beginning.text)
        case .remove(let call, let list, let epoch, let absent):
            self = .remove(call: call, list, epoch: epoch, absent: absent.map { [$0] } ?? [])
        case .behind(let state): self = .behind(SharedReplica(state))
        }
    }
}

extension SharingOutcome {
    init(_ outcome: Request.CallOutcome) {
        switch outcome {
        case .done: self = .done
        case .lost: self = .lost
        case .unreachable, .full: self = .unreachable
        case .unknown: self = .unknown
        case .refused: self = .refused
        }
    }
}
