import Diffable
import DiffableStore
import Dispatch
import NIOCore

/// Does long work in the background, and hands the results to the event loop.
///
/// The work reads values that never change, such as snapshots, so threads share nothing else.
///
/// - Each user has one piece of work done at a time, so that a user with many pieces does not delay other users.
/// - Several users have theirs done at the same time, on threads of their own: the kernel shares the processors, and a
///   long piece of one user never has to end before a short piece of another begins.
/// - If there are more users than threads, they take turns (`FairQueue`). The last free thread takes only short pieces.
/// - The pieces of a user that is on hold wait until its release.
/// - A piece without a waiting client is not begun.
final class Background {
    /// Does the work on another thread, then calls back on the event loop. Has to do `threads` pieces at the same time.
    typealias Executor = (_ work: @escaping @Sendable () -> Void, _ isDone: @escaping () -> Void) -> Void

    /// How much work one iteration of the event loop has room for.
    let turn: IterationLimits
    /// The user of the request that the event loop is working on. Work that begins then belongs to this user.
    let served: ServedUser
    private let execute: Executor
    private var waiting = FairQueue<Piece>()
    /// The users with work in progress.
    private var busy: Set<Int?> = []
    private var usersOnHold: Set<Int?> = []
    /// The number of waiting pieces at which unwanted ones are removed.
    private var sweepCount = Background.sweepCountMin
    /// The number of pieces begun so far.
    private(set) var piecesBegun = 0
    /// The items of all states that were freed here so far.
    private(set) var itemsFreed = 0
    /// Called when something is about to be freed here.
    var onFree: () -> Void = {}
    /// Gives freed memory back to the system. Called on another thread again and again while a very large state is
    /// freed: each call then has little to give back, and the loop never waits for long.
    var trim: @Sendable () -> Void = {}

    private struct Piece {
        let size: Int
        let isWanted: () -> Bool
        let begin: () -> Void
    }

    /// How many pieces of different users are done at the same time.
    static let threads = 4
    /// The longest piece that counts as short, in items: some 10 ms.
    private static let shortSizeMax = 1 << 15
    private static let sweepCountMin = 64

    init(
        beyond turn: IterationLimits = IterationLimits(), for served: ServedUser = ServedUser(),
        _ execute: @escaping Executor
    ) {
        self.turn = turn
        self.served = served
        self.execute = execute
    }

    convenience init(
        beyond turn: IterationLimits, for served: ServedUser, called name: String, on eventLoop: any EventLoop
    ) {
        var free = (0..<Self.threads).map { DispatchQueue(label: "diffabled.\(name).\($0)", qos: .utility) }
        self.init(beyond: turn, for: served) { work, isDone in
            guard let queue = free.popLast() else {
                preconditionFailure("no more pieces are begun than there are threads")
            }
            let finish = NIOLoopBound(
                {
                    free.append(queue)
                    isDone()
                }, eventLoop: eventLoop)
            queue.async {
                work()
                eventLoop.execute { finish.value() }
            }
        }
    }

    /// Does work of the user that is served now.
    ///
    /// - Parameters:
    ///   - size: the approximate amount of work, in items.
    ///   - isWanted: asked before the work begins, if it had to wait.
    ///   - use: called on the event loop, some iterations later.
    func compute<Value: Sendable>(
        size: Int, while isWanted: @escaping () -> Bool, _ work: @escaping @Sendable () -> Value,
        use: @escaping (Value) -> Void
    ) {
        compute(for: served.current, size: size, while: isWanted, work, use: use)
    }

    func compute<Value: Sendable>(
        for user: UserShare, size: Int, while isWanted: @escaping () -> Bool, _ work: @escaping @Sendable () -> Value,
        use: @escaping (Value) -> Void
    ) {
        let result = ResultBox<Value>()
        let piece = Piece(size: size, isWanted: isWanted) { [self] in
            piecesBegun += 1
            execute({ result.put(work()) }) { [self] in
                served.serve(user) { use(result.take()) }
                busy.remove(user.id)
                beginNext()
            }
        }
        guard mayBegin(size: size, of: user.id), !waiting.hasPieces(of: user.id) else {
            waiting.enqueue(piece, size: size, of: user.id)
            return removeUnwanted()
        }
        busy.insert(user.id)
        piece.begin()
    }

    /// Begins no more pieces of the user until `release`.
    func hold(_ user: Int?) { usersOnHold.insert(user) }

    func release(_ user: Int?) {
        usersOnHold.remove(user)
        beginNext()
    }

    /// Frees a snapshot that nothing else holds.
    func free(_ snapshot: Snapshot) { free(snapshot, size: snapshot.numberOfItems) }

    /// Frees states of a list, which takes up to half a microsecond for each item. Small states are freed at once.
    /// Large ones are freed after this iteration of the event loop, which may still hold them.
    ///
    /// - Parameter size: of the last state, in items.
    func free<States: Sendable>(_ states: States, size: Int) {
        guard size > turn.itemsFreedMax else { return }
        let remains = ResultBox(states)
        itemsFreed += min(size, Self.itemsCountedMax)
        onFree()
        compute(for: served.daemon, size: 0, while: { true }, {}) { [self] in
            let trim = size > Self.itemsTrimmedMin ? trim : nil
            let work: @Sendable () -> Void = {
                let trimming = trim.map(MemoryTrimmer.init)
                _ = remains.take()
                trimming?.end()
            }
            compute(for: served.daemon, size: size, while: { true }, work, use: {})
        }
    }

    /// The items that a state counts for at most, even if its size is unknown.
    private static let itemsCountedMax = 1 << 24
    private static let itemsTrimmedMin = 1 << 17

    private func mayBegin(size: Int, of user: Int?) -> Bool {
        size <= sizeMax && !busy.contains(user) && !usersOnHold.contains(user)
    }

    /// The size of the longest piece that may begin now.
    private var sizeMax: Int {
        switch Self.threads - busy.count {
        case ...0: -1
        case 1: Self.shortSizeMax
        default: .max
        }
    }

    private func beginNext() {
        while let (piece, user) = waiting.take(sizeMax: sizeMax, except: busy.union(usersOnHold)) {
            guard piece.isWanted() else { continue }
            busy.insert(user)
            piece.begin()
        }
    }

    /// Unwanted pieces are removed when the number of pieces has doubled, so each piece is asked a few times at most.
    private func removeUnwanted() {
        guard waiting.count >= sweepCount else { return }
        var wanted = FairQueue<Piece>()
        swap(&wanted, &waiting)
        wanted.removeAll { !$0.isWanted() }
        swap(&wanted, &waiting)
        // Usually none: pieces that were added while the others were asked.
        while let (piece, user) = wanted.take() { waiting.enqueue(piece, size: piece.size, of: user) }
        sweepCount = max(Self.sweepCountMin, 2 * waiting.count)
    }
}

/// Calls a function again and again on its own thread, which is busy for a fifth of the time at most.
private final class MemoryTrimmer: Sendable {
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
