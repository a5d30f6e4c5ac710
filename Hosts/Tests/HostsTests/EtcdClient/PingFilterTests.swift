import NIOCore
import NIOEmbedded
import Testing

@testable import EtcdClient

@Suite struct PingFilterTests {
    /// An empty SETTINGS, a PING, HEADERS of 3 bytes, the answer to a PING, DATA of 20 bytes that look like a PING, a PING.
    private let stream: [UInt8] =
        [0, 0, 0, 4, 0, 0, 0, 0, 0]
        + [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
        + [0, 0, 3, 1, 4, 0, 0, 0, 1, 9, 9, 9]
        + [0, 0, 8, 6, 1, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1]
        + [0, 0, 20, 0, 0, 0, 0, 0, 1, 0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 8]
        + [0, 0, 8, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255]

    private var rest: [UInt8] { Array(stream[..<9]) + Array(stream[26..<84]) }

    @Test func pingsAreTakenOutWhereverTheStreamIsCut() {
        for cut in 0...stream.count {
            for second in stride(from: cut, through: stream.count, by: 5) {
                var filter = PingFilter()
                var (passed, pings): ([UInt8], [UInt64]) = ([], [])
                for piece in [stream[..<cut], stream[cut..<second], stream[second...]] {
                    let outcome = filter.take(ByteBuffer(bytes: piece))
                    passed += Array(outcome.rest.readableBytesView)
                    pings += outcome.pings
                }
                #expect(passed == rest, "cut at \(cut) and \(second)")
                #expect(pings == [0x0102_0304_0506_0708, 255], "cut at \(cut) and \(second)")
            }
        }
    }

    @Test func eachPingIsAnsweredWithWhatItSaid() throws {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(PingAnswering())
        try channel.writeInbound(ByteBuffer(bytes: stream))
        let first = try #require(try channel.readOutbound(as: ByteBuffer.self))
        let second = try #require(try channel.readOutbound(as: ByteBuffer.self))
        #expect(Array(first.readableBytesView) == [0, 0, 8, 6, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(Array(second.readableBytesView) == [0, 0, 8, 6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255])
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        #expect(try channel.readInbound(as: ByteBuffer.self).map { Array($0.readableBytesView) } == rest)
    }
}
