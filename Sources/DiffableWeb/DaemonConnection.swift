import DiffableClient
import DiffableJSON
import DiffableProtocol
import Glibc
import NIOCore
import NIOPosix

/// The browser's end of a connection to the daemon. All calls are on the event loop.
protocol DaemonReceiver: AnyObject {
    /// The daemon has accepted the opening requests.
    func daemonIsReady()
    /// Whether the browser accepts more. While it does not, nothing is read from the daemon.
    var acceptsBytes: Bool { get }
    func receive(_ bytes: ByteBuffer)
    /// No more bytes have arrived for now.
    func flush()
    /// The daemon accepts bytes again.
    func daemonAcceptsBytes()
    /// The last call.
    func daemonEnded(_ end: DaemonEnd)
}

enum DaemonEnd: Equatable {
    /// No connection, or a lost one, with the reason.
    case gone(String)
    /// The daemon refused an opening request: the error's name and message.
    case refused(String, String)
}

/// One connection to the daemon: sends the opening requests, swallows their replies, and then pipes bytes that it does not read.
final class DaemonConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Bytes of the longest opening reply. `hello` has some hundreds.
    private static let replyLengthMax = 64 << 10

    private var receiver: (any DaemonReceiver)?
    private let opening: ByteBuffer
    private var repliesMissing: Int
    private var reply = ByteBuffer()
    private var context: ChannelHandlerContext?
    private var isWaiting = false
    private var deadline: Scheduled<Void>?

    private init(opening: ByteBuffer, replies: Int, receiver: any DaemonReceiver) {
        self.opening = opening
        self.repliesMissing = replies
        self.receiver = receiver
    }

    /// Connects as any client does: to the named socket or the usual one, if only trusted users control it.
    ///
    /// - Parameter openingMax: the time for the opening replies.
    static func open(
        socket: String?, opening: String, within openingMax: TimeAmount = .seconds(10), on loop: any EventLoop,
        for receiver: any DaemonReceiver
    ) -> DaemonConnection {
        let connection = DaemonConnection(
            opening: ByteBuffer(string: opening), replies: opening.utf8.count { $0 == UInt8(ascii: "\n") },
            receiver: receiver)
        let isolated = loop.assumeIsolated()
        connection.deadline = isolated.scheduleTask(in: openingMax) { connection.end(.gone("it does not answer")) }
        do {
            guard let descriptor = try SocketPath.find(socket).connected(waits: false) else {
                isolated.execute { connection.end(.gone("it is busy")) }
                return connection
            }
            let bound = NIOLoopBound(connection, eventLoop: loop)
            ClientBootstrap(group: loop)
                .channelOption(.autoRead, value: false)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16 << 10))
                .channelOption(.writeBufferWaterMark, value: .init(low: 16 << 10, high: 64 << 10))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                            of: NIOBSDSocket.Handle.self
                        ) { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
                        try channel.pipeline.syncOperations.addHandler(bound.value)
                    }
                }
                .withConnectedSocket(descriptor)
                .assumeIsolated().whenFailure { connection.end(.gone("\($0)")) }
        } catch { isolated.execute { connection.end(.gone("\(error)")) } }
        return connection
    }

    // MARK: - From the browser

    var acceptsBytes: Bool { context?.channel.isWritable ?? false }

    func send(_ bytes: ByteBuffer) { context?.write(wrapOutboundOut(bytes), promise: nil) }

    func flush() { context?.flush() }

    /// Reads on after the receiver did not accept more.
    func resume() {
        guard isWaiting, let context else { return }
        isWaiting = false
        context.read()
    }

    /// Closes, without another call to the receiver.
    func close() {
        receiver = nil
        deadline?.cancel()
        context?.close(promise: nil)
    }

    private func end(_ end: DaemonEnd) {
        let receiver = receiver
        close()
        receiver?.daemonEnded(end)
    }

    // MARK: - From the daemon

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        guard receiver != nil else { return context.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(opening), promise: nil)
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        while repliesMissing > 0, bytes.readableBytes > 0, receiver != nil {
            let newline = bytes.lengthToNewline
            guard var part = bytes.readSlice(length: newline.map { $0 + 1 } ?? bytes.readableBytes) else { break }
            reply.writeBuffer(&part)
            guard reply.readableBytes <= Self.replyLengthMax else { return end(.gone("its reply is too long")) }
            if newline != nil { readReply() }
        }
        if bytes.readableBytes > 0 { receiver?.receive(bytes) }
    }

    private func readReply() {
        do {
            let line = try DaemonLine(reply.readableBytesView)
            if let error = line.error { return end(.refused(error.name, error.message)) }
        } catch { return end(.gone("its reply is not JSON: \(error)")) }
        reply.clear()
        repliesMissing -= 1
        guard repliesMissing == 0 else { return }
        deadline?.cancel()
        reply = ByteBuffer()
        receiver?.daemonIsReady()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard let receiver else { return }
        receiver.flush()
        if repliesMissing > 0 || receiver.acceptsBytes { context.read() } else { isWaiting = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, repliesMissing == 0 { receiver?.daemonAcceptsBytes() }
    }

    func channelInactive(context: ChannelHandlerContext) { end(.gone("it closed the connection")) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(.gone("\(error)")) }
}

extension DaemonConnection {
    /// The requests that open the connection of a link: the name for `diffablectl clients`, and the link's limits.
    static func openingRequests(for link: Link) -> String {
        var writer = ByteWriter()
        writer.append("{\"id\":1,\"method\":\"hello\",\"params\":{\"name\":")
        writer.appendString("diffable-web:\(link.name)")
        writer.append("}}\n{\"id\":2,\"method\":\"restrict\",\"params\":{\"methods\":")
        writer.appendArray(link.methods) { $1.appendString($0.rawValue) }
        writer.append(",\"lists\":")
        writer.appendArray(link.lists) { $1.appendString($0) }
        writer.append("}}\n")
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension ByteBuffer {
    /// The number of readable bytes before the first newline; nil without one.
    var lengthToNewline: Int? {
        withUnsafeReadableBytes { bytes in
            guard let start = bytes.baseAddress, let found = memchr(start, 0x0A, bytes.count) else { return nil }
            return UnsafeRawPointer(found) - start
        }
    }
}
