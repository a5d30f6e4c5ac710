/// The progress of recovery, reported at each whole percent.
struct RecoveryProgress {
    /// In bytes, like what it advances by.
    private let lengthInAll: Int
    private var length = 0
    private var percent = 0
    private let tell: (Int) -> Void

    init(lengthInAll: Int, _ tell: @escaping (Int) -> Void) {
        self.lengthInAll = lengthInAll
        self.tell = tell
    }

    mutating func advance(by added: Int) {
        length += added
        let reached = lengthInAll > 0 ? min(length * 100 / lengthInAll, 100) : 100
        guard reached > percent else { return }
        percent = reached
        tell(reached)
    }
}
