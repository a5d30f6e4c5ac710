import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import Logging
import NIOCore

/// One client: its lines in, its answers and subscriptions out.
///
/// - Lines are read one after the other (`Connection+Requests`), for a short while in each turn of the loop. Reading
///   pauses while a read waits for its turn and while many or long answers wait, so a client that asks and never reads
///   holds no more than these.
/// - Lines are written at the end of a turn (`Connection+Output`): answers in the order of the requests, and of each
///   subscription what it is behind, as far as the socket takes it (`Connection+Sending`). Subscribers that keep up are
///   served before, by their `Audience`.
final class Connection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    let hub: Hub
    /// Of the user at the other end.
    let account: Account
    var framer: LineFramer
    var outbox = Outbox()
    var staging = Staging()
    /// What `restore` has brought so far; nil: nothing.
    var restoration: Restoration?
    /// What the client calls itself.
    var name: String?
    /// How long the lines are that the client reads.
    var lineLengthMax: Int

    var subscriptions: [Subscription] = []
    var subscriptionsMade = 0
    /// What it put into lists for as long as it lasts.
    var lease: Lease?
    /// The one whose turn it is to be asked for a line, so that no list starves another.
    var nextSubscription = 0
    /// The line that is being written page by page; nothing else may stand in it.
    var openLine: OpenLine?

    /// What is to be found before the read is carried out whose turn has come.
    var groundwork: Groundwork?
    /// The answer to it, when that takes long to find.
    var longAnswer: LongAnswer?

    /// Set while the connection is open.
    private(set) var context: ChannelHandlerContext?
    /// The socket, for as long as the connection is open.
    private(set) var descriptor: CInt?
    let credentials: PeerCredentials?
    /// What rights go by.
    let peer: Peer
    /// How many pieces the channel has that the socket did not take: nothing may go past them.
    var heldUpPieces = 0
    /// Of all of them, in bytes.
    var heldUpLength = 0
    /// What the account knows of that is kept for this connection, in bytes.
    private var noted = (requests: 0, answers: 0)
    /// When it is closed unless it sends a line before; nil when it has.
    private var silenceEnd: Alarms<Connection>.Time?
    /// Whether it goes on when its account does.
    private var isWaitingForAccount = false
    #if DEBUG
        var plantedGroups = PlantedGroups()
    #endif
    /// For the method that is being carried out, if it could be read.
    var method: Method?
    /// Never used twice.
    let number: Int
    private let start = NIODeadline.now()
    var traffic = Reply.Traffic()
    private var isDueAlready = false
    private var isReadHeld = false
    /// When the others are to have their turn; nil before there is something to do in this one.
    private var turnEnd: NIODeadline?
    /// Lines that have come were left for when the others have had their turn.
    private var hasLinesLeft = false
    private var isPostponed = false
    /// No more lines come: the client has closed its side, or the daemon is stopping.
    private var hasInputEnded = false
    private(set) var isDraining = false
    /// Set when nothing is left to do but to close.
    private var isClosing = false

    /// How many answers may wait that are not ready before reading pauses, and how long all may be together, in bytes.
    private static let answersMax = 1_024
    private static let answersLengthMax = 1 << 20

    init(hub: Hub, account: Account, descriptor: CInt?, credentials: PeerCredentials?) {
        self.hub = hub
        self.account = account
        self.descriptor = descriptor
        self.credentials = credentials
        self.peer = Peer(credentials, daemonUserID: hub.options.userID)
        self.number = hub.nextConnectionNumber()
        self.framer = LineFramer(lineLengthMax: hub.limits.lineLengthMax)
        self.lineLengthMax = hub.limits.lineOutLengthMax
    }

    // MARK: Opening and closing

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        hub.add(self)
        awaitLine()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) { end() }

    private func end() {
        guard context != nil else { return }
        context = nil
        descriptor = nil
        for subscription in subscriptions { subscription.end() }
        subscriptions = []
        endOpenLine()
        endPreparation()
        endLease()
        endSilence()
        hub.remove(self)
        account.note(requests: -noted.requests, answers: -noted.answers)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hub.logger.debug("connection lost", metadata: ["error": "\(error)", "client": "\(name ?? "")"])
        context.close(promise: nil)
    }

    func close() { context?.close(promise: nil) }

    /// Takes no more lines; what was asked is answered, what subscribers are behind is sent, and then it closes.
    func drain() {
        endInput()
        isDraining = true
        isDue()
    }

    private func endInput() {
        guard !hasInputEnded else { return }
        hasInputEnded = true
        framer.finish()
    }

    var connectedSeconds: Int { Int((NIODeadline.now() - start).nanoseconds / 1_000_000_000) }

    /// Whether everything that it asked is answered.
    var isIdle: Bool {
        switch openLine {
        case .reply?, .longAnswer?, .backup?: return false
        case .notification?, nil: return outbox.isEmpty
        }
    }

    /// Whether nothing is left to do for it.
    var isFinished: Bool {
        guard hasInputEnded, isIdle, isDraining || !framer.hasBytes else { return false }
        return subscriptions.isEmpty || isDraining && hub.isQuiet && subscriptions.allSatisfy(\.isSettled)
    }

    // MARK: Input

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDraining else { return }
        unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
            traffic.bytesReceived += bytes.count
            guard mayReadMore else { return framer.append(bytes) }
            beginReading()
            framer.read(bytes) { line in
                receive(line)
                return mayReadLines && !leavesLines() ? .wantsMore : .sated
            }
        }
        isDue()
    }

    /// Reads the lines that came before and could not be read then, as far as they may be read now. What they ask for
    /// is answered at the end of the turn.
    func readLines() {
        hasLinesLeft = false
        guard mayReadLines, framer.hasBytes else { return }
        beginReading()
        // One at least, so that who is written to all the time is read as well.
        repeat {
            guard framer.next(receive) != nil else { return }
            isDue()
        } while mayReadLines && !leavesLines()
    }

    private func beginReading() {
        hub.noteReading(self)
        beginTurn()
    }

    /// Whether the others are to have their turn before more lines are read.
    private func leavesLines() -> Bool {
        hasLinesLeft = isTurnOver
        return hasLinesLeft
    }

    /// Never after the end, which may come when anything is sent: nothing could be answered any more.
    private var mayReadLines: Bool {
        context != nil && !account.isPaused && !isDraining && !outbox.hasRead && outbox.waitingCount < Self.answersMax
            && outbox.length < Self.answersLengthMax
    }

    /// More is taken from the socket when the lines from before are done: what costs long to answer must not pile up.
    private var mayReadMore: Bool { mayReadLines && !hasLinesLeft }

    func read(context: ChannelHandlerContext) {
        if mayReadMore {
            context.read()
        } else {
            isReadHeld = true
            // No turn of this one's need follow: it may just have connected, or have been served before this.
            if account.isPaused { waitForAccount() }
        }
    }

    /// Closes when the socket has taken everything.
    private func closeWhenWritten(_ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        isClosing = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    private func resumeReading(_ context: ChannelHandlerContext) {
        guard isReadHeld, mayReadMore else { return }
        isReadHeld = false
        context.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            endInput()
            readLines()
            isDue()
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Output

    /// Something may be to be sent: it is looked at the end of the turn.
    func isDue() {
        guard !isDueAlready, context != nil else { return }
        isDueAlready = true
        hub.isDue(self)
    }

    /// There is more to do than one turn has room for: the other sockets come first.
    func postpone() {
        guard !isPostponed, context != nil else { return }
        isPostponed = true
        hub.postpone(self)
    }

    /// All that is read until it is served is one turn, and all that is written and read while it is.
    func beginTurn() {
        if turnEnd == nil { turnEnd = hub.turnEnd() }
    }

    /// Of a turn that was begun.
    var isTurnOver: Bool { turnEnd.map { NIODeadline.now() > $0 } ?? false }

    /// Goes on with what was postponed.
    func resume() {
        isPostponed = false
        hasLinesLeft = false
        isDue()
    }

    /// Sends what there is, as far as the socket takes it.
    func serve() {
        isDueAlready = false
        // Subscribers may have been served since it read: writing has a time of its own.
        turnEnd = nil
        defer { turnEnd = nil }
        write()
        // What was written may have closed the connection, or made room for answers to lines that came long ago.
        guard let context else { return }
        if !hasLinesLeft { readLines() }
        // Before and after: to note what is kept may be what ends the pause, or what begins it.
        if account.isPaused { waitForAccount() }
        noteHeld()
        if account.isPaused { waitForAccount() }
        hasLinesLeft = hasLinesLeft && framer.hasBytes
        if hasLinesLeft { postpone() }
        if isDueAlready || isPostponed { return }
        if isFinished {
            closeWhenWritten(context)
        } else {
            resumeReading(context)
        }
    }
}

// MARK: - Limits

extension Connection {
    func limitsChanged() { framer.lineLengthMax = hub.limits.lineLengthMax }

    /// Tells the account what is kept for this client between turns.
    func noteHeld() {
        let answers = outbox.length + heldUpLength + openLineLength
        let requests = framer.length + staging.length
        if requests == noted.requests && answers == noted.answers { return }
        let before = noted
        noted = (requests, answers)
        account.note(requests: requests - before.requests, answers: answers - before.answers)
        if account.roomForRequests < 0, framer.letGoOfUnfinishedLine() {
            refuseLine(.tooMuchHeld("unfinished lines", max: hub.limits.heldLengthMax))
            isDue()
        }
    }

    /// What parts of a transaction may still take.
    var roomForParts: Staging.Room {
        Staging.Room(
            transactionLengthMax: hub.limits.transactionLengthMax, heldLengthMax: hub.limits.heldLengthMax,
            unheld: account.roomForRequests + noted.requests)
    }

    /// There may be lines that are not to be read before the account says so.
    func waitForAccount() {
        guard !isWaitingForAccount, isReadHeld || framer.hasBytes || outbox.hasRead else { return }
        isWaitingForAccount = true
        account.wait(self)
    }

    /// Reads one line if there is one, and gets in line again if there may be more. Otherwise it looks for more at once,
    /// though there may be no token left for it then: those who have lines already must not leave it none for ever.
    func takeTurn() {
        isWaitingForAccount = false
        if mayReadLines, framer.hasBytes, framer.next(receive) != nil, framer.hasBytes {
            isWaitingForAccount = true
            account.wait(self)
        } else if let context {
            resumeReading(context)
        }
        isDue()
    }

    private func awaitLine() {
        let age = hub.limits.silentAgeMax
        guard age > 0 else { return }
        // In whole seconds, so that those who come together share a timer.
        let end = (Alarms<Connection>.time(.now() + .seconds(Int64(age))) + 999) / 1_000 * 1_000
        silenceEnd = end
        hub.silences.set(end, for: self)
    }

    /// A line came.
    func endSilence() {
        guard let end = silenceEnd else { return }
        silenceEnd = nil
        hub.silences.cancel(end, for: self)
    }

    /// None came for too long.
    func endSilent() {
        silenceEnd = nil
        outbox.append { WireError.silent(ageMax: hub.limits.silentAgeMax).write(id: .null, into: &$0) }
        drain()
    }
}
