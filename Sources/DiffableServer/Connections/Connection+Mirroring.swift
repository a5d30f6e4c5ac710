import Diffable
import DiffableProtocol
import DiffableStore

// What those ask for who mirror a list of somewhere else.

extension Connection {
    func mirror(_ request: Request.Mirror, id: RequestID) {
        let list = request.list
        let peer = peer
        let mayGovern = hub.store.assumeIsolated { $0.mayGovern(list, peer) }
        // Who may not is not told who mirrors it.
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
            // At once, since changes may stand in the next line.
            if mayGovern {
                hub.mirrors.take(list, by: self)
                hub.noteAbilities(on: list)
            }
            setSource(of: list, source, isLive: request.isLive, id: id)
        case .none: setSource(of: list, nil, isLive: false, id: id)
        }
    }

    /// Who may not say so hears that; nothing is changed then.
    private func setSource(of list: ListName, _ source: MirrorSource?, isLive: Bool, id: RequestID) {
        let peer = peer
        let pending = PendingAnswer(id, on: self)
        let complete = onLoop { [self] (result: Result<AccessOutcome, StoreError>) in
            switch result {
            case .success(let outcome):
                // Unless another connection has taken its place, or this one has ended.
                if source == nil {
                    hub.endMirror(list)
                } else if self.peer.mirrored.contains(list) {
                    hub.setLiveness(isLive, of: list)
                }
                pending.give(.createList(Reply.ListRevision(outcome.state)))
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
