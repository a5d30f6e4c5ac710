import Diffable
import DiffableJSON
import Logging
import NIOCore
import NIOHTTP1

/// The end of an HTTP response that a connection to the daemon feeds.
protocol StreamedResponse: AnyObject {
    var isWritable: Bool { get }
    func begin(_ status: HTTPResponseStatus, type: String)
    func write(_ bytes: ByteBuffer)
    func flush()
    /// Ends a response that has begun.
    func finish()
    /// Closes the connection without the end of a response that has begun, so that the client sees that a part is missing.
    func cutOff()
    /// Answers with an error; only before `begin`.
    func refuse(_ status: HTTPResponseStatus, _ text: String)
}

/// The common part of both responses: one request to the daemon under the limits of a link.
class ListResponse: LinkedStream, DaemonReceiver {
    let link: Link
    fileprivate let hub: WebHub
    fileprivate var response: (any StreamedResponse)?
    private var daemon: DaemonConnection?
    private let request: ByteBuffer
    fileprivate var hasBegun = false

    fileprivate init(hub: WebHub, link: Link, response: any StreamedResponse, request: ByteWriter) {
        self.hub = hub
        self.link = link
        self.response = response
        self.request = ByteBuffer(bytes: request.bytes)
    }

    func start() {
        hub.begin(self)
        daemon = DaemonConnection.open(
            socket: hub.settings.daemonSocket, opening: DaemonConnection.openingRequests(for: link), on: hub.loop,
            for: self)
    }

    /// Ends the request to the daemon, and forgets the response without finishing it.
    func end() {
        daemon?.close()
        daemon = nil
        response = nil
        hub.end(self)
    }

    fileprivate func finish() { takeResponse()?.finish() }

    /// Ends a response before everything was sent.
    fileprivate func cutOff() { takeResponse()?.cutOff() }

    fileprivate func refuse(_ status: HTTPResponseStatus, _ text: String) { takeResponse()?.refuse(status, text) }

    /// The response, for its last words.
    private func takeResponse() -> (any StreamedResponse)? {
        let response = response
        end()
        return response
    }

    func resume() { daemon?.resume() }

    // MARK: - DaemonReceiver

    func daemonIsReady() {
        daemon?.send(request)
        daemon?.flush()
    }

    var acceptsBytes: Bool { response?.isWritable ?? false }
    func receive(_ bytes: ByteBuffer) {}
    func flush() { response?.flush() }
    func daemonAcceptsBytes() {}

    func daemonEnded(_ end: DaemonEnd) {
        if hasBegun { return cutOff() }
        switch end {
        case .gone(let reason):
            hub.logger.debug("the daemon is gone: \(reason)")
            refuse(.serviceUnavailable, "the daemon is not there")
        case .refused(let name, let message):
            hub.complain(refused: name, message)
            refuse(.internalServerError, "the daemon cannot limit this connection")
        }
    }

    // MARK: - LinkedStream

    func linkEnded() { stop() }
    func serverStops() { stop() }

    private func stop() { if hasBegun { cutOff() } else { refuse(.serviceUnavailable, "the server stops") } }

    /// Answers with an error of the daemon.
    fileprivate func refuse(_ error: (name: String, message: String)) {
        switch error.name {
        case "noSuchList": refuse(.notFound, RequestRouter.noSuchList)
        case "permissionDenied": refuse(.forbidden, error.message)
        case "invalidParams", "parseError": refuse(.badRequest, error.message)
        case "tooLarge": refuse(.payloadTooLarge, error.message)
        default: refuse(.serviceUnavailable, error.message)
        }
    }
}

/// `/lists/NAME`: the result of `snapshot`, passed on as it arrives.
final class SnapshotResponse: ListResponse {
    /// The beginning of the reply, which is not the result. The daemon writes it so.
    private static let prefix = ByteBuffer(string: "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":")
    private static let lengthOfErrorMax = 64 << 10

    private var pending = ByteBuffer()

    init(hub: WebHub, link: Link, response: any StreamedResponse, list: ListName, view: [UInt8]?) {
        var request = ByteWriter()
        request.append("{\"id\":3,\"method\":\"snapshot\",\"params\":{\"list\":")
        request.appendString(list)
        request.append(view: view)
        request.append("}}\n")
        super.init(hub: hub, link: link, response: response, request: request)
    }

    override func receive(_ bytes: ByteBuffer) {
        pending.writeImmutableBuffer(bytes)
        if !hasBegun {
            guard pending.readableBytes > Self.prefix.readableBytes else { return }
            guard pending.readableBytesView.starts(with: Self.prefix.readableBytesView) else { return readError() }
            pending.moveReaderIndex(forwardBy: Self.prefix.readableBytes)
            hasBegun = true
            response?.begin(.ok, type: "application/json")
        }
        // The last byte before the newline closes the reply, so one byte is always kept back.
        let isLast = pending.lengthToNewline != nil
        let length = (pending.lengthToNewline ?? pending.readableBytes) - 1
        if length > 0, let part = pending.readSlice(length: length) { response?.write(part) }
        if isLast {
            finish()
        } else {
            pending = ByteBuffer(bytes: pending.readableBytesView)
        }
    }

    private func readError() {
        guard let length = pending.lengthToNewline else {
            if pending.readableBytes > Self.lengthOfErrorMax { refuse(.badGateway, "the daemon's reply is too long") }
            return
        }
        let line = try? DaemonLine(pending.readableBytesView.prefix(length))
        if let error = line?.error { refuse(error) } else { refuse(.badGateway, "the daemon's reply cannot be read") }
    }
}

/// `/lists/NAME/events`: a subscription as server-sent events.
final class EventResponse: ListResponse {
    private static let commentInterval = TimeAmount.seconds(15)
    /// Bytes of the longest line; the daemon's lines are at most 64 KB.
    private static let lineLengthMax = 1 << 20

    private var pending = ByteBuffer()
    private var epoch = ""
    private var comment: Scheduled<Void>?

    /// - Parameter since: the id of the last event that the browser has: EPOCH:REVISION.
    init(hub: WebHub, link: Link, response: any StreamedResponse, list: ListName, view: [UInt8]?, since: String?) {
        var request = ByteWriter()
        request.append("{\"id\":3,\"method\":\"subscribe\",\"params\":{\"list\":")
        request.appendString(list)
        request.append(view: view)
        // An id in a foreign form starts from the beginning.
        if let since, let colon = since.lastIndex(of: ":"), let revision = Int(since[since.index(after: colon)...]),
            revision >= 0
        {
            request.append(",\"since\":{\"epoch\":")
            request.appendString(String(since[..<colon]))
            request.append(",\"revision\":")
            request.append(revision)
            request.append("}")
        }
        request.append("}}\n")
        super.init(hub: hub, link: link, response: response, request: request)
    }

    override func end() {
        comment?.cancel()
        super.end()
    }

    /// A stream has no end that could be missing.
    override fileprivate func cutOff() { finish() }

    override func receive(_ bytes: ByteBuffer) {
        var bytes = bytes
        while let length = bytes.lengthToNewline, let part = bytes.readSlice(length: length) {
            bytes.moveReaderIndex(forwardBy: 1)
            pending.writeImmutableBuffer(part)
            let line = pending
            pending = ByteBuffer()
            guard let line = try? DaemonLine(line.readableBytesView) else { return finish() }
            handle(line)
        }
        pending.writeImmutableBuffer(bytes)
        if pending.readableBytes > Self.lineLengthMax { finish() }
    }

    private func handle(_ line: DaemonLine) {
        if let error = line.error, !hasBegun { return refuse(error) }
        if let next = line.epoch { epoch = next }
        guard let method = line.method else {
            hasBegun = true
            response?.begin(.ok, type: "text/event-stream")
            return scheduleComment()
        }
        var event = ByteBuffer(string: "event: \(method)\n")
        if let revision = line.revision, !line.hasMore { event.writeString("id: \(epoch):\(revision)\n") }
        event.writeString("data: ")
        event.writeBytes(line.body)
        event.writeString("\n\n")
        response?.write(event)
        if method == "listDeleted" || method == "subscriptionEnded" { finish() }
    }

    /// A comment shows that the connection lives, to the browser and to proxies.
    private func scheduleComment() {
        comment = hub.loop.assumeIsolated().scheduleTask(in: Self.commentInterval) { [weak self] in
            guard let self, let response = self.response else { return }
            if response.isWritable {
                response.write(ByteBuffer(string: ":\n\n"))
                response.flush()
            }
            self.scheduleComment()
        }
    }
}

extension ByteWriter {
    fileprivate mutating func append(view: [UInt8]?) {
        guard let view else { return }
        append(",\"view\":")
        append(view)
    }
}
