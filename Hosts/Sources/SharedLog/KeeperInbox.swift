/// What a keeper has before it. Hints are merged, and let go when they are many: a look finds the same.
struct KeeperInbox {
    enum Work {
        case engineLost
        case fallback(Replica)
        case call(DaemonCall)
        case news([Int: String], KnownHead?)
        case look(KnownHead?)
        case checkpoint(CheckpointPlace)
    }

    /// Bytes of batches that wait here.
    static let newsMax = 4 << 20

    var isEngineLost = false
    var fallback: Replica?
    var calls: [DaemonCall] = []
    var look: KnownHead??
    var checkpoint: CheckpointPlace?
    private var batches: [Int: String] = [:]
    private var batchesSize = 0
    private var head: KnownHead?

    mutating func take(_ more: [Int: String], _ head: KnownHead?) {
        for (number, text) in more where batchesSize < Self.newsMax {
            batchesSize += text.utf8.count
            batches[number] = text
        }
        if let head, head.modRevision > self.head?.modRevision ?? 0 { self.head = head }
    }

    /// What somebody waits for comes first.
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
        if !calls.isEmpty { return .call(calls.removeFirst()) }
        if !batches.isEmpty || head != nil {
            defer { (batches, batchesSize, head) = ([:], 0, nil) }
            return .news(batches, head)
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
