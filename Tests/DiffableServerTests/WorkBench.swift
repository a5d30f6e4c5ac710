@testable import DiffableServer

/// A background that works on command, so that a test decides the order of events.
final class WorkBench {
    private var works: [(work: @Sendable () -> Void, isDone: () -> Void)] = []
    private(set) var piecesBegun = 0

    var background: Background {
        Background { [unowned self] work, isDone in
            piecesBegun += 1
            works.append((work, isDone))
        }
    }

    /// Runs the oldest piece and delivers its result; false when there is none.
    func doNext() -> Bool {
        guard !works.isEmpty else { return false }
        let (work, isDone) = works.removeFirst()
        work()
        isDone()
        return true
    }
}
