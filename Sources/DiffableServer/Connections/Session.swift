import Diffable
import DiffableJSON
import DiffableProtocol
import NIOCore

/// The state machine of one connection. It decides when lines are read, when reading pauses, which output is written
/// next, and when the connection closes.
///
/// It is a value without a socket, a store or a clock, so that tests can drive thousands of sessions with random
/// events. `Connection` reports events and carries out the results:
///
/// - An event returns `Effects`: arrangements with the channel, the hub and the user's quota. Each of their queues
///   contains a session at most once, so only the session asks for a place in one.
/// - While it is served, and while it reads buffered lines, it returns one `Action` after the other
///   (`Session+Serving`). If an action asks for a result, it is reported before the next one.
///
/// Answers are sent in the order of the requests, which `outbox` keeps. Lines without an order, which are requests to
/// handlers and the replies to them, wait in `unordered`.
struct Session {
    /// The phases only advance.
    enum Phase: Comparable {
        case open
        /// The client has closed its sending half, so no more bytes arrive.
        case inputEnded
        /// No more lines are read. Pending requests are answered, and subscribers get the updates that they lack.
        case draining
        /// Only closing is left.
        case closing
        /// The socket is closed, and everything that arrived before is carried out.
        case ended
    }

    /// Arrangements with other objects.
    struct Effects: OptionSet {
        let rawValue: UInt8

        /// Serve the session at the end of this iteration of the event loop.
        static let serve = Effects(rawValue: 1)
        /// Call `resume` after the other sockets have been polled.
        static let postpone = Effects(rawValue: 2)
        /// Read more bytes from the socket.
        static let read = Effects(rawValue: 4)
        /// Read a line when the user's quota permits, alternating with the user's other connections.
        static let waitForQuota = Effects(rawValue: 8)
        /// Close after the socket has accepted all output.
        static let close = Effects(rawValue: 16)
    }

    /// The state of other objects that decisions depend on.
    struct ExternalState {
        /// Bytes are buffered that have not been read as lines.
        var hasBytes: Bool
        /// The quota permits reading no line of this user at the moment.
        var isQuotaUsedUp: Bool
        /// The channel can buffer more of the output that the socket does not accept.
        var isChannelWritable = false
        /// The next read is a view in preparation, and a newer one would replace it.
        var isNewerViewAwaited = false
    }

    /// The connection's number; unique while the daemon runs.
    let number: Int
    private(set) var phase = Phase.open
    /// Whether the client can read output. Without a socket, output is still produced and discarded, so that everything
    /// that waits for its place gets it.
    private(set) var hasSocket = true
    /// The answers, in the order of the requests.
    var outbox = Outbox()
    /// Lines without an order.
    var unordered = UnorderedLines()
    /// The line that is being written page by page. No other line may interrupt it.
    var openLine: OpenLine?
    /// Output that the channel buffers because the socket did not accept it. Nothing may bypass it.
    private(set) var unsent = (pieces: 0, length: 0)
    /// The next step while it is served.
    var stage = Stage.idle
    /// The queues that contain it: the hub's for the end of the iteration and for postponed sessions, and the quota's.
    private var queues: Effects = []
    /// Whether the channel has asked for more bytes and has to wait.
    private var isReadHeld = false
    /// Whether buffered lines were left until the other connections have had their time slice.
    private(set) var hasLinesLeft = false
    /// Whether the last request is being carried out in the background, so that no later line is read.
    private var isHeld = false
    /// The number of pages of long lines written since it began to be served.
    private var pagesWritten = 0
    /// The end of the current time slice. Nil before there is something to do in this iteration.
    private var timeSliceEnd: NIODeadline?

    /// The number of answers that are not ready above which reading pauses.
    static let answersMax = 1_024
    /// The length of all answers above which reading pauses, in bytes.
    static let answersLengthMax = 1 << 20
    /// The pages written to one client before the next one is served, so that clients with the same data stay together.
    private static let pagesWrittenMax = 4

    init(number: Int) { self.number = number }

    // MARK: Questions

    @inline(__always)
    var isOpen: Bool { phase < .ended }
    /// Whether more bytes are accepted.
    var takesInput: Bool { phase < .draining }
    /// Whether subscribers get everything without delay, because no more updates will follow.
    var isDraining: Bool { phase >= .draining }
    /// Whether the socket has not accepted all output.
    @inline(__always)
    var isSocketFull: Bool { unsent.pieces > 0 }
    /// Whether output may be written. No output is produced for a client before this is true.
    @inline(__always)
    var mayWrite: Bool { unsent.pieces == 0 && phase < .closing }
    /// Whether a line of a subscription may be written. It must not interrupt a long line.
    @inline(__always)
    var mayWriteLine: Bool { mayWrite && openLine == nil }

    /// Whether every request is answered.
    var isIdle: Bool {
        switch openLine {
        case .snapshot?, .reply?, .longAnswer?, .backup?: false
        case .notification?, nil: !isHeld && outbox.isEmpty && unordered.isIdle
        }
    }

    /// Whether serving it would do nothing.
    func isAtRest(_ externalState: ExternalState) -> Bool {
        phase == .open && openLine == nil && outbox.isEmpty && unordered.isEmpty && !isReadHeld
            && !externalState.hasBytes && !externalState.isQuotaUsedUp
    }

    /// Whether every ordered request is answered.
    var hasAnsweredAll: Bool { openLine == nil && outbox.waitingCount == 0 }

    /// Whether a line may be read: not after a read that waits for its place, and not while many or long answers wait,
    /// so that a client that sends requests and never reads is limited to these.
    func mayReadLines(_ externalState: ExternalState) -> Bool {
        takesInput && !isHeld && !externalState.isQuotaUsedUp && !outbox.hasRead
            && outbox.waitingCount < Self.answersMax
            && outbox.length + unordered.length < Self.answersLengthMax
    }

    /// Whether the client has closed its sending half, and all ordered requests that it sent before are carried out.
    func hasReadAll(_ externalState: ExternalState) -> Bool {
        phase >= .inputEnded && !isHeld && !externalState.hasBytes && !outbox.hasRead
    }

    /// Whether the socket is closed, and all ordered requests that arrived before are carried out.
    func isOver(_ externalState: ExternalState) -> Bool {
        !hasSocket && isOpen && !isHeld && (isDraining || hasReadAll(externalState))
    }

    /// Whether more is read from the socket. Not before earlier lines are done, so that expensive requests do not pile
    /// up.
    func mayReadMore(_ externalState: ExternalState) -> Bool { mayReadLines(externalState) && !hasLinesLeft }

    /// Like `mayReadMore`, or up to the next line if that could replace a view in preparation.
    private func mayTakeBytes(_ externalState: ExternalState) -> Bool {
        mayReadMore(externalState) || takesInput && externalState.isNewerViewAwaited && !externalState.isQuotaUsedUp
    }

    // MARK: Time slices and queues

    /// Requests to be served at the end of this iteration, because there may be output.
    mutating func markDue() -> Effects { enqueue(.serve) }

    /// Continues after the other connections have had their time slice.
    mutating func resume() -> Effects {
        queues.remove(.postpone)
        hasLinesLeft = false
        return markDue()
    }

    /// Asks for a place in a queue, unless it has one.
    mutating func enqueue(_ queue: Effects) -> Effects {
        guard isOpen, !queues.contains(queue) else { return [] }
        queues.insert(queue)
        return queue
    }

    /// Removes it from a queue when its turn comes.
    mutating func leave(_ queue: Effects) { queues.remove(queue) }

    func isIn(_ queue: Effects) -> Bool { !queues.isDisjoint(with: queue) }

    /// Begins a time slice: all reading until it is served is one, and all writing and reading while it is served
    /// another.
    mutating func beginTimeSlice(_ turns: inout TimeSliceScheduler, at now: @autoclosure () -> NIODeadline) {
        if timeSliceEnd == nil { timeSliceEnd = turns.timeSliceEnd(from: now()) }
    }

    mutating func endTimeSlice() { timeSliceEnd = nil }

    /// Ends this iteration without being served, because there is nothing to do.
    mutating func endIteration() {
        hasLinesLeft = false
        endTimeSlice()
    }

    /// Resets the page count when serving starts.
    mutating func beginPages() { pagesWritten = 0 }

    /// Claims room for a line of a slow subscriber, or for a page of a long line. Without room, returns when to try
    /// again: after the other clients with long output, or after the sockets have been polled.
    mutating func takeRoomForPage(_ turns: inout TimeSliceScheduler, at now: @autoclosure () -> NIODeadline) -> Effects?
    {
        guard turns.hasRoomForLongLines(at: now()) else { return enqueue(.postpone) }
        guard pagesWritten < Self.pagesWrittenMax else { return markDue() }
        pagesWritten += 1
        return nil
    }

    func isTimeSliceOver(at now: @autoclosure () -> NIODeadline) -> Bool { timeSliceEnd.map { now() > $0 } ?? false }

    // MARK: Input

    mutating func beginReading(_ turns: inout TimeSliceScheduler, at now: @autoclosure () -> NIODeadline) {
        turns.noteReading(number, at: now())
        beginTimeSlice(&turns, at: now())
    }

    /// Decides, after a line, whether to read the next or leave it until the other connections have had their time
    /// slice.
    mutating func shouldReadNextLine(_ externalState: ExternalState, at now: @autoclosure () -> NIODeadline) -> Bool {
        guard mayReadLines(externalState) else { return false }
        hasLinesLeft = isTimeSliceOver(at: now())
        return !hasLinesLeft
    }

    /// Leaves buffered lines until the connections of other users have had their time slice.
    mutating func postponeLines() -> Effects {
        hasLinesLeft = true
        return enqueue(.postpone)
    }

    mutating func clearLinesLeft() { hasLinesLeft = false }

    /// Keeps the mark for left lines only if there are any.
    mutating func updateLinesLeft(_ externalState: ExternalState) {
        hasLinesLeft = hasLinesLeft && externalState.hasBytes
    }

    /// Handles the channel's question whether it may read more bytes.
    mutating func askToRead(_ externalState: ExternalState) -> Effects {
        if mayTakeBytes(externalState) { return .read }
        isReadHeld = true
        // Another time slice is not certain: the connection may have just connected, or its time slice may be over. So
        // it queues itself.
        return externalState.isQuotaUsedUp ? waitForQuota(externalState) : []
    }

    mutating func resumeReading(_ externalState: ExternalState) -> Effects {
        guard isReadHeld, isOpen, mayTakeBytes(externalState) else { return [] }
        isReadHeld = false
        return .read
    }

    /// Pauses reading until `resumeReadingLines`, because a request is carried out in the background.
    mutating func pauseReading() { isHeld = true }

    /// Resumes reading after a request was carried out in the background.
    mutating func resumeReadingLines() -> Effects {
        isHeld = false
        return markDue()
    }

    // MARK: The user's quota

    /// Waits for the user's quota if there may be lines to read.
    mutating func waitForQuota(_ externalState: ExternalState) -> Effects {
        guard isReadHeld || externalState.hasBytes || outbox.hasRead else { return [] }
        return enqueue(.waitForQuota)
    }

    /// Begins its turn in the quota's queue. Returns whether it should read a line; `endQuotaTurn` is then called.
    mutating func beginQuotaTurn(_ externalState: ExternalState) -> Bool {
        leave(.waitForQuota)
        return mayReadLines(externalState) && externalState.hasBytes
    }

    /// Queues again if there may be more lines. Otherwise it asks for more bytes at once, even if the quota is used up
    /// then, because connections with buffered lines must not starve it.
    mutating func endQuotaTurn(hasReadLine: Bool, _ externalState: ExternalState) -> Effects {
        let rest = hasReadLine && externalState.hasBytes ? enqueue(.waitForQuota) : resumeReading(externalState)
        return rest.union(markDue())
    }

    // MARK: Output

    /// Counts bytes that the socket did not accept and the channel buffers.
    mutating func leaveToChannel(length: Int) {
        unsent.pieces += 1
        unsent.length += length
    }

    /// Counts buffered bytes that the socket has accepted.
    mutating func finishLeftover(length: Int) -> Effects {
        unsent.pieces -= 1
        unsent.length -= length
        return isSocketFull ? [] : markDue()
    }

    // MARK: Closing

    /// Handles the end of input, because the client has closed its sending half.
    mutating func endInput() { phase = max(phase, .inputEnded) }

    /// Starts draining, because the daemon stops or the client was silent for too long.
    mutating func drain() -> Effects {
        phase = max(phase, .draining)
        return markDue()
    }

    mutating func close() -> Effects {
        phase = .closing
        return .close
    }

    /// Handles the loss of the socket. Buffered lines are still read.
    mutating func loseSocket() {
        endInput()
        hasSocket = false
        // Requests to this client as a handler, and replies to it, that were not sent.
        unordered = UnorderedLines()
    }

    mutating func end() {
        phase = .ended
        stage = .idle
        queues = []
    }
}

/// A line that is written page by page, as the socket accepts it.
// Indirect, because there is seldom one, and it is checked at each delivery.
indirect enum OpenLine {
    case snapshot(SnapshotReplyWriter, of: Snapshot)
    case reply(LongReplyWriter)
    /// A complete line, and the number of bytes that were written.
    case longAnswer(ByteWriter, written: Int)
    /// Several lines that stay together.
    case backup(BackupWriter)
    /// A line of the subscription with this number.
    case notification(Int)
}
