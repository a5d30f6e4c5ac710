import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import Logging
import NIOCore

/// One client: its lines in, its answers and subscriptions out. It carries out what its `session` decides.
///
/// - Lines are read one after the other (`Connection+Requests`), for a short while in each turn of the loop.
/// - Lines are written at the end of a turn (`Connection+Output`), as far as the socket takes them
///   (`Connection+Sending`): answers in the order of the requests, and of each subscription what it is behind.
///   Subscribers that keep up are served before, by their `Audience`.
final class Connection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    let hub: Hub
    /// Of the user at the other end.
    let quota: UserQuota
    var session: Session
    var framer: LineFramer
    var staging = Staging()
    /// The error of the line that is being skipped up to its newline.
    var skippedLineError: WireError?
    /// What `restore` has brought so far; nil: nothing.
    var restoration: Restoration?
    /// Memory of the line or the change that the background works on, in bytes.
    var lengthUnderway = 0
    /// Memory of the view in the queued read, in bytes.
    var lengthAwaitingTurn = 0
    /// The answer to what is carried out beside the loop, if that has a place already.
    var heldPlace: Outbox.Reservation?
    /// What the client calls itself.
    var name: String?
    /// How long the lines are that the client reads.
    var lineLengthMax: Int

    var subscriptions: [Subscription] = []
    /// Those of `followLists`.
    var listsSubscriptions: [ListsSubscription] = []
    /// Whether the set of lists is next to be told of, before the lists.
    var isTurnOfLists = false
    var subscriptionsMade = 0
    /// What it put into lists for as long as it lasts.
    var lease: Lease?
    /// Whether it has been a list's handler.
    var isHandler = false
    /// The one whose turn it is to be asked for a line, so that no list starves another.
    var nextSubscription = 0

    /// What is to be found before the read is carried out whose turn has come.
    var preparation: ViewPreparation?
    /// What it is the newest of, if it is another view.
    var newerViews = NewerViews()
    /// How new the list is to be first, if that is not as it is here.
    var freshnessWait: FreshnessWait?
    /// Memory of the rows in the snapshot reply that is being written, in bytes; 0 if they are the list's own.
    var lengthOfRows = 0
    /// The state in that reply.
    var stateOfReply: HeldStates.Origin?
    /// The answer to it, when that takes long to find.
    var longAnswer: LongAnswer?

    /// Set while the connection is open.
    private(set) var context: ChannelHandlerContext?
    /// The socket, for as long as the connection is open.
    private(set) var descriptor: CInt?
    let credentials: PeerCredentials?
    /// What rights go by.
    var peer: Peer
    /// The methods that the client did not give up; nil: all.
    var allowedMethods: Set<Method>?
    /// What the quota knows of that is kept for this connection, in bytes.
    private var noted = (requests: 0, answers: 0)
    /// When it is closed unless it sends a line before; nil when it has.
    private var silenceEnd: DeadlineTimers<Connection>.Time?
    /// Whether lines are read that have just come: what is to be done about them is arranged when they are.
    private(set) var isReading = false
    /// For the method that is being carried out, if it could be read.
    var method: Method?
    private let start = NIODeadline.now()
    var traffic = Reply.Traffic()

    init(hub: Hub, quota: UserQuota, descriptor: CInt?, credentials: PeerCredentials?) {
        self.hub = hub
        self.quota = quota
        self.descriptor = descriptor
        self.credentials = credentials
        self.peer = Peer(credentials, daemonUserID: hub.options.userID)
        self.session = Session(number: hub.nextConnectionNumber())
        self.framer = LineFramer(lineLengthMax: hub.limits.lineLengthMax)
        self.lineLengthMax = hub.limits.lineOutLengthMax
    }

    var number: Int { session.number }

    var connectedSeconds: Int { Int((NIODeadline.now() - start).nanoseconds / 1_000_000_000) }

    // MARK: Opening and closing

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        hub.add(self)
        awaitLine()
    }

    func handlerRemoved(context: ChannelHandlerContext) { loseSocket() }

    func channelInactive(context: ChannelHandlerContext) { loseSocket() }

    /// Nobody reads any more. What came before is still carried out: otherwise it would be chance what becomes of it.
    private func loseSocket() {
        guard context != nil else { return }
        context = nil
        descriptor = nil
        framer.finish()
        session.loseSocket()
        for subscription in subscriptions { subscription.end() }
        subscriptions = []
        for subscription in listsSubscriptions { subscription.end() }
        listsSubscriptions = []
        endOpenLine()
        endPreparation()
        hub.handlers.endAsks(of: self)
        endSilence()
        if session.isOver(surroundings) { end() } else { markDue() }
    }

    private func end() {
        // First, so that nothing which ends below has the connection served once more.
        session.end()
        hub.handlers.end(self)
        hub.endMirrors(of: self)
        hub.connector.end(self)
        endLease()
        forgetScope()
        hub.remove(self)
        quota.note(requests: -noted.requests, answers: -noted.answers)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hub.logger.debug("connection lost", metadata: ["error": "\(error)", "client": "\(name ?? "")"])
        context.close(promise: nil)
    }

    func close() { context?.close(promise: nil) }

    /// Takes no more lines; what was asked is answered, what subscribers are behind is sent, and then it closes.
    func drain() {
        framer.finish()
        carryOut(session.drain())
    }

    /// Closes when the socket has taken everything.
    private func closeWhenWritten() {
        guard let context else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    // MARK: What the session decides

    /// What the session goes by.
    var surroundings: Session.Surroundings {
        Session.Surroundings(
            hasBytes: framer.hasBytes, isQuotaUsedUp: quota.isPaused,
            isChannelWritable: session.isSocketFull && context?.channel.isWritable == true,
            isNewerViewAwaited: newerViews.search == .awaited)
    }

    func carryOut(_ effects: Session.Effects) {
        if effects.isEmpty { return }
        if effects.contains(.serve) { hub.serveLater(self) }
        if effects.contains(.postpone) { hub.postpone(self) }
        if effects.contains(.waitForQuota) { quota.wait(self) }
        if effects.contains(.read) { context?.read() }
        if effects.contains(.close) { closeWhenWritten() }
    }

    /// Something may be to be sent: it is looked at the end of the turn.
    func markDue() { carryOut(session.markDue()) }

    /// Lines were read. A request that somebody else is asked about leaves nothing to be done here, as does an answer that
    /// is not answered itself.
    private func finishReading() {
        isReading = false
        let surroundings = surroundings
        guard numberOfSubscriptions == 0, noted == (0, 0), staging.length == 0, session.isAtRest(surroundings) else {
            return markDue()
        }
        session.rest()
        hub.scheduleTurn()
    }

    /// Goes on with what was postponed.
    func resume() { carryOut(session.resume()) }

    /// Sends what there is, as far as the socket takes it, and reads lines that came before.
    func serve() {
        session.beginServing()
        carryOutActions()
        if session.phase == .open { return }
        // Who sends nothing more answers nothing.
        if isHandler, session.hasReadAll(surroundings) { hub.handlers.endHandlers(of: self) }
        if session.isOver(surroundings) { end() }
    }

    private func carryOutActions() { hub.served.serve(quota.turn) { carryOutNextActions() } }

    private func carryOutNextActions() {
        while true {
            switch session.nextAction(surroundings, &hub.turns, at: .now()) {
            case .send(let lines): send(lines)
            case .continueLine(let line): write(line)
            case .checkBarrier(let barrier): session.reportBarrier(isPassed: isPassed(barrier))
            case .prepare(let request, let id): session.reportRead(isPrepared: mayCarryOut(request, id))
            case .carryOut(let request, let id): carryOutRead(request, id)
            case .offerUnordered: session.reportUnordered(hadLines: writeUnorderedLines())
            case .offerSubscriptions: session.reportSubscriptions(hadLine: writeLineOfSubscription())
            case .readLine: carryOut(session.reportLine(wasThere: framer.next(receive) != nil))
            case .noteKept: noteKept()
            case .checkSubscriptions: session.reportSubscriptionsFinished(areSubscriptionsFinished)
            case .arrange(let effects): carryOut(effects)
            case .finish(let effects): return carryOut(effects)
            }
        }
    }

    // MARK: Input

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard session.takesInput else { return }
        isReading = true
        hub.turns.noteLook()
        unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
            traffic.bytesReceived += bytes.count
            guard session.mayReadMore(surroundings) else {
                framer.append(bytes)
                if framer.length > Self.lengthUnreadMax, hasNoRoomForLines() { return }
                // It may be a newer view. No more is read before it is looked at, which is when it is served.
                if newerViews.search == .awaited {
                    newerViews.search = .none
                    markDue()
                }
                return
            }
            guard hub.turns.mayRead(number, of: quota.turn, at: .now()) else {
                framer.append(bytes)
                return carryOut(session.leaveLines())
            }
            session.beginReading(&hub.turns, at: .now())
            hub.served.serve(quota.turn) { read(bytes) }
        }
        finishReading()
    }

    /// SwiftNIO reads all that a client left in its socket when it went, however much that is. Above the user's limit the rest
    /// is dropped, and the connection ends.
    private func hasNoRoomForLines() -> Bool {
        noteKept()
        if quota.roomForRequests >= 0 { return false }
        framer.removeAll()
        noteKept()
        close()
        return true
    }

    private func read(_ bytes: UnsafeRawBufferPointer) {
        framer.read(bytes) { line in
            receive(line)
            // The framer is lending this line, so it cannot be asked for its length.
            let surroundings = Session.Surroundings(hasBytes: true, isQuotaUsedUp: quota.isPaused)
            return session.goesOnReading(surroundings, at: .now()) ? .wantsMore : .sated
        }
    }

    func read(context: ChannelHandlerContext) { carryOut(session.askToRead(surroundings)) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            framer.finish()
            session.endInput()
            if hub.turns.mayRead(number, of: quota.turn, at: .now()) {
                session.beginReadingKeptLines()
                carryOutActions()
            } else {
                carryOut(session.leaveLines())
            }
            markDue()
        }
        context.fireUserInboundEventTriggered(event)
    }
}

// MARK: - Limits

extension Connection {
    func applyLimits() { framer.lineLengthMax = hub.limits.lineLengthMax }

    /// More than is read at once of a client that is still there, in bytes.
    private static let lengthUnreadMax = 1 << 17

    /// Tells the quota what is kept for this client between turns.
    func noteKept() {
        let answers =
            session.outbox.length + session.unordered.length + session.unsent.length + openLineLength + lengthUnderway
        // For parts of root and of the daemon's user, `transactionLengthMax` is the only limit.
        let parts = peer.isPrivileged ? 0 : staging.length
        let requests = framer.length + parts + lengthAwaitingTurn
        if requests == noted.requests && answers == noted.answers { return }
        let before = noted
        noted = (requests, answers)
        quota.note(requests: requests - before.requests, answers: answers - before.answers)
        if quota.roomForRequests < 0 {
            let length = framer.length
            guard framer.letGoOfUnfinishedLine() else { return }
            let smaller = "split it into several requests"
            refuseLine(.tooMuchHeld(length: length, smaller: smaller, max: hub.limits.heldLengthMax), nil)
            markDue()
        }
    }

    /// What parts of a transaction may still take.
    var roomForParts: Staging.Room {
        Staging.Room(
            transactionLengthMax: hub.limits.transactionLengthMax, heldLengthMax: hub.limits.heldLengthMax,
            unheld: peer.isPrivileged ? .max : quota.roomForRequests + noted.requests)
    }

    /// The account for the rows of views; nil for root and the daemon's user, whose lists have no limit.
    var quotaOfRows: UserQuota? { peer.isPrivileged ? nil : quota }

    /// Queues a read. Refuses it if its view takes more memory than its user has left.
    func awaitTurn(_ request: Request, _ id: RequestID) {
        let length = request.view?.lengthInMemory ?? 0
        guard length == 0 || length <= quota.roomForRequests else {
            let smaller = "shorten its view"
            return answer(
                id, .failure(.tooMuchHeld(length: length, smaller: smaller, max: hub.limits.heldLengthMax)))
        }
        session.outbox.append(request, id)
        if length == 0 { return }
        // At once, because many reads may come in one iteration of the event loop.
        lengthAwaitingTurn = length
        noted.requests += length
        quota.note(requests: length, answers: 0)
    }

    /// Counts a change that the background makes.
    func noteUnderway(_ length: Int) {
        if peer.isPrivileged { return }
        lengthUnderway = length
        noted.answers += length
        quota.note(requests: 0, answers: length)
    }

    /// Reads one line if there is one: the user may ask again.
    func takeTurn() {
        var hasReadLine = false
        if session.beginQuotaTurn(surroundings) {
            hub.served.serve(quota.turn) { hasReadLine = framer.next(receive) != nil }
        }
        carryOut(session.endQuotaTurn(hasReadLine: hasReadLine, surroundings))
    }

    private func awaitLine() {
        let age = hub.limits.silentAgeMax
        guard age > 0 else { return }
        // In whole seconds, so that those who come together share a timer.
        let end = (DeadlineTimers<Connection>.time(.now() + .seconds(Int64(age))) + 999) / 1_000 * 1_000
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
        session.outbox.append { WireError.silent(ageMax: hub.limits.silentAgeMax).write(id: .null, into: &$0) }
        drain()
    }
}
