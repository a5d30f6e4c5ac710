@testable import DiffableServer

/// A background that works when it is told to, so that a test decides what happens before it is done.
final class WorkBench {
    private var works: [(work: @Sendable () -> Void, isDone: () -> Void)] = []
    /// How many pieces were begun.
    private(set) var piecesBegun = 0

    var background: Background {
        Background { [unowned self] work, isDone in
            piecesBegun += 1
            works.append((work, isDone))
        }
    }

    /// Does what was begun first, and hands back what came of it; false when there is nothing to do.
    func doNext() -> Bool {
        guard !works.isEmpty else { return false }
        let (work, isDone) = works.removeFirst()
        work()
        isDone()
        return true
    }
}
