import DiffableClient
import Foundation
import NIOCore
import NIOPosix
import SharedLog

/// One connection to the daemon, as its connector: requests with their answers, and the daemon's calls.
actor DaemonConnection: DaemonLink {
    typealias Channel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private let writer: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var requests = 0
    private var waiting: [Int: AsyncStream<Result<WireResult, DaemonError>>.Continuation] = [:]
    private var isOver = false

    private init(_ writer: NIOAsyncChannelOutboundWriter<ByteBuffer>) { self.writer = writer }

    /// Connects, and handles input for as long as the body runs.
    ///
    /// - Parameter heard: called with each event, in order.
    static func with(
        _ path: SocketPath, heard: @Sendable @escaping (DaemonEvent) async throws -> Void,
        _ body: @Sendable @escaping (DaemonConnection) async throws -> Void
    ) async throws {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .withConnectedSocket(path.connected()) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineSplitter()))
                    return try Channel(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            let connection = DaemonConnection(outbound)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await line in inbound { try await connection.take(line, heard) }
                    throw DaemonError.gone
                }
                group.addTask { try await body(connection) }
                do { try await group.next() } catch {
                    group.cancelAll()
                    await connection.end()
                    throw error
                }
                group.cancelAll()
                await connection.end()
            }
        }
    }

    // MARK: Input

    private func take(_ line: ByteBuffer, _ heard: @Sendable (DaemonEvent) async throws -> Void) async throws {
        let message = try JSONDecoder().decode(WireMessage.self, from: Data(line.readableBytesView))
        if let id = message.id {
            waiting.removeValue(forKey: id)?.yield(Self.answer(message))
        } else if let method = message.method, let parameters = message.params {
            if let call = parameters.call(method) {
                try await heard(.call(call))
            } else if method == "behind", let list = parameters.list, let epoch = parameters.epoch,
                let batch = parameters.batch, let revision = parameters.revision
            {
                let replica = Replica(batch: batch, revision: revision, chain: parameters.chain)
                try await heard(.behind(list: list, epoch: epoch, replica))
            }
        }
        if message.method == "detached" { try await heard(.detached) }
    }

    private static func answer(_ message: WireMessage) -> Result<WireResult, DaemonError> {
        if let result = message.result { return .success(result) }
        guard let error = message.error else {
            return .failure(.refused("its reply has neither a result nor an error"))
        }
        return .failure(error.data?.name == "listExists" ? .listExists : .refused(error.message))
    }

    private func end() {
        isOver = true
        for (_, answer) in waiting { answer.finish() }
        waiting = [:]
    }

    // MARK: Output

    private func ask(_ method: String, _ parameters: some Encodable & Sendable) async throws(DaemonError) -> WireResult
    {
        guard !isOver else { throw .gone }
        requests += 1
        let id = requests
        let text = JSONText.encoded(WireRequest(id: id, method: method, params: parameters))
        let (answers, answer) = AsyncStream.makeStream(
            of: Result<WireResult, DaemonError>.self, bufferingPolicy: .bufferingNewest(1))
        waiting[id] = answer
        defer { waiting[id] = nil }
        do { try await writer.write(ByteBuffer(string: text + "\n")) } catch { throw .gone }
        for await result in answers { return try result.get() }
        throw .gone
    }

    func attach(
        as host: String, in space: String
    ) async throws(DaemonError) -> [(list: String, epoch: String, replica: Replica)] {
        let result = try await ask("attach", AttachParameters(host: host, space: space))
        return (result.lists ?? []).compactMap { shared in
            guard let list = shared.list, let epoch = shared.epoch, let replica = shared.replica else { return nil }
            return (list, epoch, replica)
        }
    }

    func replicate(_ replication: Replication) async throws(DaemonError) -> ReplicaReply {
        let result = try await ask("replicate", ReplicateParameters(replication))
        // A deleted list has no position.
        return ReplicaReply(result.replica ?? Replica(.beginning), fits: result.fits ?? true)
    }

    func settle(_ call: Int, _ outcome: CallOutcome) async throws(DaemonError) {
        _ = try await ask("settle", SettleParameters(call: call, outcome: outcome.rawValue))
    }

    func tell(hosts: [String]) async throws(DaemonError) {
        _ = try await ask("hosts", HostsParameters(hosts: hosts))
    }

    func checkpoint(of list: String) async throws(DaemonError) -> CheckpointTexts {
        let result = try await ask("checkpoint", ListParameters(list: list))
        guard let epoch = result.epoch, let parts = result.parts, let batch = result.batch,
            let revision = result.revision, let chain = result.chain
        else { throw .refused("its reply to checkpoint has no state") }
        return CheckpointTexts(
            epoch: epoch, position: Position(batch: batch, revision: revision, chain: chain), parts: parts)
    }
}

/// Splits input into lines, without line feeds. The daemon's lines have no maximum length.
struct LineSplitter: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    /// The number of bytes already searched.
    private var searched = 0

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) -> DecodingState {
        let unread = buffer.readableBytesView.dropFirst(searched)
        guard let end = unread.firstIndex(of: UInt8(ascii: "\n")) else {
            searched = buffer.readableBytes
            return .needMoreData
        }
        let line = buffer.readSlice(length: end - buffer.readerIndex)
        buffer.moveReaderIndex(forwardBy: 1)
        searched = 0
        if let line { context.fireChannelRead(wrapInboundOut(line)) }
        return .continue
    }

    // Bytes without a line feed are not a line.
    func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) -> DecodingState {
        .needMoreData
    }
}
