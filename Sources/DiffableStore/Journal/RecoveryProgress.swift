/// The progress of recovery, reported when it reaches another whole percent.
final class RecoveryProgress {
    /// In bytes, like what it advances by. Rather more than there is to read, so that the end can come early.
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
