import DiffableProtocol
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// Answers the requests of one connection, one after the other, as the router decides.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler, StreamedResponse {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The time in which a browser takes a whole file.
    private static let responseMax = TimeAmount.seconds(60)
    /// The time for the browser to read the last response and to close.
    private static let closingMax = TimeAmount.seconds(2)

    private let hub: WebHub
    private let headGuard: HeadGuard
    private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
    private let encoder: HTTPResponseEncoder
    private var context: ChannelHandlerContext?
    private var head: HTTPRequestHead?
    private var headers: HTTPHeaders = [:]
    private var list: ListResponse?
    private var deadline: Scheduled<Void>?
    /// Whether another request may follow the one that is being answered.
    private var staysOpen = false
    private var isClosing = false

    private init(
        hub: WebHub, _ headGuard: HeadGuard, _ decoder: ByteToMessageHandler<HTTPRequestDecoder>,
        _ encoder: HTTPResponseEncoder
    ) {
        self.hub = hub
        self.headGuard = headGuard
        self.decoder = decoder
        self.encoder = encoder
    }

    /// Adds the handlers of a new connection.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations, hub: WebHub) throws {
        let headGuard = HeadGuard()
        let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes))
        let encoder = HTTPResponseEncoder()
        try pipeline.addHandlers(
            headGuard, decoder, encoder, RequestHandler(hub: hub, headGuard, decoder, encoder))
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        close(in: hub.settings.firstRequest)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }
    func channelInactive(context: ChannelHandlerContext) { end() }

    private func end() {
        deadline?.cancel()
        list?.end()
        list = nil
        context = nil
    }

    private func close(in time: TimeAmount) {
        deadline?.cancel()
        guard let channel = context?.channel else { return }
        deadline = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    // MARK: - Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // No body will follow: the router refuses a request that announces one.
        guard case .head(let head) = unwrapInboundIn(data), !isClosing else { return }
        self.head = head
        close(in: Self.responseMax)
        let decision = hub.settings.router.decision(
            on: head, isLocalSocket: context.localAddress?.protocol == .unix, links: hub.currentLinks(), now: hub.now)
        headers = decision.headers
        carryOut(decision.action, head)
    }

    private func carryOut(_ action: RequestRouter.Action, _ head: HTTPRequestHead) {
        switch action {
        case .refuse(let status, let text): refuse(status, text)
        case .file(let name): sendFile(name, head)
        case .ownPage(let path): sendOwnPage(path, head)
        case .health:
            hub.health.run { [weak self] isHealthy in
                self?.answer(
                    isHealthy ? .ok : .serviceUnavailable, "{\"version\":\"\(Version.current)\"}\n",
                    type: "application/json")
            }
        case .snapshot(let name, let view, let link):
            begin(SnapshotResponse(hub: hub, link: link, response: self, list: name, view: view))
        case .events(let name, let view, let since, let link):
            begin(EventResponse(hub: hub, link: link, response: self, list: name, view: view, since: since))
        case .socket(let link, let namesProtocol): upgrade(head, link, namesProtocol: namesProtocol)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isClosing { return }
        guard let error = error as? HTTPParserError, head == nil else { return context.close(promise: nil) }
        headers = hub.settings.router.headersOfRefusal
        if error == .headerOverflow {
            refuse(.requestHeaderFieldsTooLarge, "a request's head has at most \(HeadGuard.lengthMax) bytes")
        } else {
            refuse(.badRequest, "this is not a correct HTTP request")
        }
    }

    // MARK: - Whole responses

    func refuse(_ status: HTTPResponseStatus, _ text: String) {
        list = nil
        answer(status, text + "\n", type: "text/plain; charset=utf-8")
    }

    private func answer(_ status: HTTPResponseStatus, _ text: String, type: String) {
        guard context != nil, !isClosing else { return }
        headers.add(name: "Content-Type", value: type)
        headers.add(name: "Content-Length", value: "\(text.utf8.count)")
        writeHead(status)
        if head?.method != .HEAD { write(ByteBuffer(string: text)) }
        finish()
    }

    private func isUnchanged(_ tag: String, _ head: HTTPRequestHead) -> Bool {
        headers.add(name: "ETag", value: tag)
        guard head.headers[canonicalForm: "If-None-Match"].contains(where: { $0 == tag || $0 == "*" }) else {
            return false
        }
        writeHead(.notModified)
        finish()
        return true
    }

    private func sendFile(_ name: String, _ head: HTTPRequestHead) {
        guard let file = hub.settings.router.files[name] else { return refuse(.notFound, "there is nothing here") }
        // The page of a list is one folder deeper, and its links are relative, for proxies.
        let isDeeper = name == "page.html" && head.uri.hasPrefix("/lists/")
        guard !isUnchanged(isDeeper ? "\"l\(file.tag)\"" : "\"\(file.tag)\"", head) else { return }
        let text = isDeeper ? file.text.replacing("=\"./", with: "=\"../") : file.text
        answer(
            .ok, text, type: name == "manifest.json" ? "application/manifest+json" : mediaType(of: name))
    }

    private func sendOwnPage(_ path: [String], _ head: HTTPRequestHead) {
        guard let file = hub.settings.ownPages?.open(path) else {
            return refuse(.notFound, "there is nothing here")
        }
        guard !isUnchanged(file.tag, head) else {
            _ = Glibc.close(file.descriptor)
            return
        }
        // The kernel copies the file to the socket, so that its length does not matter here.
        let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: file.descriptor)
        headers.add(name: "Content-Type", value: mediaType(of: file.name))
        headers.add(name: "Content-Length", value: "\(file.length)")
        writeHead(.ok)
        if head.method == .HEAD {
            try? handle.close()
        } else {
            let region = FileRegion(fileHandle: handle, readerIndex: 0, endIndex: file.length)
            context?.write(wrapOutboundOut(.body(.fileRegion(region)))).whenComplete { _ in try? handle.close() }
        }
        finish()
    }

    // MARK: - Streamed responses

    private func begin(_ list: ListResponse) {
        guard hub.hasRoom(for: list.link) else { return refuseTooManyConnections() }
        self.list = list
        list.start()
    }

    private func refuseTooManyConnections() {
        refuse(
            .tooManyRequests,
            "this link has \(hub.settings.connectionsPerTokenMax) connections already, and cannot have more")
    }

    var isWritable: Bool { context?.channel.isWritable ?? false }

    func begin(_ status: HTTPResponseStatus, type: String) {
        deadline?.cancel()
        headers.add(name: "Content-Type", value: type)
        writeHead(status)
    }

    func write(_ bytes: ByteBuffer) { context?.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil) }

    func flush() { context?.flush() }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { list?.resume() }
    }

    // MARK: - Ends of responses

    private func writeHead(_ status: HTTPResponseStatus) {
        // Only a flawless exchange is followed by another one on the same connection.
        staysOpen = false
        if let head, status.code < 400, head.version == .http1_1, !headGuard.hasMore {
            staysOpen = head.isKeepAlive && !head.headers.contains(name: "Upgrade")
        }
        var response = HTTPResponseHead(version: head?.version ?? .http1_1, status: status, headers: headers)
        if !staysOpen { response.headers.replaceOrAdd(name: "Connection", value: "close") }
        context?.write(wrapOutboundOut(.head(response)), promise: nil)
    }

    func finish() {
        guard let context, !isClosing else { return }
        list = nil
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        if staysOpen, !headGuard.hasMore {
            (head, headers) = (nil, [:])
            close(in: hub.settings.firstRequest)
            return headGuard.expectNext()
        }
        isClosing = true
        // If the browser still sends, closing at once would discard the response before it is read.
        let channel = context.channel
        written.whenComplete { _ in channel.close(mode: .output, promise: nil) }
        close(in: Self.closingMax)
    }

    func cutOff() {
        isClosing = true
        list = nil
        context?.flush()
        context?.close(promise: nil)
    }

    // MARK: - WebSockets

    private func upgrade(_ head: HTTPRequestHead, _ link: Link, namesProtocol: Bool) {
        guard let channel = context?.channel else { return }
        guard hub.hasRoom(for: link) else { return refuseTooManyConnections() }
        let headers: HTTPHeaders = namesProtocol ? ["Sec-WebSocket-Protocol": "diffable.v1"] : [:]
        NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(headers) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
        )
        .buildUpgradeResponse(channel: channel, upgradeRequest: head, initialResponseHeaders: [:])
        .assumeIsolated().whenComplete { [self] result in
            do { try upgradeToWebSocket(result.get(), link) } catch {
                refuse(.badRequest, "this is not a correct request for a WebSocket")
            }
        }
    }

    /// Replaces the handlers of HTTP. The browser gets the answer when the new ones are there, and sends nothing before.
    private func upgradeToWebSocket(_ headers: HTTPHeaders, _ link: Link) throws {
        guard let context else { return }
        isClosing = true
        deadline?.cancel()
        try context.channel.syncOptions?.setOption(.autoRead, value: false)
        let response = HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        let (channel, pipeline, hub) = (context.channel, context.pipeline.syncOperations, hub)
        _ = pipeline.removeHandler(encoder)
        _ = pipeline.removeHandler(headGuard)
        pipeline.removeHandler(decoder).assumeIsolated().whenComplete { [self] _ in
            do {
                _ = pipeline.removeHandler(self)
                try pipeline.addHandlers(
                    WebSocketFrameEncoder(),
                    ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: WebLimits.messageLengthMax)),
                    SocketBridge(hub: hub, link: link))
                channel.flush()
            } catch { channel.close(promise: nil) }
        }
    }
}
