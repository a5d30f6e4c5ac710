import Diffable
import DiffableInput
import DiffableJSON
import Files
import Synchronization

/// Rows from the reply of an HTTP server.
package struct HTTPSource: FeedSource {
    private let settings: HTTPSettings
    private let rows: RowMapping
    private let states: CommandStates
    /// `NAME=value`
    private let environment: [String]
    private let last: Last

    private static let redirectsMax = 5

    /// The last successful reply.
    private final class Last: Sendable {
        struct Reply {
            var etag: String?
            var lastModified: String?
            var state: FeedState
        }

        let reply = Mutex<Reply?>(nil)
    }

    init(
        _ settings: HTTPSettings, _ rows: RowMapping, complete: @escaping RowStates.CompleteContent,
        environment: [String],
        limits: InputLimits = FeedLimits.input
    ) {
        self.settings = settings
        var rows = rows.limited(by: limits)
        rows.from = rows.from ?? .json
        self.rows = rows
        states = CommandStates(self.rows, complete: complete)
        self.environment = environment
        last = Last()
    }

    package var runMode: FeedSchedule.RunMode { .runs(every: settings.every) }
    package var watchedPaths: [String] { [] }

    package func run(_ deliver: @escaping @Sendable (FeedState) -> Void) async throws {
        let headers = try headers()
        let end = ContinuousClock.now + settings.timeout
        var url = settings.url
        for _ in 0...Self.redirectsMax {
            let known = last.reply.withLock(\.self)
            let (reply, redirect) = try await reply(from: url, headers + Self.conditions(known), until: end)
            switch reply.status {
            case 200..<300:
                let state = try state(of: reply)
                last.reply.withLock { $0 = .init(etag: reply.etag, lastModified: reply.lastModified, state: state) }
                return deliver(state)
            case 304:
                if let known { return deliver(known.state) }
                throw failure(reply)
            case 301, 302, 303, 307, 308:
                guard let text = redirect, let next = HTTPAddress(text) else { throw failure(reply) }
                guard url.mayRedirect(to: next) else {
                    throw FeedError(
                        "\(url.shown) redirects to another host (\(next.shown)), so nothing was read from there; if you trust that "
                            + "host, use its URL in url")
                }
                url = next
            default: throw failure(reply)
            }
        }
        throw FeedError("\(settings.url.shown) redirects more than \(Self.redirectsMax) times; check url")
    }

    private func headers() throws(FeedError) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        for header in settings.headers {
            switch header.value {
            case .text(let text): headers.append((header.name, text))
            case .file(let path):
                let bytes: [UInt8]
                do throws(UntrustedPath) { bytes = try TrustedPath.contents(ofFile: path) } catch {
                    throw FeedError(
                        "the file \(path) of the header \(header.name) cannot be read: \(error.reason(for: path))")
                }
                let text = String(decoding: bytes, as: UTF8.self)
                let value = text.hasSuffix("\n") ? String(text.dropLast()) : text
                guard HTTPSettings.Header.isValue(value) else {
                    throw FeedError(
                        "the file \(path) must contain one line, the value of the header \(header.name)")
                }
                headers.append((header.name, value))
            }
        }
        return headers
    }

    /// The headers that ask for a reply only if it differs from the last one (RFC 9110, section 13).
    private static func conditions(_ known: Last.Reply?) -> [(name: String, value: String)] {
        if let etag = known?.etag { return [("If-None-Match", etag)] }
        if let time = known?.lastModified { return [("If-Modified-Since", time)] }
        return []
    }

    private func reply(
        from url: HTTPAddress, _ headers: [(name: String, value: String)], until end: ContinuousClock.Instant
    ) async throws -> (HTTPReply, redirect: String?) {
        let curl = Curl(
            url: url, headers: headers, timeout: max(end - .now, .milliseconds(1)),
            lengthMax: rows.limits.sourceLengthMax, environment: environment)
        let result: Curl.Result
        do { result = try await curl.result() } catch {
            throw FeedError("\(error); url needs the program curl (Debian: apt install curl)")
        }
        try Task.checkCancellation()
        if result.run.isTooLong {
            throw FeedError(
                "the reply of \(url.shown) is longer than \(grouped(rows.limits.sourceLengthMax)) bytes (sourceLengthMax); ask the "
                    + "server for fewer rows")
        }
        if result.run.isOverdue || result.run.ending == .status(Curl.timedOut) {
            throw FeedError(
                "\(url.shown) did not reply completely within \(settings.timeout.inWords) (timeout; raise it if the server needs "
                    + "longer)")
        }
        guard result.run.ending == .status(0) else {
            throw FeedError("\(url.shown) cannot be read: \(result.complaint ?? "curl failed")")
        }
        guard let reply = HTTPReply(result.run.output) else {
            throw FeedError("\(url.shown) did not send an HTTP reply; check url")
        }
        return (reply, result.redirect)
    }

    private func failure(_ reply: HTTPReply) -> FeedError {
        let status = [String(reply.status), reply.reason].filter { !$0.isEmpty }.joined(separator: " ")
        let remedy =
            switch reply.status {
            case 401, 403, 407: "check headers: the server does not accept the request without other credentials"
            case 429, 500...: "the feed tries again by itself"
            default: "check url"
            }
        return FeedError("\(settings.url.shown) replied with the status \(status); \(remedy)")
    }
}

// MARK: - One object

extension HTTPSource {
    private func state(of reply: HTTPReply) throws(FeedError) -> FeedState {
        try states.state(of: try text(of: reply.body), named: "the reply of \(settings.url.shown)")
    }

    /// The body. If it is one JSON object, and not a snapshot, it becomes a list with one item.
    private func text(of body: ArraySlice<UInt8>) throws(FeedError) -> [UInt8] {
        let bytes = Array(body)
        // An array, which can be long, is not read here.
        guard rows.rows == nil, rows.from == .json, body.first(where: { !isWhiteSpace($0) }) == UInt8(ascii: "{"),
            JSONRows.isRow(body)
        else { return bytes }
        if rows.fields.id == nil {
            let object = Content(bytes)
            if let path = JSONRows.pathOfOnlyArray(in: JSONReader(object)) {
                throw FeedError(
                    "the reply of \(settings.url.shown) is an object with one array; if its rows are in that array, use rows: \(path); "
                        + "to make the whole object one item, set id to one of its fields")
            }
            if rows.fields == .none, RowFields.inferredIDField(in: object) == nil {
                let list =
                    #"{"sections":[{"id":"\#(ItemBuilder.defaultSection)","items":[{"id":"\#(Self.onlyID)","content":"#
                return Array(list.utf8) + body + Array("}]}]}".utf8)
            }
        }
        return [UInt8(ascii: "[")] + body + [UInt8(ascii: "]")]
    }

    /// The id of an object without an id.
    private static let onlyID = "item"
}
