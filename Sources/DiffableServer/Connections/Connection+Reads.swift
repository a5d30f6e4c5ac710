import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

extension Connection {
    /// Carries out a request whose turn has come: everything before it is answered.
    func carryOut(_ request: Request, id: RequestID) {
        switch request {
        case .status: reply(id, .success(.status(hub.status)))
        case .lists:
            let lists = hub.store.assumeIsolated { $0.lists }
            reply(id, .success(.lists(lists.map(Reply.ListSummary.init))))
        case .snapshot(let snapshot): carryOut(snapshot, id)
        case .subscribe(let subscribe): carryOut(subscribe, id)
        case .history(let list, let limit): carryOut(historyOf: list, limit, id)
        case .difference(let list, let from, let to): carryOut(differenceOf: list, from, to, id)
        case .setView: reply(id, .failure(Self.noViews))
        case .unsubscribe(let number):
            guard let position = subscriptions.firstIndex(where: { $0.number == number }) else {
                let error = WireError(
                    .noSuchSubscription,
                    "this connection has no subscription \(number); the replies to `subscribe` say their numbers")
                return reply(id, .failure(error))
            }
            subscriptions.remove(at: position).end()
            reply(id, .success(.unsubscribe(subscription: number)))
        case .hello, .ping, .help, .createList, .deleteList, .transact, .apply, .undo:
            preconditionFailure("\(request.method) does not wait for its turn")
        }
    }

    private static let noViews = WireError(.invalidParams, "this daemon shows whole lists only; leave `view` out")

    private func carryOut(_ request: Request.Snapshot, _ id: RequestID) {
        guard request.view.isEverything else { return reply(id, .failure(Self.noViews)) }
        do throws(StoreError) {
            let state = try state(of: request.list, at: request.revision)
            // Without an id there is nobody to read it.
            if id == .absent { return }
            snapshotReply = SnapshotReplyWriter(
                id: id, list: state.name, epoch: state.epoch, revision: state.revision, snapshot: state.snapshot)
        } catch {
            reply(id, .failure(WireError(error)))
        }
    }

    private func carryOut(_ request: Request.Subscribe, _ id: RequestID) {
        guard request.view.isEverything else { return reply(id, .failure(Self.noViews)) }
        guard let audience = hub.audience(of: request.list) else { return refuse(request.list, id) }
        let start = start(of: request, audience.state)
        subscriptionsMade += 1
        let subscription = Subscription(
            number: subscriptionsMade, to: audience, from: start, duration: request.duration, of: self)
        audience.add(subscription)
        subscriptions.append(subscription)
        var isResumed: Bool?
        if request.since != nil { if case .state = start { isResumed = true } else { isResumed = false } }
        reply(
            id,
            .success(
                .subscribe(
                    .init(
                        subscription: subscription.number, list: request.list,
                        start: Reply.ListRevision(audience.state), isResumed: isResumed))))
    }

    /// Where a subscription begins: at the state that the client has, if that is known to be one of this list.
    private func start(of request: Request.Subscribe, _ current: ListState) -> Subscription.Start {
        guard let since = request.since else { return .nothing(.initial) }
        guard since.epoch == current.epoch else { return .nothing(.epoch) }
        // What this daemon has not made yet was lost by it.
        guard since.revision <= current.revision else { return .nothing(.epoch) }
        guard since.revision >= current.lastReloadRevision else { return .nothing(.reload) }
        let state = hub.store.assumeIsolated { $0.list(request.list, at: since.revision) }
        return state.map { .state($0) } ?? .nothing(.history)
    }

    private func carryOut(historyOf list: ListName, _ limit: Int?, _ id: RequestID) {
        guard let state = hub.store.assumeIsolated({ $0.list(list) }),
            let revisions = hub.store.assumeIsolated({ $0.history(of: list) })
        else { return refuse(list, id) }
        let history = Reply.History(
            start: Reply.ListRevision(state), oldest: state.revision - revisions.count,
            revisions: revisions.prefix(limit ?? .max).map(Reply.History.Revision.init))
        reply(id, .success(.history(history)))
    }

    private func carryOut(differenceOf list: ListName, _ from: Int, _ to: Int, _ id: RequestID) {
        do throws(StoreError) {
            let old = try state(of: list, at: from)
            let new = try state(of: list, at: to)
            let difference = Reply.Difference(
                list: list, epoch: new.epoch, from: from, to: to,
                operations: new.snapshot.difference(from: old.snapshot))
            reply(id, .success(.difference(difference)))
        } catch {
            reply(id, .failure(WireError(error)))
        }
    }

    /// The committed state, or an earlier one that is kept.
    private func state(of list: ListName, at revision: Int?) throws(StoreError) -> ListState {
        let state = hub.store.assumeIsolated { store in
            Result { () throws(StoreError) in try store.state(of: list, at: revision) }
        }
        return try state.get()
    }

    private func refuse(_ list: ListName, _ id: RequestID) {
        reply(id, .failure(WireError(StoreError.noSuchList(list))))
    }

    /// Answers a request whose turn has come.
    private func reply(_ id: RequestID, _ result: Result<Reply, WireError>) {
        var line = ByteWriter()
        Self.write(id, result, into: &line)
        line.withUnsafeBytes(send)
    }
}
