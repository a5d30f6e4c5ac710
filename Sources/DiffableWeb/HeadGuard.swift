import NIOCore
import NIOHTTP1

/// Lets one request head at a time through to the HTTP decoder, at most 16 KB, and nothing after it.
///
/// No request of ours has a body. So bytes after a head are a body or another request that did not wait. Both are dropped, and
/// the connection closes after the answer: two servers that read such bytes differently are how requests are smuggled.
final class HeadGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    static let lengthMax = 16 << 10

    private var end = HeadEnd()
    private var length = 0
    private var isAnswering = false
    /// Whether bytes followed the head that is being answered.
    private(set) var hasMore = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard !isAnswering else {
            hasMore = true
            return
        }
        let count = end.find(in: bytes.readableBytesView)
        length += count ?? bytes.readableBytes
        guard length <= Self.lengthMax else {
            (isAnswering, hasMore) = (true, true)
            return context.fireErrorCaught(HTTPParserError.headerOverflow)
        }
        if let count {
            isAnswering = true
            hasMore = count < bytes.readableBytes
            guard let head = bytes.readSlice(length: count) else { return }
            bytes = head
        }
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    /// Lets the next head through.
    func expectNext() {
        (end, length, isAnswering, hasMore) = (HeadEnd(), 0, false, false)
    }
}

/// Finds the blank line at the end of a head that arrives in pieces.
struct HeadEnd {
    private var isLineEmpty = false

    /// Returns the number of bytes up to the end, with the blank line; nil if the end is not in this piece.
    mutating func find(in bytes: some Sequence<UInt8>) -> Int? {
        var count = 0
        for byte in bytes {
            count += 1
            switch byte {
            case UInt8(ascii: "\n"):
                if isLineEmpty { return count }
                isLineEmpty = true
            case UInt8(ascii: "\r"): break
            default: isLineEmpty = false
            }
        }
        return nil
    }
}
