/// A keeper's pending work. Hints are merged, and dropped when there are too many: a poll finds the same.
struct KeeperInbox {
    enum Work {
        case engineLost
        case fallback(Replica)
        case call(DaemonCall)
        case turns([TurnQueue.Event])
        case news([Int: String], KnownHead?)
        case patienceOver
        case look(KnownHead?)
        case checkpoint(CheckpointPlace)
    }

    /// Most bytes of waiting batches.
    static let newsMax = 4 << 20
    /// Most waiting events about tickets. The answer of the next compare-and-swap has all tickets.
    static let turnsMax = 10_000

    var isEngineLost = false
    var fallback: Replica?
    var calls: [DaemonCall] = []
    var look: KnownHead??
    var checkpoint: CheckpointPlace?
    private var batches: [Int: String] = [:]
    private var batchesSize = 0
    private var head: KnownHead?
    private var turns: [TurnQueue.Event] = []
    var isPatienceOver = false

    mutating func take(_ more: [Int: String], _ head: KnownHead?, _ turns: [TurnQueue.Event]) {
        if self.turns.count + turns.count <= Self.turnsMax { self.turns += turns }
        for (number, text) in more where batchesSize < Self.newsMax {
            batchesSize += text.utf8.count
            batches[number] = text
        }
        if let head, head.modRevision > self.head?.modRevision ?? 0 { self.head = head }
    }

    var hasNews: Bool { !batches.isEmpty || head != nil }

    /// Returns the next piece of work; requests with a waiting caller are first.
    mutating func next() -> Work? {
        if isEngineLost {
            isEngineLost = false
            look = nil
            return .engineLost
        }
        if let replica = fallback {
            fallback = nil
            return .fallback(replica)
        }
        // The waiting hosts have to be known before an append.
        if !turns.isEmpty {
            defer { turns = [] }
            return .turns(turns)
        }
        if !calls.isEmpty { return .call(calls.removeFirst()) }
        if hasNews {
            defer { (batches, batchesSize, head) = ([:], 0, nil) }
            return .news(batches, head)
        }
        if isPatienceOver {
            isPatienceOver = false
            return .patienceOver
        }
        if let place = checkpoint {
            checkpoint = nil
            return .checkpoint(place)
        }
        if let head = look {
            look = nil
            return .look(head)
        }
        return nil
    }
}
