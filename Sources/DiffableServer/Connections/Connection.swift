import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import Logging
import NIOCore

/// One client: its lines in, its answers and subscriptions out.
///
/// - Lines are read one after the other (`Connection+Requests`). Reading pauses while a read waits for its turn, while
///   many answers are awaited, and while the client does not take what it was sent; so a client that never reads holds
///   no more than its socket buffers and one line.
/// - Lines are written at the end of a turn (`Connection+Output`): answers in the order of the requests, and of each
///   subscription what it is behind, as far as the socket takes it.
final class Connection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    let hub: Hub
    var framer: LineFramer
    var outbox = Outbox()
    var staging: Staging
    /// What the client calls itself.
    var name: String?
    /// How long the lines are that the client reads.
    var lineLengthMax: Int

    var subscriptions: [Subscription] = []
    var subscriptionsMade = 0
    /// The one whose turn it is to be asked for a line, so that no list starves another.
    var nextSubscription = 0
    /// The reply to `snapshot` that is being written; nothing else may stand in its line.
    var snapshotReply: SnapshotReplyWriter?

    /// Set while the connection is open.
    private(set) var context: ChannelHandlerContext?
    private var isDueAlready = false
    private var isReadHeld = false
    /// No more lines come: the client has closed its side, or the daemon is stopping.
    private var hasInputEnded = false

    /// How many answers may be awaited before reading pauses.
    private static let answersMax = 1_024

    init(hub: Hub) {
        self.hub = hub
        self.framer = LineFramer(lineLengthMax: hub.options.limits.lineLengthMax)
        self.staging = Staging(lengthMax: hub.options.limits.transactionLengthMax)
        self.lineLengthMax = hub.options.limits.lineOutLengthMax
    }

    var numberOfSubscriptions: Int { subscriptions.count }

    // MARK: Opening and closing

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        hub.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) { end() }

    private func end() {
        guard context != nil else { return }
        context = nil
        for subscription in subscriptions { subscription.end() }
        subscriptions = []
        hub.remove(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hub.logger.debug("connection lost", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    func close() { context?.close(promise: nil) }

    /// Takes no more lines; what was asked is answered, what subscribers are behind is sent, and then it closes.
    func drain() {
        endInput()
        isDraining = true
        isDue()
    }

    private(set) var isDraining = false

    private func endInput() {
        guard !hasInputEnded else { return }
        hasInputEnded = true
        framer.finish()
    }

    /// Whether nothing is left to do for it.
    var isFinished: Bool {
        guard hasInputEnded, outbox.isEmpty, snapshotReply == nil else { return false }
        return subscriptions.isEmpty || isDraining && subscriptions.allSatisfy(\.isSettled)
    }

    // MARK: Input

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDraining else { return }
        unwrapInboundIn(data).withUnsafeReadableBytes { framer.append($0) }
        readLines()
    }

    /// Reads the lines that are there, as far as they may be read now. What they ask for is answered at the end of the
    /// turn.
    func readLines() {
        while mayReadLines, framer.next(receive) != nil { isDue() }
    }

    private var mayReadLines: Bool { !isDraining && !outbox.hasRead && outbox.count < Self.answersMax }

    func read(context: ChannelHandlerContext) {
        if mayReadLines && context.channel.isWritable {
            context.read()
        } else {
            isReadHeld = true
        }
    }

    private func resumeReading(_ context: ChannelHandlerContext) {
        guard isReadHeld, mayReadLines, context.channel.isWritable else { return }
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

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { isDue() }
    }

    /// Something may be to be sent: it is looked at the end of the turn.
    func isDue() {
        guard !isDueAlready, context != nil else { return }
        isDueAlready = true
        hub.isDue(self)
    }

    /// Sends what there is, as far as the socket takes it.
    func serve() {
        isDueAlready = false
        guard let context else { return }
        write(to: context)
        // What was written may have closed the connection, or made room for answers to lines that came long ago.
        guard self.context != nil else { return }
        readLines()
        if isDueAlready { return }
        if isFinished {
            context.close(promise: nil)
        } else {
            resumeReading(context)
        }
    }
}
