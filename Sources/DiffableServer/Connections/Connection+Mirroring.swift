import Diffable
import DiffableProtocol
import DiffableStore

// Requests of clients that mirror a list of another daemon.

extension Connection {
    func mirror(_ request: Request.Mirror, id: RequestID) {
        let list = request.list
        let peer = peer
        let mayGovern = hub.store.assumeIsolated { $0.mayGovern(list, peer) }
        // Only a client that may govern the list learns that it is mirrored by another connection.
        if mayGovern, request.existing == .isError, hub.mirrors.isMirrored(list, besides: self) {
            return answer(id, .failure(.mirrorExists(list)))
        }
        switch request.source {
        case .unchanged:
            guard peer.mirrored.contains(list) else { return answer(id, .failure(.notMirrored(list))) }
            let state = hub.store.assumeIsolated { $0.list(list) }
            guard let state else { return answer(id, .failure(WireError(StoreError.noSuchList(list)))) }
            hub.setLiveness(request.isLive, of: list)
            answer(id, .success(.createList(Reply.ListRevision(state))))
        case .of(let source):
            // At once, because the next line may contain changes.
            if mayGovern {
                hub.mirrors.take(list, by: self)
                hub.noteCapabilities(on: list)
            }
            setSource(of: list, source, isLive: request.isLive, id: id)
        case .none: setSource(of: list, nil, isLive: false, id: id)
        }
    }

    /// Sets the source of a list, if the client may govern it.
    private func setSource(of list: ListName, _ source: MirrorSource?, isLive: Bool, id: RequestID) {
        let peer = peer
        let pending = PendingAnswer(id, on: self)
        let complete = onLoop { [self] (result: Result<AccessOutcome, StoreError>) in
            switch result {
            case .success(let outcome):
                // The liveness is not set if another connection has replaced this one, or if this one has ended.
                if source == nil {
                    hub.endMirror(list)
                } else if self.peer.mirrored.contains(list) {
                    hub.setLiveness(isLive, of: list)
                }
                pending.send(.createList(Reply.ListRevision(outcome.state)))
            case .failure(let error): pending.refuse(WireError(error))
            }
        }
        hub.store.assumeIsolated { $0.setSource(of: list, source, by: peer, completion: complete) }
    }
}

extension WireError {
    fileprivate static func mirrorExists(_ list: ListName) -> WireError {
        WireError(
            .mirrorExists,
            "the list \"\(list)\" is mirrored by another connection; end that one, or take its place by sending `mirror` with "
                + "`\"replace\":true`",
            list: list)
    }

    fileprivate static func notMirrored(_ list: ListName) -> WireError {
        WireError(
            .invalidParams,
            "this connection does not mirror the list \"\(list)\": first send `mirror` with `of`, the name of its source",
            list: list)
    }
}
