/// Reports the progress of recovery at each new integer percentage.
final class RecoveryProgress {
    /// In bytes. An upper bound, so 100 percent may be reported early.
    private let lengthInAll: Int
    private var length = 0
    private var percent = 0
    private let tell: (Int) -> Void

    init(lengthInAll: Int, _ tell: @escaping (Int) -> Void) {
        self.lengthInAll = lengthInAll
        self.tell = tell
    }

    func advance(by added: Int) {
        length += added
        reach(lengthInAll > 0 ? min(length * 100 / lengthInAll, 100) : 100)
    }

    func finish() { reach(100) }

    private func reach(_ reached: Int) {
        guard reached > percent else { return }
        percent = reached
        tell(reached)
    }
}
