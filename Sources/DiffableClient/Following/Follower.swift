import Diffable
import Synchronization

/// One loop over a list: its subscription, on whichever connection it is at the moment.
///
/// The loop's own task does all of it. When it asks for the next state and the connection is gone, it waits for another and
/// subscribes there, from where it was; so what it is not asked for costs nothing.
final class Follower<Value: Sendable>: Sendable {
    private let subscription: Subscription
    private let options: ListOptions
    private let shownView: ShownView
    private let shared: SharedConnection
    private let state: Mutex<State>

    private struct State {
        /// Nil as long as the daemon has no subscription for this.
        var active: ActiveSubscription?
        var given: ListSnapshot<Value>
        var hasEnded = false
        /// Its number among those who observe `shownView`.
        var observer: Int?
    }

    /// A subscription that the daemon has, and the connection that it is on.
    private struct ActiveSubscription {
        let connection: Connection
        let number: Int
        /// Of the view that was asked for last.
        var viewNumber: Int
        /// It was not answered yet. What is set meanwhile waits, and only the last of it is asked for then.
        var isViewAwaited = false
    }

    init(
        of list: ListName, _ options: ListOptions, _ shownView: ShownView, _ contents: ItemContents<Value>,
        over shared: SharedConnection
    ) {
        self.subscription = Subscription(to: list, ifAbsent: options.ifAbsent)
        self.options = options
        self.shownView = shownView
        self.shared = shared
        self.state = Mutex(State(given: ListSnapshot(contents)))
        let observer = shownView.observe(
            .init(
                viewWasSet: { [weak self] in self?.askForView() },
                shown: { [weak self] in self?.state.withLock { $0.given.untyped } }))
        state.withLock { $0.observer = observer }
    }

    /// The loop was left.
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
            return try typed(update)
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
                // The connection's end; a refusal is that of a line that was not ours.
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
                // A state is gone on from with the view that it was seen through.
                let since = subscription.since
                let view = since == nil ? shownView.version : subscription.view
                let receive = subscription.resume(view)
                let number = try await connection.begin(subscription.list, since, options, view: view.view) {
                    [weak self, weak connection] arrival in
                    await receive(arrival)
                    switch arrival {
                    case .viewSet, .viewRefused: self?.askForNextView(on: connection)
                    case .notification, .end: break
                    }
                }
                state.withLock {
                    $0.active = ActiveSubscription(
                        connection: connection, number: number, viewNumber: view.number)
                }
                return askForView()
            } catch {
                shared.release()
                guard error.isHealedByReconnecting else { throw error }
                shared.giveUp(connection)
            }
        }
    }

    /// One view was answered on that connection.
    private func askForNextView(on connection: Connection?) {
        state.withLock { if $0.active?.connection === connection { $0.active?.isViewAwaited = false } }
        askForView()
    }

    /// Asks for the view that was set last, unless it was asked for, or another one is not answered yet.
    private func askForView() {
        state.withLock { state in
            let view = shownView.version
            guard let active = state.active, !active.isViewAwaited, active.viewNumber != view.number else { return }
            state.active?.viewNumber = view.number
            state.active?.isViewAwaited = true
            // Under the lock, so that none is overtaken by the one before.
            active.connection.setViewSoon(view, subscription: active.number)
        }
    }

    private func typed(_ update: Subscription.Update) throws(ClientError) -> ListUpdate<Value> {
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
            // Whoever keeps the iterator need not keep the list.
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

    /// The connection has gone, and the subscription with it.
    private func abandonSubscription() {
        guard let active = takeSubscription() else { return }
        shared.giveUp(active.connection)
        shared.release()
    }

    /// The daemon is told that nothing more is wanted, unless it knows.
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
