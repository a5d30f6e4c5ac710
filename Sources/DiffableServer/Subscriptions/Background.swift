import Diffable
import Dispatch
import NIOCore
import Synchronization

/// Does beside the loop what would hold it for long, on a thread of its own, and brings back what came of it.
///
/// What is worked on are values that nobody changes: a snapshot may be read on any thread. Nothing is shared but them.
/// One piece of work is done at a time, the shortest first, so that who wants little is not kept waiting by those who
/// want much, nor these for ever by the others; what nobody waits for any more is not begun.
final class Background {
    /// Does the work somewhere, and then calls back on the loop.
    typealias Executor = (_ work: @escaping @Sendable () -> Void, _ isDone: @escaping () -> Void) -> Void

    /// What a turn of the loop has room for.
    let turn: TurnLimits
    private let execute: Executor
    private var waiting: [Piece] = []
    private var isBusy = false
    /// How many pieces of work were begun.
    private(set) var piecesBegun = 0

    private struct Piece {
        let size: Int
        let isWanted: () -> Bool
        let begin: () -> Void
        /// How many that came later were begun before it.
        var timesPassed = 0
    }

    static let timesPassedMax = 8

    init(beyond turn: TurnLimits = TurnLimits(), _ execute: @escaping Executor) {
        self.turn = turn
        self.execute = execute
    }

    convenience init(beyond turn: TurnLimits, called name: String, on eventLoop: any EventLoop) {
        let queue = DispatchQueue(label: "diffabled.\(name)", qos: .utility)
        self.init(beyond: turn) { work, isDone in
            let isDone = NIOLoopBound(isDone, eventLoop: eventLoop)
            queue.async {
                work()
                eventLoop.execute { isDone.value() }
            }
        }
    }

    /// - Parameters:
    ///   - size: about how much it is, in items.
    ///   - isWanted: asked before it is begun, if it had to wait for that.
    ///   - use: called on the loop, some turns later.
    func find<Value: Sendable>(
        size: Int, while isWanted: @escaping () -> Bool, _ work: @escaping @Sendable () -> Value,
        use: @escaping (Value) -> Void
    ) {
        let result = Handover<Value>()
        let piece = Piece(size: size, isWanted: isWanted) { [self] in
            piecesBegun += 1
            execute({ result.value.withLock { $0 = work() } }) { [self] in
                let value = result.value.withLock { value in
                    defer { value = nil }
                    return value
                }
                guard let value else { preconditionFailure("work that is done has a result") }
                use(value)
                beginNext()
            }
        }
        if isBusy { return waiting.append(piece) }
        isBusy = true
        piece.begin()
    }

    /// Frees what only this state of a list still holds.
    func free(_ snapshot: Snapshot) { free(snapshot, size: snapshot.numberOfItems) }

    /// Frees states of a list, which takes up to half a microsecond for each of its items, unless they are few. That is not
    /// before this turn is over, because up to then somebody may hold them here.
    ///
    /// - Parameter size: of the last of them, in items.
    func free<States: Sendable>(_ states: States, size: Int) {
        guard size > turn.itemsFreedMax else { return }
        let remains = Handover(states)
        find(size: 0, while: { true }, {}) { [self] in
            find(size: size, while: { true }, { remains.value.withLock { $0 = nil } }, use: {})
        }
    }

    private func beginNext() {
        waiting.removeAll { !$0.isWanted() }
        let next =
            waiting.firstIndex { $0.timesPassed >= Self.timesPassedMax }
            ?? waiting.indices.min { waiting[$0].size < waiting[$1].size }
        isBusy = next != nil
        guard let next else { return }
        for earlier in 0..<next { waiting[earlier].timesPassed += 1 }
        waiting.remove(at: next).begin()
    }

    /// From one thread to the other.
    private final class Handover<Value: Sendable>: Sendable {
        let value: Mutex<Value?>

        init(_ value: Value? = nil) { self.value = Mutex(value) }
    }
}
