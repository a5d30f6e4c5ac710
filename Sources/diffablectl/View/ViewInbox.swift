import Diffable
import DiffableClient
import DiffableTerminal
import DiffableView
import Synchronization

/// What other tasks have for the viewer's loop. Of each list the newest state is kept and no other, so it never grows
/// however slowly the terminal takes what is drawn.
final class ViewInbox: Sendable {
    private let state = Mutex(State())
    private let waker: TerminalWaker

    private struct State {
        var states: [Int: ViewedState] = [:]
        /// Of each list, the newest one that was put in.
        var revisions: [Int: Int] = [:]
        var events: [ViewerEvent] = []
        /// The daemon has answered whether it is there.
        var hasAnswer = false
        var error: (any Error)?
    }

    init(waking waker: TerminalWaker) { self.waker = waker }

    func put(_ update: ListUpdate<Content?>, list: Int) {
        let state = ViewedState(
            update.snapshot.untyped, extent: update.window.map { Window.Extent(offset: $0.offset, total: $0.total) },
            revision: update.revision, epoch: update.epoch, queryNumber: update.viewNumber,
            notice: update.liveness?.notice)
        self.state.withLock {
            $0.states[list] = state
            $0.revisions[list] = state.revision
            // It is there again.
            $0.events.removeAll { $0.isAbsence(of: list) }
        }
        waker.wake()
    }

    func put(_ absence: ListAbsence, list: Int) {
        state.withLock {
            $0.states[list] = nil
            $0.revisions[list] = nil
            $0.events.append(.absent(absence, list: list))
        }
        waker.wake()
    }

    /// Waits a moment for a state, which another task brings. A view that the change is not seen through brings none.
    func awaitState(of list: Int, revision: Int) async {
        for _ in 0..<Self.stateWaitsMax {
            if state.withLock({ $0.revisions[list] ?? 0 >= revision }) { return }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    /// A second in all. On a busy machine the other task may come to it late, and a state behind its reply would pass for a change
    /// of somebody else.
    private static let stateWaitsMax = 500

    func put(_ event: ViewerEvent) {
        state.withLock { $0.events.append(event) }
        waker.wake()
    }

    func putAnswer() {
        state.withLock { $0.hasAnswer = true }
        waker.wake()
    }

    func takeAnswer() -> Bool {
        state.withLock { state in
            defer { state.hasAnswer = false }
            return state.hasAnswer
        }
    }

    /// Nothing more can be shown.
    func fail(_ error: any Error) {
        state.withLock { $0.error = $0.error ?? error }
        waker.wake()
    }

    /// States before replies, so that who asked has seen what came of it.
    func take() throws -> [ViewerEvent] {
        try state.withLock { state in
            if let error = state.error { throw error }
            let updates = state.states.sorted { $0.key < $1.key }.map { ViewerEvent.update($0.value, list: $0.key) }
            defer { (state.states, state.events) = ([:], []) }
            return updates + state.events
        }
    }
}

extension Liveness {
    fileprivate var notice: String? {
        guard case .notLive(let since) = self else { return nil }
        return "This list is not live\(since.map { " since \(localTime(milliseconds: $0))" } ?? "")"
    }
}

extension ViewerEvent {
    fileprivate func isAbsence(of list: Int) -> Bool {
        if case .absent(_, list) = self { true } else { false }
    }
}
