import DiffableJSON
import DiffableProtocol
import DiffableStore
import Glibc
import NIOCore
import NIOPosix

// Why not everything goes through the channel: a write through SwiftNIO's pipeline costs about as much again as the
// system call at its end (measured: 2.2 µs a delivery against 1.2 µs), and with a thousand subscribers that is what the
// daemon does all day. So bytes go from the loop straight to the socket, as long as it takes them. What it does not
// take goes to the channel, which waits until it does; up to then nothing goes past the channel, so the order holds.

extension Connection {
    /// The socket under the channel; nil for a channel that has none, which then gets everything.
    static func descriptor(of channel: any Channel) -> CInt? {
        try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
    }

    /// Sends bytes that may be written now: the socket takes them, or the channel keeps what it does not take.
    ///
    /// The connection may close meanwhile.
    func send(_ bytes: UnsafeRawBufferPointer) {
        traffic.bytesSent += bytes.count
        let sent = session.isSocketFull ? 0 : trySending(bytes)
        if sent < bytes.count { leaveToChannel(UnsafeRawBufferPointer(rebasing: bytes[sent...])) }
    }

    /// The same for what many are sent: the channel keeps what all their channels keep.
    func send(_ page: EncodedUpdate) {
        let length = page.bytes.count
        traffic.bytesSent += length
        let sent = session.isSocketFull ? 0 : page.bytes.withUnsafeBytes(trySending)
        guard sent < length, let rest = page.buffer.getSlice(at: sent, length: length - sent) else { return }
        leaveToChannel(rest)
    }

    /// How many bytes the socket took. An error is left to the channel, which meets it at once and knows what to do: it closes.
    /// Only who reads no more may have sent something before that is still to be read, and the end of that closes, too.
    private func trySending(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let descriptor else { return 0 }
        while true {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            if count >= 0 { return count }
            if errno == EPIPE { return bytes.count }
            if errno != EINTR { return 0 }
        }
    }

    private func leaveToChannel(_ bytes: UnsafeRawBufferPointer) {
        if context != nil { leaveToChannel(ByteBuffer(bytes: bytes)) }
    }

    private func leaveToChannel(_ bytes: ByteBuffer) {
        guard let context else { return }
        let length = bytes.readableBytes
        session.leaveToChannel(length: length)
        context.writeAndFlush(wrapOutboundOut(bytes)).assumeIsolated().whenComplete { _ in
            self.carryOut(self.session.finishLeftover(length: length))
        }
    }
}
