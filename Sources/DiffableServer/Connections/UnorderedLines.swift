import DiffableJSON

/// What one connection is sent out of the order of its requests, and not before its subscriptions have been sent something:
/// the replies to what it asked of handlers, and what it is asked as a handler. What waits for nothing is not here: it goes
/// to the lines of the outbox that are ready.
struct UnorderedLines {
    enum Pending {
        /// A whole line.
        case reply(ByteWriter)
        /// The request with this number; its line is made when it can be sent.
        case request(Int)
    }

    struct Waiting {
        let pending: Pending
        let barrier: Outbox.Barrier?
    }

    private var entries: [Waiting] = []
    /// Of the replies that wait here, in bytes.
    private(set) var length = 0
    private var replyCount = 0
    /// How many of the requests here are over.
    private var droppedCount = 0
    /// How many answers are owed that are not here yet.
    private(set) var awaitedCount = 0

    var isEmpty: Bool { entries.isEmpty }
    /// Whether every answer that is owed has left.
    var isIdle: Bool { awaitedCount == 0 && replyCount == 0 }

    // MARK: Replies

    /// An answer is owed.
    mutating func awaitReply() { awaitedCount += 1 }

    /// It waits here, or has gone to the outbox.
    mutating func endAwaiting() { awaitedCount -= 1 }

    mutating func append(reply line: ByteWriter, after barrier: Outbox.Barrier) {
        entries.append(Waiting(pending: .reply(line), barrier: barrier))
        length += line.count
        replyCount += 1
    }

    // MARK: Requests

    mutating func append(request: Int, after barrier: Outbox.Barrier?) {
        entries.append(Waiting(pending: .request(request), barrier: barrier))
    }

    /// One of the requests here is over. When most are, `removeDropped` is due.
    mutating func noteDropped() -> Bool {
        droppedCount += 1
        return droppedCount > 16 && droppedCount > entries.count / 2
    }

    mutating func removeDropped(_ isOver: (Int) -> Bool) {
        droppedCount = 0
        entries.removeAll { if case .request(let number) = $0.pending { isOver(number) } else { false } }
    }

    // MARK: Sending

    /// Hands out all that wait; those that have to wait on are put back.
    mutating func take() -> [Waiting] {
        defer { self = UnorderedLines(awaitedCount: awaitedCount) }
        return entries
    }

    mutating func putBack(_ entries: [Waiting]) {
        self.entries = entries + self.entries
        for entry in entries {
            guard case .reply(let line) = entry.pending else { continue }
            length += line.count
            replyCount += 1
        }
    }

    init() {}

    private init(awaitedCount: Int) { self.awaitedCount = awaitedCount }
}
