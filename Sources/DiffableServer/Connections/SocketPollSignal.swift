import Glibc
import NIOCore
import NIOPosix

/// Calls back after the event loop has polled its sockets.
///
/// The loop polls its sockets only when no task is due. So work that continues in further tasks, or that another thread
/// keeps handing over, could keep the loop from its sockets forever. To detect a poll, this writes a byte to a socket
/// pair, which the loop reads at its next poll.
final class SocketPollSignal: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let byte = ByteBuffer(bytes: [0])
    private var context: ChannelHandlerContext?
    private var isRequested = false
    private let onPoll: () -> Void

    /// - Parameter onPoll: called on the event loop after all ready sockets have been read.
    init(onPoll: @escaping () -> Void) { self.onPoll = onPoll }

    /// Opens the pair. Call this on the event loop.
    func start(on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        var ends: [Int32] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            return eventLoop.makeFailedFuture(IOError(errnoCode: errno, reason: "socketpair"))
        }
        let signal = NIOLoopBound(self, eventLoop: eventLoop)
        return NIOPipeBootstrap(group: eventLoop)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(signal.value) }
            }
            .takingOwnershipOfDescriptors(input: ends[0], output: ends[1])
    }

    /// Asks for one call after the next poll.
    func request() {
        guard !isRequested, let context else { return }
        isRequested = true
        context.writeAndFlush(NIOAny(byte), promise: nil)
    }

    func stop() { context?.close(promise: nil) }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isRequested = false
        let signal = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute { signal.value.onPoll() }
    }
}
