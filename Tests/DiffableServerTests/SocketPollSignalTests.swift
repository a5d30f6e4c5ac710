import NIOCore
import NIOPosix
import Testing

@testable import DiffableServer

struct LookSignalTests {
    private final class Notes {
        var texts: [String] = []
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let notes: Notes

        init(_ notes: Notes) { self.notes = notes }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            notes.texts.append(String(buffer: unwrapInboundIn(data)))
        }
    }

    @Test func `the call follows the look at the sockets, however many tasks follow each other`() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let done = loop.makePromise(of: [String].self)
        let state = try await loop.submit {
            let notes = Notes()
            let signal = SocketPollSignal {
                notes.texts.append("look")
                done.succeed(notes.texts)
            }
            return NIOLoopBound((notes, signal), eventLoop: loop)
        }.get()
        _ = try await loop.flatSubmit { state.value.1.start(on: loop) }.get()
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let (written, read) = (ends[0], ends[1])
        defer { close(written) }
        _ = try await ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Reader(state.value.0))
                }
            }
            .withConnectedSocket(read).get()
        loop.execute {
            #expect(write(written, "a", 1) == 1)
            state.value.1.request()
            state.value.1.request()
            follow(100)
        }
        /// Each task adds the next one, so the loop has no reason to check its sockets in between.
        @Sendable func follow(_ count: Int) {
            state.value.0.texts.append("task")
            if count > 1 { loop.execute { follow(count - 1) } }
        }
        let texts = try await done.futureResult.get()
        #expect(texts == Array(repeating: "task", count: 100) + ["a", "look"])
        try await group.shutdownGracefully()
    }
}
