import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import Logging
import NIOCore

/// One client: its lines in, its answers and subscriptions out. Carries out the decisions of its `session`.
///
/// - It reads lines one after the other (`Connection+Requests`), for a short while in each tick of the event loop.
/// - It writes lines at the end of a tick (`Connection+Output`), as far as the socket takes them
///   (`Connection+Sending`): answers in the order of the requests, then the updates that subscriptions still lack.
///   Subscribers that keep up get their updates before, from their `Audience`.
final class Connection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    let hub: Hub
    /// The quota of the client's user.
    let quota: UserQuota
    var session: Session
    var framer: LineFramer
    var staging = TransactionAssembly()
    /// The error of the line that is being skipped up to its newline.
    var skippedLineError: WireError?
    /// The parts of a `restore` so far; nil without one.
    var restoration: Restoration?
    /// Memory of the line or the change that the background works on, in bytes.
    var lengthUnderway = 0
    /// Memory of the view in the queued read, in bytes.
    var lengthAwaitingTurn = 0
    /// The reserved place of the answer to a change that is carried out in the background.
    var heldPlace: Outbox.Reservation?
    /// The name that the client gave itself.
    var name: String?
    /// Bytes of the longest line that is sent to this client.
    var lineLengthMax: Int

    var subscriptions: [Subscription] = []
    /// The subscriptions of `followLists`.
    var listsSubscriptions: [ListsSubscription] = []
    /// Whether subscriptions to the set of lists are next to write a line, before those to lists.
    var isTurnOfLists = false
    var subscriptionsMade = 0
    /// The lease on the items and lists that end with this connection.
    var lease: Lease?
    /// Whether it has ever been a handler of a list.
    var isHandler = false
    /// The index of the subscription to write next, so that no list starves another.
    var nextSubscription = 0

    /// The rows that the read whose turn has come needs.
    var preparation: ViewPreparation?
    /// The later `setView` requests that replace the one whose turn has come.
    var newerViews = SetViewCoalescing()
    /// The wait for a newer state of the list, if the read requires one.
    var freshnessWait: FreshnessWait?
    /// Memory of the rows in the snapshot reply that is being written, in bytes; 0 if they are the list's own.
    var lengthOfRows = 0
    /// The state in that reply.
    var stateOfReply: RetainedStates.Origin?
    /// The answer to the read, if it takes long to compute.
    var longAnswer: LongAnswer?

    /// Set while the connection is open.
    private(set) var context: ChannelHandlerContext?
    /// The socket, for as long as the connection is open.
    private(set) var descriptor: CInt?
    let credentials: PeerCredentials?
    /// The client's identity for the checks of rights.
    var peer: Peer
    /// The methods that the client did not give up; nil: all.
    var allowedMethods: Set<Method>?
    /// Bytes that the quota counts for this connection.
    private var noted = (requests: 0, answers: 0)
    /// The time at which it is closed unless it sends a line before; nil after its first line.
    private var silenceEnd: DeadlineTimers<Connection>.Time?
    /// Whether new lines are being read. Their effects are scheduled when they have been read.
    private(set) var isReading = false
    /// The method of the request that is being carried out; nil if it could not be read.
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
        startSilenceTimeout()
    }

    func handlerRemoved(context: ChannelHandlerContext) { loseSocket() }

    func channelInactive(context: ChannelHandlerContext) { loseSocket() }

    /// Ends reading and writing. Requests that arrived before are still carried out: otherwise their fate would depend
    /// on chance.
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
        cancelSilenceTimeout()
        if session.isOver(externalState) { end() } else { markDue() }
    }

    private func end() {
        // This comes first, so that the steps below do not schedule the connection again.
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

    /// Takes no more lines, answers pending requests, sends subscribers the updates that they lack, and closes.
    func drain() {
        framer.finish()
        carryOut(session.drain())
    }

    /// Closes after the socket has taken all output.
    private func closeWhenWritten() {
        guard let context else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    // MARK: What the session decides

    /// The state outside the session that its decisions depend on.
    var externalState: Session.ExternalState {
        Session.ExternalState(
            hasBytes: framer.hasBytes, isQuotaUsedUp: quota.isPaused,
            isChannelWritable: session.isSocketFull && context?.channel.isWritable == true,
            isNewerViewAwaited: newerViews.search == .awaited)
    }

    func carryOut(_ effects: Session.Effects) {
        if effects.isEmpty { return }
        if effects.contains(.serve) { hub.serveLater(self) }
        if effects.contains(.postpone) { hub.postpone(self) }
        if effects.contains(.waitForQuota) { quota.enqueue(self) }
        if effects.contains(.read) { context?.read() }
        if effects.contains(.close) { closeWhenWritten() }
    }

    /// Schedules serving at the end of the tick, because there may be output.
    func markDue() { carryOut(session.markDue()) }

    /// Ends reading. Nothing is left to do for a request that waits for a handler, or for a handler's answer without a
    /// reply of its own.
    private func finishReading() {
        isReading = false
        let externalState = externalState
        guard numberOfSubscriptions == 0, noted == (0, 0), staging.length == 0, session.isAtRest(externalState) else {
            return markDue()
        }
        session.endIteration()
        hub.scheduleTurn()
    }

    /// Resumes postponed work.
    func resume() { carryOut(session.resume()) }

    /// Sends pending output, as far as the socket takes it, and reads lines that arrived before.
    func serve() {
        session.beginServing()
        carryOutActions()
        if session.phase == .open { return }
        // A client that sends no more lines cannot answer requests.
        if isHandler, session.hasReadAll(externalState) { hub.handlers.endHandlers(of: self) }
        if session.isOver(externalState) { end() }
    }

    private func carryOutActions() { hub.served.serve(quota.turn) { carryOutNextActions() } }

    private func carryOutNextActions() {
        while true {
            switch session.nextAction(externalState, &hub.turns, at: .now()) {
            case .send(let lines): send(lines)
            case .continueLine(let line): write(line)
            case .checkBarrier(let barrier): session.reportBarrier(isPassed: isPassed(barrier))
            case .prepare(let request, let id): session.reportRead(isPrepared: mayCarryOut(request, id))
            case .carryOut(let request, let id): carryOutRead(request, id)
            case .offerUnordered: session.reportUnordered(hadLines: writeUnorderedLines())
            case .offerSubscriptions: session.reportSubscriptions(hadLine: writeLineOfSubscription())
            case .readLine: carryOut(session.reportLine(wasThere: framer.next(receive) != nil))
            case .noteKept: reportKeptMemory()
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
        hub.turns.notePoll()
        unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
            traffic.bytesReceived += bytes.count
            guard session.mayReadMore(externalState) else {
                framer.append(bytes)
                if framer.length > Self.lengthUnreadMax, hasNoRoomForLines() { return }
                // The line may be a newer view. Nothing more is read until the connection is served and looks at it.
                if newerViews.search == .awaited {
                    newerViews.search = .none
                    markDue()
                }
                return
            }
            guard hub.turns.mayRead(number, of: quota.turn, at: .now()) else {
                framer.append(bytes)
                return carryOut(session.postponeLines())
            }
            session.beginReading(&hub.turns, at: .now())
            hub.served.serve(quota.turn) { read(bytes) }
        }
        finishReading()
    }

    /// Closes the connection if its input exceeds the user's limit, and drops the rest. SwiftNIO reads all bytes that a
    /// client left in its socket when it disconnected, without a limit.
    private func hasNoRoomForLines() -> Bool {
        reportKeptMemory()
        if quota.roomForRequests >= 0 { return false }
        framer.removeAll()
        reportKeptMemory()
        close()
        return true
    }

    private func read(_ bytes: UnsafeRawBufferPointer) {
        framer.read(bytes) { line in
            receive(line)
            // The framer is lending this line, so it cannot be asked for its length.
            let externalState = Session.ExternalState(hasBytes: true, isQuotaUsedUp: quota.isPaused)
            return session.shouldReadNextLine(externalState, at: .now()) ? .wantsMore : .sated
        }
    }

    func read(context: ChannelHandlerContext) { carryOut(session.askToRead(externalState)) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            framer.finish()
            session.endInput()
            if hub.turns.mayRead(number, of: quota.turn, at: .now()) {
                session.beginReadingKeptLines()
                carryOutActions()
            } else {
                carryOut(session.postponeLines())
            }
            markDue()
        }
        context.fireUserInboundEventTriggered(event)
    }
}

// MARK: - Limits

extension Connection {
    func applyLimits() {
        let lengthMax = hub.limits.lineLengthMax
        // A connector sends each batch in one line.
        framer.lineLengthMax = hub.connector.connection === self ? max(lengthMax, Replication.lineLengthMax) : lengthMax
    }

    /// Bytes of unread input above which the memory is checked. One read from a connected client is never longer.
    private static let lengthUnreadMax = 1 << 17

    /// Reports the memory that is kept for this client between ticks to its quota.
    func reportKeptMemory() {
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
            guard framer.skipUnfinishedLine() else { return }
            let smaller = "split it into several requests"
            refuseLine(.tooMuchHeld(length: length, smaller: smaller, max: hub.limits.heldLengthMax), nil)
            markDue()
        }
    }

    /// The memory that parts of a transaction may still take.
    var roomForParts: TransactionAssembly.Room {
        TransactionAssembly.Room(
            transactionLengthMax: hub.limits.transactionLengthMax, heldLengthMax: hub.limits.heldLengthMax,
            unheld: peer.isPrivileged ? .max : quota.roomForRequests + noted.requests)
    }

    /// The account for the rows of views; nil for root and the daemon's user, whose lists have no limit.
    var quotaOfRows: UserQuota? { peer.isPrivileged ? nil : quota }

    /// Queues a read. Refuses it if its view takes more memory than its user has left.
    func enqueueRead(_ request: Request, _ id: RequestID) {
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
    func countBackgroundChange(_ length: Int) {
        if peer.isPrivileged { return }
        lengthUnderway = length
        noted.answers += length
        quota.note(requests: 0, answers: length)
    }

    /// Reads one line if there is one, because the user may send requests again.
    func readOneLine() {
        var hasReadLine = false
        if session.beginQuotaTurn(externalState) {
            hub.served.serve(quota.turn) { hasReadLine = framer.next(receive) != nil }
        }
        carryOut(session.endQuotaTurn(hasReadLine: hasReadLine, externalState))
    }

    private func startSilenceTimeout() {
        let age = hub.limits.silentAgeMax
        guard age > 0 else { return }
        // Rounded up to whole seconds, so that connections that are opened together share a timer.
        let end = (DeadlineTimers<Connection>.time(.now() + .seconds(Int64(age))) + 999) / 1_000 * 1_000
        silenceEnd = end
        hub.silences.set(end, for: self)
    }

    /// Stops the timeout, because a line arrived.
    func cancelSilenceTimeout() {
        guard let end = silenceEnd else { return }
        silenceEnd = nil
        hub.silences.cancel(end, for: self)
    }

    /// Closes the connection, because no line arrived in time.
    func closeSilent() {
        silenceEnd = nil
        session.outbox.append { WireError.silent(ageMax: hub.limits.silentAgeMax).write(id: .null, into: &$0) }
        drain()
    }
}
