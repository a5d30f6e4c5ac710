import Diffable
import DiffableJSON
import Synchronization

/// The view of all loops over one `ListUpdates`. The loops are notified when it changes.
final class CurrentView: Sendable {
    /// A view with its number, which shows which one was requested last.
    struct Version: Sendable {
        let number: Int
        let view: View

        static let everything = Version(number: 0, view: View())
    }

    private let state: Mutex<State>

    struct Observer: Sendable {
        let viewWasSet: @Sendable () -> Void
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

    /// Sets the view that the closure returns; false if it returns nil. Concurrent changes wait for each other.
    func change<E: Error>(_ next: (View) throws(E) -> View?) throws(E) -> Bool {
        let observers: [Observer]? = try state.withLock { state throws(E) in
            guard let view = try next(state.version.view) else { return nil }
            state.version = Version(number: state.version.number + 1, view: view)
            return Array(state.observers.values)
        }
        for observer in observers ?? [] { observer.viewWasSet() }
        return observers != nil
    }

    func itemsNotShown(among items: [ItemID]) -> [ItemID] {
        let observers = state.withLock { Array($0.observers.values) }
        return observers.reduce(items) { rest, observer in
            guard !rest.isEmpty, let shown = observer.shown() else { return rest }
            return rest.filter { !shown.contains($0) }
        }
    }

    /// Notifies a loop of each new view, until `remove` is called with the returned number.
    func observe(_ observer: Observer) -> Int {
        state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
    }

    func remove(_ observer: Int) { state.withLock { _ = $0.observers.removeValue(forKey: observer) } }
}
