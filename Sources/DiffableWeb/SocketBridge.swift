import Logging
import NIOCore
import NIOWebSocket

/// Pipes a WebSocket to a connection of the daemon and back: a message is a line, and a line is a message.
///
/// It reads from the daemon only while the browser accepts data, and from the browser only while the daemon does. A line is
/// passed on in fragments as it arrives, so no line is ever held whole.
final class SocketBridge: ChannelInboundHandler, LinkedStream, DaemonReceiver {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// The time in which a browser can answer a close frame.
    private static let closingMax = TimeAmount.seconds(1)

    let link: Link
    private let hub: WebHub
    private var daemon: DaemonConnection?
    private var context: ChannelHandlerContext?
    private var isClosing = false
    /// Bytes of the browser's unfinished message; nil between messages.
    private var messageLength: Int?
    /// Whether the daemon has limited the connection. Nothing is passed on before.
    private var isReady = false
    /// Whether a line of the daemon has been sent in part.
    private var isInLine = false

    init(hub: WebHub, link: Link) {
        self.hub = hub
        self.link = link
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        self.context = context
        hub.begin(self)
        daemon = DaemonConnection.open(
            socket: hub.settings.daemonSocket, opening: DaemonConnection.openingRequests(for: link),
            on: context.eventLoop,
            for: self)
    }

    func channelInactive(context: ChannelHandlerContext) { end() }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    private func end() {
        isClosing = true
        daemon?.close()
        daemon = nil
        hub.end(self)
    }

    // MARK: - From the browser

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        if isClosing {
            if frame.opcode == .connectionClose { context.close(promise: nil) }
            return
        }
        // RFC 6455: a browser masks each frame, so that no proxy takes its content for a request.
        guard frame.maskKey != nil else { return close(.protocolError, "a frame is not masked") }
        guard isReady else { return close(.protocolError, "a frame came too soon") }
        guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            return close(.protocolError, "a frame needs an extension, and there is none")
        }
        switch frame.opcode {
        case .text where messageLength == nil, .continuation where messageLength != nil:
            forwardToDaemon(frame.unmaskedData, isLast: frame.fin)
        case .ping:
            // A browser that reads no answers gets none.
            guard context.channel.isWritable else { break }
            context.writeAndFlush(
                wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)), promise: nil)
        case .pong: break
        case .connectionClose: close(.normalClosure, "")
        case .binary: close(.unacceptableData, "messages are text")
        default: close(.protocolError, "an unexpected frame")
        }
    }

    private func forwardToDaemon(_ data: ByteBuffer, isLast: Bool) {
        var data = data
        let length = (messageLength ?? 0) + data.readableBytes
        guard length <= WebLimits.messageLengthMax else {
            return close(.messageTooLarge, "a message has at most \(WebLimits.messageLengthMax) bytes")
        }
        messageLength = isLast ? nil : length
        // Between the members of JSON, a blank means the same as a line break, which would end the line.
        data.withUnsafeMutableReadableBytes { bytes in
            for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") { bytes[index] = UInt8(ascii: " ") }
        }
        if isLast { data.writeInteger(UInt8(ascii: "\n")) }
        daemon?.send(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        daemon?.flush()
        if isClosing || isReady && daemon?.acceptsBytes ?? false { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { daemon?.resume() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error as? NIOWebSocketError {
        case .invalidFrameLength?:
            close(.messageTooLarge, "a message has at most \(WebLimits.messageLengthMax) bytes")
        case .some: close(.protocolError, "an invalid frame")
        case nil: context.close(promise: nil)
        }
    }

    // MARK: - From the daemon

    func daemonIsReady() {
        isReady = true
        context?.read()
    }

    var acceptsBytes: Bool { !isClosing && context?.channel.isWritable ?? false }

    func receive(_ bytes: ByteBuffer) {
        var bytes = bytes
        while let length = bytes.lengthToNewline, let line = bytes.readSlice(length: length) {
            bytes.moveReaderIndex(forwardBy: 1)
            send(line, isLast: true)
        }
        if bytes.readableBytes > 0 { send(bytes, isLast: false) }
    }

    private func send(_ fragment: ByteBuffer, isLast: Bool) {
        guard !isClosing else { return }
        let frame = WebSocketFrame(fin: isLast, opcode: isInLine ? .continuation : .text, data: fragment)
        isInLine = !isLast
        context?.write(wrapOutboundOut(frame), promise: nil)
    }

    func flush() { context?.flush() }

    func daemonAcceptsBytes() { context?.read() }

    func daemonEnded(_ end: DaemonEnd) {
        daemon = nil
        switch end {
        case .gone(let reason):
            hub.logger.debug("the daemon is gone: \(reason)")
            close(.serviceRestart, "the daemon is gone")
        case .refused(let name, let message):
            hub.complain(refused: name, message)
            close(.unexpectedServerError, "the daemon cannot limit this connection")
        }
    }

    // MARK: - Closing

    func linkEnded() { close(.policyViolation, "the link was removed or has ended") }

    func serverStops() { close(.goingAway, "the server stops") }

    private func close(_ code: WebSocketErrorCode, _ reason: String) {
        guard !isClosing, let context else { return }
        isClosing = true
        daemon?.close()
        daemon = nil
        var data = ByteBuffer()
        data.write(webSocketErrorCode: code)
        data.writeString(reason)
        let written = context.writeAndFlush(
            wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data)))
        let channel = context.channel
        // The side that began to close sends nothing more.
        if code == .normalClosure { written.whenComplete { _ in channel.close(promise: nil) } }
        context.eventLoop.scheduleTask(in: Self.closingMax) { channel.close(promise: nil) }
        context.read()
    }
}

extension WebSocketErrorCode {
    static let serviceRestart = WebSocketErrorCode(codeNumber: 1012)
}
