import Diffable
import DiffableClient
import DiffableTerminal
import DiffableView
import Synchronization

/// Messages from other tasks to the viewer's loop. Only the newest state of each list is kept, so the inbox does not grow even
/// if the terminal is slow.
final class ViewInbox: Sendable {
    private let state = Mutex(State())
    private let waker: TerminalWaker

    private struct State {
        var states: [Int: ViewedState] = [:]
        var revisions: [Int: Int] = [:]
        var events: [ViewerEvent] = []
        /// The output of a command that the viewer has not taken yet.
        var output: (bytes: [UInt8], number: Int)?
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
            // The list is back, so its absence is outdated.
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

    /// Waits a moment for a state from another task. If the change is outside the view, no state arrives.
    func awaitState(of list: Int, revision: Int) async {
        for _ in 0..<Self.stateWaitsMax {
            if state.withLock({ $0.revisions[list] ?? 0 >= revision }) { return }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    /// A second in all. On a busy machine the other task may be late, and a state that follows its reply would look like
    /// another client's change.
    private static let stateWaitsMax = 500

    func put(_ event: ViewerEvent) {
        state.withLock { $0.events.append(event) }
        waker.wake()
    }

    func put(output: [UInt8], number: Int) {
        state.withLock { state in
            // The command before this one may still write.
            guard number >= state.output?.number ?? 0 else { return }
            let before = state.output.flatMap { $0.number == number ? $0.bytes : nil } ?? []
            state.output = (Array((before + output).suffix(Self.outputLengthMax)), number)
        }
        waker.wake()
    }

    /// Bytes. While a program has the terminal, nothing is taken.
    private static let outputLengthMax = 1 << 20

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

    func fail(_ error: any Error) {
        state.withLock { $0.error = $0.error ?? error }
        waker.wake()
    }

    /// States precede replies, so that the viewer has seen the effect of a request before its reply.
    func take() throws -> [ViewerEvent] {
        try state.withLock { state in
            if let error = state.error { throw error }
            let updates = state.states.sorted { $0.key < $1.key }.map { ViewerEvent.update($0.value, list: $0.key) }
            let output = state.output.map { [ViewerEvent.output($0.bytes, number: $0.number)] } ?? []
            defer { (state.states, state.events, state.output) = ([:], [], nil) }
            return updates + output + state.events
        }
    }
}

extension Liveness {
    fileprivate var notice: String? {
        guard case .notLive(let since) = self else { return nil }
        let time = since.map { " since \(localTime(milliseconds: $0))" } ?? ""
        return "This list is not live\(time): it is the last state received from its source"
    }
}

extension ViewerEvent {
    fileprivate func isAbsence(of list: Int) -> Bool {
        if case .absent(_, list) = self { true } else { false }
    }
}
