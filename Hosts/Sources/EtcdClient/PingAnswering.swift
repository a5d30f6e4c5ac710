import NIOCore
import NIOSSL

/// Answers the server's PING frames before they reach the HTTP/2 of swift-nio-http2.
///
/// Since 1.46 that lets a peer send 200 PINGs in 30 seconds, then takes it for an attacker and closes the connection.
/// gRPC servers written in Go, etcd among them, send a PING for nearly every message to estimate the bandwidth, so a
/// connection lasted for 198 calls ("Stream unexpectedly closed"). The limit can be set in swift-nio-http2, but not
/// through grpc-swift-nio-transport 2.9.2. When it can be, this goes, and the test of a thousand calls stays.
final class PingAnswering: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var filter = PingFilter()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let outcome = filter.take(unwrapInboundIn(data))
        // Frames are written whole, each in one turn of the event loop, so an answer never stands inside another frame.
        for ping in outcome.pings {
            let answer = PingFilter.answer(to: ping, in: context.channel.allocator)
            context.write(wrapOutboundOut(answer), promise: nil)
        }
        if !outcome.pings.isEmpty { context.flush() }
        if outcome.rest.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(outcome.rest)) }
    }

    /// Stands where the bytes of HTTP/2 pass: at the socket, or behind the decryption.
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
