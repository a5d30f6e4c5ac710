import NIOCore
import NIOSSL

/// Answers the server's PING frames before they reach swift-nio-http2.
///
/// Since 1.46 that lets a peer send 200 PINGs in 30 seconds, and then closes the connection as an attack. gRPC servers written
/// in Go, including etcd, send a PING for nearly every message to estimate the bandwidth, so a connection lasted for 198 calls
/// ("Stream unexpectedly closed"). The limit can be set in swift-nio-http2, but not through grpc-swift-nio-transport 2.9.2. When
/// it can be, delete this, and keep the test of a thousand calls.
final class PingAnswering: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var filter = PingFilter()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let outcome = filter.take(unwrapInboundIn(data))
        // Each frame is written whole in one tick of the event loop, so an answer is never inside another frame.
        for ping in outcome.pings {
            let answer = PingFilter.answer(to: ping, in: context.channel.allocator)
            context.write(wrapOutboundOut(answer), promise: nil)
        }
        if !outcome.pings.isEmpty { context.flush() }
        if outcome.rest.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(outcome.rest)) }
    }

    /// Installs the handler where the bytes of HTTP/2 pass: at the socket, or after decryption.
    static func install(in channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let decryption = try? pipeline.handler(type: NIOSSLClientHandler.self) {
                try pipeline.addHandler(PingAnswering(), position: .after(decryption))
            } else {
                try pipeline.addHandler(PingAnswering(), position: .first)
            }
        }
    }
}
