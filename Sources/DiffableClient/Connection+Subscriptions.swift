import Diffable
import DiffableJSON
import DiffableProtocol

extension Connection {
    /// Follows a list: its state first, then its changes, as long as the connection lasts or until `end`.
    public func subscribe(to list: ListName) async throws(ClientError) -> Subscription {
        let subscription = Subscription(to: list)
        let reply = try await begin(.init(list: list)) { subscription.receive($0) }
        subscription.begin(reply.subscription)
        return subscription
    }

    func begin(
        _ list: ListName, _ since: Request.Subscribe.Since?, _ options: ListOptions, view: View? = nil,
        _ receiver: @escaping MessageRouter.Receiver
    ) async throws(ClientError) -> Int {
        var request = options.request(list, since: since)
        if let view { request.view = view }
        return try await begin(request, receiver).subscription
    }

    /// Waits until a list is deleted or renamed. No items are sent while it waits.
    package func deletion(of list: ListName) async throws(ClientError) {
        let subscription = Subscription(to: list)
        let number = try await begin(list, nil, ListOptions(), view: ListView(sections: []).view) {
            subscription.receive($0)
        }
        subscription.begin(number)
        do throws(ClientError) {
            while try await subscription.next() != nil {}
        } catch {
            // A cancelled task cannot wait for the reply.
            if case .cancelled = error { endSoon(subscription: number) }
            throw error
        }
        forget(subscription: number)
    }

    /// Ends a subscription; its sequence ends too.
    public func end(_ subscription: Subscription) async throws(ClientError) {
        guard let number = subscription.number else { return }
        _ = try await reply(to: .unsubscribe(.init(subscription: number)))
        forget(subscription: number)
        subscription.finish()
    }

    /// A list's current state, or the part of it that a view shows. For a shared list this is the state on this host, which may
    /// be old, unless the options require a newer one (`freshness`).
    public func state(
        of list: ListName, _ options: ListOptions = ListOptions()
    ) async throws(ClientError) -> ListState {
        try await state(of: list, options) { _ in }
    }

    /// `progress` is called with the number of items received so far, on the connection's reader.
    package func state(
        of list: ListName, _ options: ListOptions = ListOptions(), progress: @escaping @Sendable (Int) -> Void
    ) async throws(ClientError) -> ListState {
        let subscription = Subscription(to: list)
        let request = Request.Subscribe(
            list: list, view: options.view?.view ?? View(), duration: .once, freshness: options.freshness)
        let reply = try await begin(request) { arrival in
            subscription.receive(arrival)
            progress(subscription.itemsReceived)
        }
        defer { forget(subscription: reply.subscription) }
        var updates = subscription.makeAsyncIterator()
        guard let update = try await updates.next() else { throw lossReason }
        return ListState(list: list, epoch: update.epoch, revision: update.revision, snapshot: update.snapshot)
    }

    func begin(
        _ request: Request.Subscribe, _ receiver: @escaping MessageRouter.Receiver
    ) async throws(ClientError) -> Reply.Subscribe {
        let result = try await exchange(.subscription(receiver, request.ifAbsent)) { id, writer throws(ClientError) in
            Request.subscribe(request).write(id: id, into: &writer)
            return .done
        }
        return try decoded { () throws(DecodingError) in try Reply.Subscribe(json: result) }
    }
}
