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
    /// The items of all states that were handed over to be freed.
    private(set) var itemsFreed = 0
    /// Called when something is about to be freed here.
    var onFree: () -> Void = {}
    /// Gives freed memory back to the system. Called on another thread again and again while a very large state is freed: each
    /// call then has little to give back, and the loop never waits for long.
    var trim: @Sendable () -> Void = {}

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
        itemsFreed += min(size, Self.itemsCountedMax)
        onFree()
        find(size: 0, while: { true }, {}) { [self] in
            let trim = size > Self.itemsTrimmedMin ? trim : nil
            let work: @Sendable () -> Void = {
                let trimming = trim.map(Trimming.init)
                remains.value.withLock { $0 = nil }
                trimming?.end()
            }
            find(size: size, while: { true }, work, use: {})
        }
    }

    /// A state counts for no more, also one of unknown size.
    private static let itemsCountedMax = 1 << 24
    private static let itemsTrimmedMin = 1 << 17

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

/// Calls something again and again on a thread of its own, which is busy a fifth of the time at most.
private final class Trimming: Sendable {
    private static let queue = DispatchQueue(label: "diffabled.trimming", qos: .utility)
    private static let pauseMin: UInt64 = 10_000_000
    private let mayEnd = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ trim: @escaping @Sendable () -> Void) {
        Self.queue.async { [mayEnd, hasEnded] in
            var pause = Self.pauseMin
            while mayEnd.wait(timeout: .now() + .nanoseconds(Int(pause))) == .timedOut {
                let begin = DispatchTime.now().uptimeNanoseconds
                trim()
                pause = max(Self.pauseMin, 4 * (DispatchTime.now().uptimeNanoseconds - begin))
            }
            hasEnded.signal()
        }
    }

    func end() {
        mayEnd.signal()
        hasEnded.wait()
    }
}
