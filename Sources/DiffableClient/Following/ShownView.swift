import Diffable
import DiffableJSON
import Synchronization

/// What is seen of a list, for all loops over one `ListUpdates`: they are told when it is something else.
final class ShownView: Sendable {
    /// Which of the views that were set it is: they are counted, so that it is known which one is asked for last.
    struct Version: Sendable {
        let number: Int
        let view: View

        static let everything = Version(number: 0, view: View())
    }

    private let state: Mutex<State>

    /// A loop.
    struct Observer: Sendable {
        /// Another view was set.
        let viewWasSet: @Sendable () -> Void
        /// What it was given last.
        let shown: @Sendable () -> Snapshot?
    }

    private struct State {
        var version: Version
        var observers: [Int: Observer] = [:]
        var lastObserver = 0
    }

    init(_ view: View) { state = Mutex(State(version: Version(number: 0, view: view))) }

    var version: Version { state.withLock { $0.version } }

    func set(_ view: View) { _ = change { _ in view } }

    /// Sets what a function makes of the view; false when it makes nothing. One change waits for the other.
    func change<E: Error>(_ next: (View) throws(E) -> View?) throws(E) -> Bool {
        let observers: [Observer]? = try state.withLock { state throws(E) in
            guard let view = try next(state.version.view) else { return nil }
            state.version = Version(number: state.version.number + 1, view: view)
            return Array(state.observers.values)
        }
        for observer in observers ?? [] { observer.viewWasSet() }
        return observers != nil
    }

    /// Those that no loop shows at the moment.
    func itemsNotShown(among items: [ItemID]) -> [ItemID] {
        let observers = state.withLock { Array($0.observers.values) }
        return observers.reduce(items) { rest, observer in
            guard !rest.isEmpty, let shown = observer.shown() else { return rest }
            return rest.filter { !shown.contains($0) }
        }
    }

    /// Tells a loop whenever another view was set, until `remove` is called with the number that it gives.
    func observe(_ observer: Observer) -> Int {
        state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
    }

    func remove(_ observer: Int) { state.withLock { _ = $0.observers.removeValue(forKey: observer) } }
}
