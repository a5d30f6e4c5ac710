import NIOCore

/// Removes the PING frames from a stream of HTTP/2 bytes, wherever it is split, and leaves the rest unchanged.
///
/// A frame has a header of 9 bytes (length in three, type, flags, stream), and its payload follows (RFC 9113, section 4.1). PING
/// has the type 6 and a payload of 8 bytes; its flag 1 marks an answer (6.7).
struct PingFilter {
    /// The result of one piece of the stream.
    struct Outcome: Equatable {
        /// The bytes for the HTTP/2 implementation.
        var rest: ByteBuffer
        /// The payloads of the PINGs, which the answers repeat.
        var pings: [UInt64]
    }

    static let headerLength = 9
    static let pingType: UInt8 = 6
    static let answerFlag: UInt8 = 1

    /// The beginning of an incomplete header or PING.
    private var beginning = ByteBuffer()
    /// Bytes left of a frame that is not a PING.
    private var passing = 0

    mutating func take(_ piece: ByteBuffer) -> Outcome {
        var outcome = Outcome(rest: ByteBuffer(), pings: [])
        var piece = piece
        while piece.readableBytes > 0 {
            if passing > 0, var passed = piece.readSlice(length: min(passing, piece.readableBytes)) {
                passing -= passed.readableBytes
                outcome.rest.writeBuffer(&passed)
            } else {
                takeByte(of: &piece, &outcome)
            }
        }
        return outcome
    }

    /// Takes a byte of a header or a PING. They are short, so reading byte by byte is fast enough.
    private mutating func takeByte(of piece: inout ByteBuffer, _ outcome: inout Outcome) {
        beginning.writeInteger(piece.readInteger(as: UInt8.self) ?? 0)
        let read = beginning.readableBytesView
        guard read.count >= Self.headerLength else { return }
        let start = read.startIndex
        let length = Int(read[start]) << 16 | Int(read[start + 1]) << 8 | Int(read[start + 2])
        let isPing = read[start + 3] == Self.pingType && read[start + 4] & Self.answerFlag == 0 && length == 8
        if isPing, read.count < Self.headerLength + length { return }
        if isPing {
            outcome.pings.append(beginning.getInteger(at: beginning.readerIndex + Self.headerLength) ?? 0)
        } else {
            passing = length
            outcome.rest.writeBuffer(&beginning)
        }
        beginning.clear()
    }

    /// Returns the frame that answers a PING.
    static func answer(to ping: UInt64, in allocator: ByteBufferAllocator) -> ByteBuffer {
        var frame = allocator.buffer(capacity: headerLength + 8)
        frame.writeBytes([0, 0, 8, pingType, answerFlag, 0, 0, 0, 0])
        frame.writeInteger(ping)
        return frame
    }
}
