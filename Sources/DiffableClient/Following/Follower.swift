import Diffable
import Synchronization

/// One loop over a list: its subscription, on the current connection. The loop's own task does all the work. When it asks for the
/// next state and the connection is lost, it waits for another one and subscribes there, from its last state. So nothing happens
/// until the loop asks.
final class Follower<Value: Sendable>: Sendable {
    private let subscription: Subscription
    private let options: ListOptions
    private let shownView: CurrentView
    private let shared: SharedConnection
    private let state: Mutex<State>

    private struct State {
        /// Nil while the daemon has no subscription for this loop.
        var active: ActiveSubscription?
        var given: ListSnapshot<Value>
        var hasEnded = false
        var observer: Int?
    }

    private struct ActiveSubscription {
        let connection: Connection
        let number: Int
        var viewNumber: Int
        /// Whether the reply is pending. Views that are set until then wait, and only the last one is requested.
        var isViewAwaited = false
    }

    init(
        of list: ListName, _ options: ListOptions, _ shownView: CurrentView, _ contents: ItemContents<Value>,
        over shared: SharedConnection
    ) {
        self.subscription = Subscription(to: list, ifAbsent: options.ifAbsent)
        self.options = options
        self.shownView = shownView
        self.shared = shared
        self.state = Mutex(State(given: ListSnapshot(contents)))
        let observer = shownView.observe(
            .init(
                viewWasSet: { [weak self] in self?.requestView() },
                shown: { [weak self] in self?.state.withLock { $0.given.untyped } }))
        state.withLock { $0.observer = observer }
    }

    deinit {
        leave()
        stopObserving()
    }

    func next() async throws(ClientError) -> ListUpdate<Value>? {
        if state.withLock({ $0.hasEnded }) { return nil }
        do throws(ClientError) {
            guard let update = try await update() else {
                end()
                return nil
            }
            shared.noteUse()
            return try decoded(update)
        } catch {
            end()
            throw error
        }
    }

    private func update() async throws(ClientError) -> Subscription.Update? {
        while true {
            if state.withLock({ $0.active == nil }) { try await subscribe() }
            do throws(ClientError) {
                return try await subscription.next()
            } catch {
                switch error {
                // The connection has ended; a refusal here concerns another client's line.
                case .connectionLost, .noReply, .refused: abandonSubscription()
                default: throw error
                }
            }
        }
    }

    private func subscribe() async throws(ClientError) {
        while true {
            let connection = try await shared.acquire()
            do throws(ClientError) {
                let version = shownView.version
                let (since, view) = subscription.continuation(with: version)
                let receive = subscription.resume(CurrentView.Version(number: version.number, view: view))
                let number = try await connection.begin(subscription.list, since, options, view: view) {
                    [weak self, weak connection] arrival in
                    await receive(arrival)
                    switch arrival {
                    case .viewSet, .viewRefused: self?.requestNextView(on: connection)
                    case .notification, .end: break
                    }
                }
                state.withLock {
                    $0.active = ActiveSubscription(
                        connection: connection, number: number, viewNumber: version.number)
                }
                return requestView()
            } catch {
                shared.release()
                guard error.isHealedByReconnecting else { throw error }
                shared.giveUp(connection)
            }
        }
    }

    private func requestNextView(on connection: Connection?) {
        state.withLock { if $0.active?.connection === connection { $0.active?.isViewAwaited = false } }
        requestView()
    }

    /// Requests the last view, unless it was requested already, or another request is pending.
    private func requestView() {
        state.withLock { state in
            let view = shownView.version
            guard let active = state.active, !active.isViewAwaited, active.viewNumber != view.number else { return }
            state.active?.viewNumber = view.number
            state.active?.isViewAwaited = true
            // Inside the lock, so that requests keep their order.
            active.connection.setViewSoon(view, subscription: active.number)
        }
    }

    private func decoded(_ update: Subscription.Update) throws(ClientError) -> ListUpdate<Value> {
        let previous = state.withLock { $0.given }
        let (snapshot, difference) = try previous.applying(update.difference, to: update.snapshot, of: update.list)
        state.withLock { $0.given = snapshot }
        return ListUpdate(
            list: update.list, epoch: update.epoch, revision: update.revision, snapshot: snapshot, previous: previous,
            cause: update.cause, difference: difference, window: update.window,
            liveness: update.liveness, viewNumber: update.viewNumber)
    }

    // MARK: Its end

    private func end() {
        leave()
        stopObserving()
        state.withLock { state in
            state.hasEnded = true
            // An iterator that is kept need not keep the list.
            state.given = ListSnapshot(state.given.contents.empty)
        }
    }

    private func stopObserving() {
        let observer = state.withLock { state in
            defer { state.observer = nil }
            return state.observer
        }
        if let observer { shownView.remove(observer) }
    }

    private func abandonSubscription() {
        guard let active = takeSubscription() else { return }
        shared.giveUp(active.connection)
        shared.release()
    }

    private func leave() {
        guard let active = takeSubscription() else { return }
        active.connection.endSoon(subscription: active.number)
        shared.release()
    }

    private func takeSubscription() -> ActiveSubscription? {
        state.withLock { state in
            defer { state.active = nil }
            return state.active
        }
    }
}
