import NIOCore
import NIOSSL
import Synchronization

/// Keeps the reason why a secure connection failed: a call that waited for it only says that it took too long.
final class TrustFailures: Sendable {
    private let newest = Mutex<TrustFailure?>(nil)

    var last: TrustFailure? { newest.withLock { $0 } }

    fileprivate func keep(_ failure: TrustFailure) { newest.withLock { $0 = $0 ?? failure } }
}

/// Stands behind the decryption, whose errors come by.
final class TrustFailureListening: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let failures: TrustFailures

    init(_ failures: TrustFailures) { self.failures = failures }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let failure = TrustFailure(error) { failures.keep(failure) }
        context.fireErrorCaught(error)
    }

    /// Does nothing for a connection that is not secure.
    static func install(in channel: any Channel, _ failures: TrustFailures) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            guard let decryption = try? pipeline.handler(type: NIOSSLClientHandler.self) else { return }
            try pipeline.addHandler(TrustFailureListening(failures), position: .after(decryption))
        }
    }
}
