import Diffable
import DiffableJSON
import DiffableProtocol
import NIOCore

/// The state machine of one connection: when lines are read, when reading is held, whose turn it is, what is written
/// next and in which order, and when the connection closes.
///
/// It is a value without a socket, a store or a clock, so tests drive thousands of sessions through random events.
/// `Connection` reports what happens and carries out what comes back:
///
/// - An event returns `Effects`: what is to be arranged with the channel, the hub and the user's quota. Each queue of
///   theirs has a session once at most, which is why only the session asks for a place in one.
/// - While it is served, and while it reads lines that were kept, it says one `Action` after the other
///   (`Session+Serving`). What came of an action that asks something is reported before the next.
///
/// Answers leave in the order of the requests; `outbox` keeps that order. What comes out of order, which is what is asked
/// of handlers and answered by them, waits in `unordered`.
struct Session {
    /// In this order; none comes back.
    enum Phase: Comparable {
        case open
        /// The client has closed its side: no more bytes come.
        case inputEnded
        /// No line is read any more; what was asked is answered, what subscribers are behind is sent.
        case draining
        /// Nothing is left to do but to close.
        case closing
        /// There is no socket any more, and all that came before is carried out.
        case ended
    }

    /// What is to be arranged with others.
    struct Effects: OptionSet {
        let rawValue: UInt8

        /// Have it served at the end of this turn of the loop.
        static let serve = Effects(rawValue: 1)
        /// Have it go on (`resume`) when the other sockets have been looked at.
        static let postpone = Effects(rawValue: 2)
        /// Take more bytes from the socket.
        static let read = Effects(rawValue: 4)
        /// Have it read a line when its user may ask again, in turn with the user's other connections.
        static let waitForQuota = Effects(rawValue: 8)
        /// Close when the socket has taken everything.
        static let close = Effects(rawValue: 16)
    }

    /// What others know and a decision depends on.
    struct Surroundings {
        /// Bytes have come that were not read as lines.
        var hasBytes: Bool
        /// No line of this user is read for now.
        var isQuotaUsedUp: Bool
        /// The channel would keep some more of what the socket does not take.
        var isChannelWritable = false
        /// The read whose turn has come is another view that is being found, and a newer one would take its place.
        var isNewerViewAwaited = false
    }

    /// Of the connection; never used twice.
    let number: Int
    private(set) var phase = Phase.open
    /// Whether somebody may read what is written. When nobody does, it is written all the same, into nothing, so that what
    /// waits for its turn has it.
    private(set) var hasSocket = true
    /// The answers, in the order of the requests.
    var outbox = Outbox()
    /// What has no order with the answers.
    var unordered = UnorderedLines()
    /// The line that is being written page by page; nothing else may stand in it.
    var openLine: OpenLine?
    /// What the channel keeps because the socket did not take it: nothing may go past it.
    private(set) var unsent = (pieces: 0, length: 0)
    /// What comes next while it is served.
    var stage = Stage.idle
    /// The queues of others in which it stands: of the hub for the end of the turn and for what is postponed, and of
    /// the user's quota.
    private var queues: Effects = []
    /// The channel has asked for more bytes, and is to get none for now.
    private var isReadHeld = false
    /// Lines that have come were left for when the others have had their turn.
    private(set) var hasLinesLeft = false
    /// What was asked last is being carried out beside the loop, and nothing behind it is looked at.
    private var isHeld = false
    /// How many pages of what is long were written since it began to be served.
    private var pagesWritten = 0
    /// When the others are to have their turn; nil before there is something to do in this one.
    private var turnEnd: NIODeadline?

    /// How many answers may wait that are not ready before reading pauses.
    static let answersMax = 1_024
    /// How long all answers may be together before reading pauses, in bytes.
    static let answersLengthMax = 1 << 20
    /// How many pages are written to one before the next has its turn, so that those who read the same stay together.
    private static let pagesWrittenMax = 4

    init(number: Int) { self.number = number }

    // MARK: Questions

    @inline(__always)
    var isOpen: Bool { phase < .ended }
    /// Whether more bytes are taken.
    var takesInput: Bool { phase < .draining }
    /// Whether subscribers are sent all there is without delay, because no more will come.
    var isDraining: Bool { phase >= .draining }
    /// Whether the socket has not taken all that it was offered.
    @inline(__always)
    var isSocketFull: Bool { unsent.pieces > 0 }
    /// Whether something may be written. Nothing is made for a client before this is true.
    @inline(__always)
    var mayWrite: Bool { unsent.pieces == 0 && phase < .closing }
    /// Whether a line of a subscription may be written: nothing may stand in the middle of a long line.
    @inline(__always)
    var mayWriteLine: Bool { mayWrite && openLine == nil }

    /// Whether everything that was asked is answered.
    var isIdle: Bool {
        switch openLine {
        case .snapshot?, .reply?, .longAnswer?, .backup?: false
        case .notification?, nil: !isHeld && outbox.isEmpty && unordered.isIdle
        }
    }

    /// Whether there would be nothing to do if it were served.
    func isAtRest(_ surroundings: Surroundings) -> Bool {
        phase == .open && openLine == nil && outbox.isEmpty && unordered.isEmpty && !isReadHeld
            && !surroundings.hasBytes && !surroundings.isQuotaUsedUp
    }

    /// Whether nothing that has its place in the order of the requests waits for its answer.
    var hasAnsweredAll: Bool { openLine == nil && outbox.waitingCount == 0 }

    /// Whether a line may be read. Never behind a read that waits for its turn, and not while many or long answers wait:
    /// a client that asks and never reads holds no more than these.
    func mayReadLines(_ surroundings: Surroundings) -> Bool {
        takesInput && !isHeld && !surroundings.isQuotaUsedUp && !outbox.hasRead && outbox.waitingCount < Self.answersMax
            && outbox.length + unordered.length < Self.answersLengthMax
    }

    /// Whether the client has closed its side, and all that it sent before has been carried out that waits for its turn.
    func hasReadAll(_ surroundings: Surroundings) -> Bool {
        phase >= .inputEnded && !isHeld && !surroundings.hasBytes && !outbox.hasRead
    }

    /// Whether the socket has gone, and all that came before it is carried out that waits for its turn.
    func isOver(_ surroundings: Surroundings) -> Bool {
        !hasSocket && isOpen && !isHeld && (isDraining || hasReadAll(surroundings))
    }

    /// Whether more is taken from the socket. Not before the lines from before are done: what costs long to answer must
    /// not pile up.
    func mayReadMore(_ surroundings: Surroundings) -> Bool { mayReadLines(surroundings) && !hasLinesLeft }

    /// The same, or up to the next line to look at.
    private func mayTakeBytes(_ surroundings: Surroundings) -> Bool {
        mayReadMore(surroundings) || takesInput && surroundings.isNewerViewAwaited && !surroundings.isQuotaUsedUp
    }

    // MARK: Turns

    /// Something may be to be sent: it is served at the end of this turn.
    mutating func markDue() -> Effects { enqueue(.serve) }

    /// The others have had their turn.
    mutating func resume() -> Effects {
        queues.remove(.postpone)
        hasLinesLeft = false
        return markDue()
    }

    /// Asks for a place in a queue of others, unless it has one.
    mutating func enqueue(_ queue: Effects) -> Effects {
        guard isOpen, !queues.contains(queue) else { return [] }
        queues.insert(queue)
        return queue
    }

    /// Its place in a queue has come.
    mutating func leave(_ queue: Effects) { queues.remove(queue) }

    func isIn(_ queue: Effects) -> Bool { !queues.isDisjoint(with: queue) }

    /// All that is read until it is served is one turn, and all that is written and read while it is.
    mutating func beginTurn(_ turns: inout TurnScheduler, at now: @autoclosure () -> NIODeadline) {
        if turnEnd == nil { turnEnd = turns.turnEnd(from: now()) }
    }

    mutating func endTurn() { turnEnd = nil }

    /// It is not served in this turn, because it is at rest.
    mutating func rest() {
        hasLinesLeft = false
        endTurn()
    }

    /// It begins to be served.
    mutating func beginPages() { pagesWritten = 0 }

    /// Takes room for a line that somebody is behind, or for a page of a long one. If there is none now, this says when there
    /// may be: after the others who are sent much, or after a look at the sockets.
    mutating func takeRoomForPage(_ turns: inout TurnScheduler, at now: @autoclosure () -> NIODeadline) -> Effects? {
        guard turns.hasRoomForMuch(at: now()) else { return enqueue(.postpone) }
        guard pagesWritten < Self.pagesWrittenMax else { return markDue() }
        pagesWritten += 1
        return nil
    }

    /// Whether the others are to have their turn, once one was begun.
    func isTurnOver(at now: @autoclosure () -> NIODeadline) -> Bool { turnEnd.map { now() > $0 } ?? false }

    // MARK: Input

    /// Lines are going to be read.
    mutating func beginReading(_ turns: inout TurnScheduler, at now: @autoclosure () -> NIODeadline) {
        turns.noteReading(number, at: now())
        beginTurn(&turns, at: now())
    }

    /// A line was read. Whether the next one is read as well, or left for when the others have had their turn.
    mutating func goesOnReading(_ surroundings: Surroundings, at now: @autoclosure () -> NIODeadline) -> Bool {
        guard mayReadLines(surroundings) else { return false }
        hasLinesLeft = isTurnOver(at: now())
        return !hasLinesLeft
    }

    /// Lines have come that are left for when other users have had their turn.
    mutating func leaveLines() -> Effects {
        hasLinesLeft = true
        return enqueue(.postpone)
    }

    /// Lines that were left are read now.
    mutating func takeUpLines() { hasLinesLeft = false }

    /// Lines that were left stay so only if there are any.
    mutating func keepLines(_ surroundings: Surroundings) { hasLinesLeft = hasLinesLeft && surroundings.hasBytes }

    /// The channel asks whether it may take more bytes.
    mutating func askToRead(_ surroundings: Surroundings) -> Effects {
        if mayTakeBytes(surroundings) { return .read }
        isReadHeld = true
        // No turn of this one's need follow: it may just have connected, or have been served before this.
        return surroundings.isQuotaUsedUp ? waitForQuota(surroundings) : []
    }

    mutating func resumeReading(_ surroundings: Surroundings) -> Effects {
        guard isReadHeld, isOpen, mayTakeBytes(surroundings) else { return [] }
        isReadHeld = false
        return .read
    }

    /// What was asked is carried out beside the loop: no line behind it is read until `letGo`.
    mutating func hold() { isHeld = true }

    /// It is carried out.
    mutating func letGo() -> Effects {
        isHeld = false
        return markDue()
    }

    // MARK: The user's quota

    /// There may be lines that are not to be read before the user's quota says so.
    mutating func waitForQuota(_ surroundings: Surroundings) -> Effects {
        guard isReadHeld || surroundings.hasBytes || outbox.hasRead else { return [] }
        return enqueue(.waitForQuota)
    }

    /// Its user may ask again, and it is its turn. Whether it is to read a line, of which `endQuotaTurn` is told.
    mutating func beginQuotaTurn(_ surroundings: Surroundings) -> Bool {
        leave(.waitForQuota)
        return mayReadLines(surroundings) && surroundings.hasBytes
    }

    /// It gets in line again if there may be more lines. Otherwise it looks for more at once, though its user may have
    /// nothing left for them then: those who have lines already must not leave it nothing for ever.
    mutating func endQuotaTurn(hasReadLine: Bool, _ surroundings: Surroundings) -> Effects {
        let rest = hasReadLine && surroundings.hasBytes ? enqueue(.waitForQuota) : resumeReading(surroundings)
        return rest.union(markDue())
    }

    // MARK: Output

    /// The socket did not take so many bytes, and the channel keeps them.
    mutating func leaveToChannel(length: Int) {
        unsent.pieces += 1
        unsent.length += length
    }

    /// The socket took what the channel had kept.
    mutating func finishLeftover(length: Int) -> Effects {
        unsent.pieces -= 1
        unsent.length -= length
        return isSocketFull ? [] : markDue()
    }

    // MARK: Closing

    /// No more bytes come: the client has closed its side.
    mutating func endInput() { phase = max(phase, .inputEnded) }

    /// The daemon stops, or the client was silent for too long.
    mutating func drain() -> Effects {
        phase = max(phase, .draining)
        return markDue()
    }

    /// Nothing is left to do.
    mutating func close() -> Effects {
        phase = .closing
        return .close
    }

    /// The socket has gone. Lines that came before are still read.
    mutating func loseSocket() {
        endInput()
        hasSocket = false
        // What it was asked, and has not been sent.
        unordered = UnorderedLines()
    }

    /// Nothing comes of anything any more.
    mutating func end() {
        phase = .ended
        stage = .idle
        queues = []
    }
}

/// A line that is written page by page, as the socket takes it.
// Indirect, because nearly always there is none, and that is looked at for each delivery.
indirect enum OpenLine {
    case snapshot(SnapshotReplyWriter, of: Snapshot)
    case reply(LongReplyWriter)
    /// It is there as a whole; up to where it is written, in bytes.
    case longAnswer(ByteWriter, written: Int)
    /// Several lines, which stay together.
    case backup(BackupWriter)
    /// The subscription with this number writes it.
    case notification(Int)
}
