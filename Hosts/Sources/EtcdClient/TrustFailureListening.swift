import NIOCore
import NIOSSL
import Synchronization

/// Keeps the reason why a TLS connection failed, because a waiting call only reports a timeout.
final class TrustFailures: Sendable {
    private let newest = Mutex<TrustFailure?>(nil)

    var last: TrustFailure? { newest.withLock { $0 } }

    fileprivate func keep(_ failure: TrustFailure) { newest.withLock { $0 = $0 ?? failure } }
}

/// Receives errors of decryption in the channel's pipeline.
final class TrustFailureListening: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let failures: TrustFailures

    init(_ failures: TrustFailures) { self.failures = failures }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let failure = TrustFailure(error) { failures.keep(failure) }
        context.fireErrorCaught(error)
    }

    /// Installs the handler; does nothing for a connection without TLS.
    static func install(in channel: any Channel, _ failures: TrustFailures) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            guard let decryption = try? pipeline.handler(type: NIOSSLClientHandler.self) else { return }
            try pipeline.addHandler(TrustFailureListening(failures), position: .after(decryption))
        }
    }
}
