import NIOCore

/// A refused client after it was sent the reason. It is kept until it closes, or for a second: most clients write
/// before they read, and one that cannot write would never read the reason.
final class RefusedClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let hub: Hub

    /// The maximum number, with descriptors reserved for them (`StartUp+Descriptors`). Others are closed at once.
    static let countMax = 32

    init(hub: Hub) { self.hub = hub }

    func handlerAdded(context: ChannelHandlerContext) {
        hub.numberOfRefusedClients += 1
        let channel = context.channel
        hub.schedule(in: .seconds(1)) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        hub.numberOfRefusedClients -= 1
        hub.onRoom()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
