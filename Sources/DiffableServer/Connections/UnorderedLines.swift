import DiffableJSON

/// Lines for one connection that do not follow the order of its requests, and wait until its subscriptions have
/// received something: replies to its requests to handlers, and requests to it as a handler. Lines that need not wait
/// are added to the ready lines of the outbox instead.
struct UnorderedLines {
    enum Pending {
        case reply(ByteWriter)
        /// The number of a request. Its line is made when it can be sent.
        case request(Int)
    }

    struct Waiting {
        let pending: Pending
        let barrier: Outbox.Barrier?
    }

    private var entries: [Waiting] = []
    /// The length of the waiting replies, in bytes.
    private(set) var length = 0
    private var replyCount = 0
    /// The number of waiting requests that are over.
    private var droppedCount = 0
    /// The number of replies that have not arrived yet.
    private(set) var awaitedCount = 0

    var isEmpty: Bool { entries.isEmpty }
    /// Whether every reply has been sent.
    var isIdle: Bool { awaitedCount == 0 && replyCount == 0 }

    // MARK: Replies

    /// Counts an expected reply.
    mutating func awaitReply() { awaitedCount += 1 }

    /// Counts a reply that arrived, here or in the outbox.
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

    /// Counts a waiting request that is over. Returns whether most are, so that `removeDropped` is due.
    mutating func noteDropped() -> Bool {
        droppedCount += 1
        return droppedCount > 16 && droppedCount > entries.count / 2
    }

    mutating func removeDropped(_ isOver: (Int) -> Bool) {
        droppedCount = 0
        entries.removeAll { if case .request(let number) = $0.pending { isOver(number) } else { false } }
    }

    // MARK: Sending

    /// Takes all entries. The ones that still have to wait are put back.
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
