import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import NIOCore

extension Connection {
    /// Carries out a request whose turn has come: all earlier requests are answered.
    func carryOut(_ request: Request, id: RequestID) {
        method = request.method
        if let error = freshnessWait?.refusal {
            // A subscription that awaits its list waits for it even if it requires a newer state.
            guard case .noSuchList = error, case .subscribe(let subscribe) = request, subscribe.ifAbsent == .isAwaited
            else { return reply(id, .failure(WireError(error))) }
        }
        switch request {
        case .status: reply(id, .success(.status(hub.status(for: self))))
        case .clients(let request):
            reply(id, .success(.clients(hub.clients(seenBy: self, namingActions: request.namesActions))))
        case .lists(let request) where request.kind == .deleted:
            let peer = peer
            let lists = hub.store.assumeIsolated { $0.deletedLists(for: peer) }
            reply(id, .success(.deletedLists(lists.map(Reply.DeletedList.init))))
        case .lists(let request):
            let peer = peer
            let lists = hub.store.assumeIsolated { $0.lists(for: peer) }.map { list in
                summary(list.state, list.access, namingActions: request.kind == .existingWithActions)
            }
            reply(id, .success(.lists(lists)))
        case .followLists(let follow): carryOut(follow, id)
        case .snapshot(let snapshot): carryOut(snapshot, id)
        case .backup: backUp(id)
        case .subscribe(let subscribe): carryOut(subscribe, id)
        case .history(let history): carryOut(history, id)
        case .difference(let difference): carryOut(difference, id)
        case .schemas(let schemas): carryOut(schemas, id)
        case .setView(let change):
            let ids = newerViews.replaced + [id]
            guard let position = position(of: change.subscription, ids) else { return }
            let subscription = subscriptions[position]
            let growth = subscription.growth(with: change.view)
            guard growth <= 0 || growth <= quota.roomForRegistrations, preparation?.isRefused != true else {
                return refuseRegistration(of: subscription.list, ids)
            }
            subscription.show(change.view)
            reply(ids, .success(.setView(subscription: change.subscription)))
        case .unsubscribe(let end) where endListsSubscription(end.subscription):
            reply(id, .success(.unsubscribe(subscription: end.subscription)))
        case .unsubscribe(let end):
            guard let position = position(of: end.subscription, [id]) else { return }
            subscriptions.remove(at: position).end()
            reply(id, .success(.unsubscribe(subscription: end.subscription)))
        case .handle(let handle): self.handle(handle, id)
        case .unhandle(let unhandle): self.unhandle(unhandle, id)
        case .answer(let answer): self.answer(answer, id)
        case .mirror(let mirror): self.mirror(mirror, id: id)
        case .hello, .restrict, .ping, .help, .reload, .createList, .deleteList, .undeleteList, .renameList, .transact,
            .apply,
            .undo, .setAccess, .setSchemas, .restore, .perform, .propose, .expand, .attach, .hosts, .replicate, .settle,
            .checkpoint:
            preconditionFailure("\(request.method) does not wait for its turn")
        }
    }

    /// Whether everything is computed that the request whose turn has come needs. Otherwise, the connection becomes due
    /// when it is.
    func prepare(_ request: Request, _ id: RequestID) -> Bool {
        guard isFresh(request) else { return false }
        if freshnessWait?.refusal != nil { return true }
        guard prepareHistory(for: request) else { return false }
        if case .difference(let difference) = request { return prepareDifference(difference, id) }
        if let preparation {
            guard preparation.isReady else { return false }
            let isOfSnapshot = preparation.list == nil
            if preparation.list?.isDeleted != true, !(isOfSnapshot && preparation.isRefused) { return true }
            // By now there may be another list with that name, or free memory.
            endViewPreparation()
        }
        preparation = preparation(for: request, id)
        if preparation?.isReady == false {
            preparation?.whenReady = { [unowned self] in
                // Counts before the background begins the next work of this user.
                if preparation?.found != nil { reportKeptMemory() }
                markDue()
            }
            return false
        }
        return true
    }

    /// Whether the earlier states that a request names can be read. Otherwise, the connection becomes due when they
    /// can.
    private func prepareHistory(for request: Request) -> Bool {
        let list: ListName
        let revisions: [Int?]
        switch request {
        case .snapshot(let snapshot) where snapshot.revision != nil:
            (list, revisions) = (snapshot.list, [snapshot.revision])
        case .subscribe(let subscribe) where subscribe.since != nil:
            (list, revisions) = (subscribe.list, [subscribe.since?.revision])
        case .difference(let difference): (list, revisions) = (difference.list, [difference.from, difference.to])
        default: return true
        }
        let (peer, connection) = (peer, NIOLoopBound(self, eventLoop: hub.eventLoop))
        return hub.store.assumeIsolated { store in
            !store.mayRead(list, peer)
                || store.unpackHistory(of: list, for: revisions.compactMap(\.self)) {
                    connection.value.markDue()
                }
        }
    }

    /// Whether the diff is computed, or is left to `carryOut`, because it is short or refused.
    private func prepareDifference(_ request: Request.Difference, _ id: RequestID) -> Bool {
        if let longAnswer { return longAnswer.line != nil }
        guard id != .absent, let old = try? state(of: request.list, at: request.from),
            let new = try? state(of: request.list, at: request.to),
            !new.snapshot.sharesMostPages(with: old.snapshot, in: hub.background.turn)
        else { return true }
        // Its length is known only when it is computed, and counts before the next work of this user begins.
        longAnswer = LongAnswer(
            size: new.snapshot.numberOfItems, hub.background, mayBegin: { [quota] in !quota.isOverfull }
        ) {
            var line = ByteWriter()
            Self.write(id, .success(.difference(Reply.Difference(from: old, to: new))), into: &line)
            return line
        } whenDone: { [unowned self] in
            if longAnswer?.line == nil { longAnswer = nil } else { reportKeptMemory() }
            markDue()
        }
        return false
    }

    /// Begins to compute the rows of a request's view; nil if it needs none.
    private func preparation(for request: Request, _ id: RequestID) -> ViewPreparation? {
        switch request {
        case .snapshot(let snapshot):
            // A request without an id gets no reply.
            guard !snapshot.view.isEverything, id != .absent,
                let state = try? state(of: snapshot.list, at: snapshot.revision)
            else { return nil }
            return hub.preparation(of: state, through: snapshot.view) { [quota] in !quota.isOverfull }
        case .subscribe(let subscribe):
            guard !(subscribe.view.isEverything && subscribe.viewSent.isEverything),
                let list = hub.follow(subscribe.list, for: peer)
            else { return nil }
            let past = stateSent(to: subscribe).map { (state: $0, view: subscribe.viewSent) }
            return list.preparation(for: subscribe.view, of: past, for: quotaOfRows)
        case .setView(let change):
            guard !change.view.isEverything,
                let audience = subscriptions.first(where: { $0.number == change.subscription })?.audience,
                !audience.list.isDeleted
            else { return nil }
            return audience.list.preparation(for: change.view, besides: audience, for: quotaOfRows)
        default: return nil
        }
    }

    /// Returns the state that a client was sent, if it is kept.
    private func stateSent(to request: Request.Subscribe) -> ListState? {
        guard let since = request.since,
            let state = hub.store.assumeIsolated({ $0.list(request.list, at: since.revision) }),
            state.epoch == since.epoch
        else { return nil }
        return state
    }

    /// Ends the preparation, because the request is carried out or its client has disconnected.
    func endPreparation() {
        longAnswer?.end()
        longAnswer = nil
        freshnessWait = nil
        newerViews = SetViewCoalescing()
        endViewPreparation()
    }

    private func endViewPreparation() {
        if let preparation { hub.end(preparation) }
        preparation = nil
    }

    /// Returns the index of a subscription. If there is none with this number, replies with an error and returns nil.
    private func position(of subscription: Int, _ ids: [RequestID]) -> Int? {
        if let position = subscriptions.firstIndex(where: { $0.number == subscription }) { return position }
        let error = WireError(
            .noSuchSubscription,
            "this connection has no subscription \(subscription), or that subscription has ended; use a number from one of its "
                + "`subscribe` replies")
        reply(ids, .failure(error))
        return nil
    }

    private func carryOut(_ request: Request.Snapshot, _ id: RequestID) {
        do throws(StoreError) {
            let found = preparation?.found
            // A client that may no longer read the list gets no rows.
            if found != nil { _ = try self.state(of: request.list, at: nil) }
            let state = if let found { found.state } else { try state(of: request.list, at: request.revision) }
            // A request without an id gets no reply.
            if id == .absent { return }
            let rows = found?.rows ?? .all(state.snapshot)
            let reply = SnapshotReplyWriter(
                id: id, list: state.name, epoch: state.epoch, revision: state.revision, snapshot: rows.snapshot,
                extent: rows.extent)
            lengthOfRows = peer.isPrivileged ? 0 : preparation?.lengthFound ?? 0
            stateOfReply = RetainedStates.Origin(state, found == nil ? .all : .ofReply(number))
            session.openLine = .snapshot(reply, of: rows.snapshot)
        } catch {
            reply(id, .failure(WireError(error)))
        }
    }

    private func carryOut(_ request: Request.Subscribe, _ id: RequestID) {
        let max = hub.limits.subscriptionsPerConnectionMax
        guard numberOfSubscriptions < max else {
            return reply(id, .failure(.tooManySubscriptions(list: request.list, max: max)))
        }
        let list = hub.follow(request.list, for: peer)
        if list == nil, request.ifAbsent == .isError { return refuse(request.list, id) }
        let length = Subscription.length(request.list, request.view, on: self)
        guard length <= quota.roomForRegistrations, preparation?.isRefused != true else {
            if let list { hub.leave(list) }
            return refuseRegistration(of: request.list, [id])
        }
        let (audience, start) = begin(request, list)
        subscriptionsMade += 1
        let subscription = Subscription(number: subscriptionsMade, request, to: audience, from: start, of: self)
        subscriptions.append(subscription)
        if let audience { audience.add(subscription) } else { hub.awaitList(for: subscription) }
        var isResumed: Bool?
        if request.since != nil { if case .sent = start { isResumed = true } else { isResumed = false } }
        let reply = Reply.Subscribe(
            subscription: subscription.number, list: request.list,
            start: audience.map { Reply.ListRevision($0.state) }, isResumed: isResumed,
            may: audience.map { _ in permissions(on: request.list) })
        self.reply(id, .success(.subscribe(reply)))
    }

    /// Returns the state from which a subscription starts: the one that the client was sent, if it is kept.
    private func begin(_ request: Request.Subscribe, _ list: FollowedList?) -> (Audience?, Subscription.Start) {
        // The client's state of a list that does not exist now belongs to another incarnation than the next one.
        guard let list else { return (nil, .nothing(request.since == nil ? .initial : .epoch)) }
        let (sent, reason) = sent(to: request, list)
        guard let sent, let since = request.since else { return (list.audience(for: request.view), .nothing(reason)) }
        let isSameView = request.viewSent == request.view
        let (audience, shown) = list.audience(for: request.view, after: sent, isSameView: isSameView)
        return (audience, .sent(DeliveredState(shown: shown, revision: since.revision), isSameView: isSameView))
    }

    /// Returns the rows that the client was sent; nil with the reason if they are not known.
    private func sent(
        to request: Request.Subscribe, _ list: FollowedList
    ) -> ((state: ListState, rows: ShownRows)?, NotificationWriter.ResetReason) {
        guard let since = request.since else { return (nil, .initial) }
        let current = list.state
        guard since.epoch == current.epoch else { return (nil, .epoch) }
        // A revision that this daemon has not reached was lost by it.
        guard since.revision <= current.revision else { return (nil, .epoch) }
        guard since.revision >= current.lastReloadRevision else { return (nil, .reload) }
        let isEverything = request.view.isEverything && request.viewSent.isEverything
        let found = isEverything ? stateSent(to: request).map { ($0, .all($0.snapshot)) } : preparation?.found
        // The client knows which item replaced the anchor, and would have named it.
        guard let found, !found.rows.lacksAnchor else { return (nil, .history) }
        return (found, .initial)
    }

    private func carryOut(_ request: Request.History, _ id: RequestID) {
        let (list, peer) = (request.list, peer)
        let limit = request.limit ?? .max
        guard let revisions = hub.store.assumeIsolated({ $0.history(of: list, for: peer, limit: limit) }),
            let state = hub.store.assumeIsolated({ $0.list(list) })
        else { return refuse(list, id) }
        let history = Reply.History(
            start: Reply.ListRevision(state), oldest: hub.store.assumeIsolated { $0.oldestRevision(of: state) },
            revisions: revisions.map(Reply.History.Revision.init),
            schemaChanges: hub.store.assumeIsolated { $0.schemaChanges(of: list, for: peer) }.prefix(limit)
                .map(Reply.History.SchemaChange.init))
        reply(id, .success(.history(history)))
    }

    private func carryOut(_ request: Request.Schemas, _ id: RequestID) {
        let (list, peer) = (request.list, peer)
        let found = hub.store.assumeIsolated { store in
            Result { () throws(StoreError) in try store.schemas(of: list, for: peer).schemas }
        }
        do throws(StoreError) {
            reply(id, .success(.schemas(Reply.Schemas(list: list, try found.get()))))
        } catch {
            reply(id, .failure(WireError(error)))
        }
    }

    private func carryOut(_ request: Request.Difference, _ id: RequestID) {
        let list = request.list
        do throws(StoreError) {
            if let line = longAnswer?.line {
                // A client that may no longer read the list gets no diff.
                _ = try state(of: list, at: nil)
                session.openLine = .longAnswer(line, written: 0)
                return
            }
            let (old, new) = (try state(of: list, at: request.from), try state(of: list, at: request.to))
            // A request without an id gets no reply.
            if id == .absent { return }
            reply(id, .success(.difference(Reply.Difference(from: old, to: new))))
        } catch {
            reply(id, .failure(WireError(error)))
        }
    }

    /// Returns the committed state, or an earlier one that is kept. For a client that may not read the list, it does
    /// not exist.
    private func state(of list: ListName, at revision: Int?) throws(StoreError) -> ListState {
        let peer = peer
        let state = hub.store.assumeIsolated { store in
            Result { () throws(StoreError) in try store.state(of: list, at: revision, for: peer) }
        }
        return try state.get()
    }

    private func refuseRegistration(of list: ListName, _ ids: [RequestID]) {
        reply(ids, .failure(.tooMuchRegistered(list: list, max: hub.limits.registeredLengthMax)))
    }

    private func refuse(_ list: ListName, _ id: RequestID) {
        reply(id, .failure(WireError(StoreError.noSuchList(list))))
    }

    /// Replies to a request whose turn has come.
    func reply(_ id: RequestID, _ result: Result<Reply, WireError>) { reply([id], result) }

    /// Answers several requests in their order.
    private func reply(_ ids: [RequestID], _ result: Result<Reply, WireError>) {
        if case .success(let reply) = result, let id = ids.first, let long = LongReplyWriter(reply, id: id) {
            return writePage(of: long)
        }
        var lines = ByteWriter()
        for id in ids {
            if case .failure(let error) = result { noteRefusal(error, of: method) }
            Self.write(id, result, into: &lines)
        }
        lines.withUnsafeBytes(send)
    }
}

extension Request {
    /// The requested view; nil for methods without one.
    var view: View? {
        switch self {
        case .snapshot(let snapshot): snapshot.view
        case .subscribe(let subscribe): subscribe.view
        case .setView(let change): change.view
        default: nil
        }
    }
}

extension Request.Subscribe {
    /// The view of the rows that the client has.
    fileprivate var viewSent: View { since?.view ?? view }
}
