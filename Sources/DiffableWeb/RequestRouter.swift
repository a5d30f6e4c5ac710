import Diffable
import DiffableJSON
import NIOHTTP1

/// A file for browsers.
package struct WebFile: Sendable {
    /// Changes with the text.
    let tag: String
    let text: String

    package init(tag: String, text: String) {
        self.tag = tag
        self.text = text
    }
}

/// Decides the response to a request, from its head alone. It opens no file and sends no request.
package struct RequestRouter: Sendable {
    /// The names that `Host` may have, in lower case, besides IP addresses and `localhost`.
    package var hosts: Set<String> = []
    /// The origins whose pages may use this server, besides its own.
    package var origins: [Origin] = []
    /// The origins that may show the page in a frame, as sources of `frame-ancestors`.
    package var frames: [String] = []
    /// The page and the modules, by name.
    package var files = WebFile.all
    /// Whether there is a directory for `/pages/`.
    package var hasPages = false

    package init() {}

    package struct RoutingDecision: Equatable {
        package var action: Action
        /// The headers of the response, without the headers for its body.
        package var headers: HTTPHeaders
    }

    package enum Action: Equatable {
        case refuse(HTTPResponseStatus, String)
        /// One of the embedded files.
        case file(String)
        /// The components of a path below the directory of `--pages`.
        case ownPage([String])
        case health
        case snapshot(ListName, view: [UInt8]?, Link)
        case events(ListName, view: [UInt8]?, since: String?, Link)
        /// - Parameter namesProtocol: whether the browser asked for `diffable.v1`, so that the answer names it.
        case socket(Link, namesProtocol: Bool)
    }

    /// - Parameters:
    ///   - isLocalSocket: whether the request came over a Unix socket, where a proxy's headers are trusted.
    ///   - now: seconds since 1970.
    package func decision(
        on head: HTTPRequestHead, isLocalSocket: Bool, links: [Link], now: Int
    ) -> RoutingDecision {
        var headers = commonHeaders
        do throws(Refusal) {
            let action = try action(on: head, isLocalSocket, links, now, &headers)
            return RoutingDecision(action: action, headers: headers)
        } catch {
            headers.replaceOrAdd(name: "Cache-Control", value: "no-store")
            for (name, value) in error.headers { headers.add(name: name, value: value) }
            return RoutingDecision(action: .refuse(error.status, error.text), headers: headers)
        }
    }

    private struct Refusal: Error {
        var status: HTTPResponseStatus
        var text: String
        var headers: [(String, String)] = []
    }

    private func action(
        on head: HTTPRequestHead, _ isLocalSocket: Bool, _ links: [Link], _ now: Int, _ headers: inout HTTPHeaders
    ) throws(Refusal) -> Action {
        // No request has a body. A length here and an encoding there are how two servers come to read different requests.
        guard !head.headers.contains(name: "Transfer-Encoding"),
            head.headers["Content-Length"].allSatisfy({ $0 == "0" })
        else { throw Refusal(status: .badRequest, text: "a request cannot have a body") }
        let own = try ownOrigin(head, isLocalSocket)
        guard let target = RequestTarget(head.uri) else {
            throw Refusal(status: .badRequest, text: "the target is not a path with correct escapes")
        }
        let isModule = target.path.count == 1 && target.path[0].hasSuffix(".js") && files[target.path[0]] != nil
        if isModule {
            headers.add(name: "Access-Control-Allow-Origin", value: "*")
        } else {
            try checkOrigin(head, own, &headers)
        }
        let allowed = isData(target, head) ? "GET" : "GET, HEAD"
        guard head.method == .GET || head.method == .HEAD && allowed != "GET" else {
            throw Refusal(status: .methodNotAllowed, text: "the methods are \(allowed)", headers: [("Allow", allowed)])
        }
        switch target.path {
        case ["health"]:
            headers.add(name: "Cache-Control", value: "no-store")
            return .health
        case ["socket"]: return try socket(head, links, now)
        case [""]: return file("page.html", &headers)
        case let path where path.first == "pages" && path.count > 1 && hasPages:
            // A name that begins with a dot is a hidden file, this directory or the one above.
            guard path.dropFirst().allSatisfy({ !$0.hasPrefix(".") }) else { throw Self.missing }
            headers.add(name: "Cache-Control", value: "no-cache")
            return .ownPage(Array(path.dropFirst()))
        case let path where path.first == "lists" && (2...3).contains(path.count):
            return try list(path, target, head, links, now, &headers)
        case let path where path.count == 1 && files[path[0]] != nil && path[0] != "page.html":
            return file(path[0], &headers)
        default: throw Self.missing
        }
    }

    static let noSuchList = "there is no list with this name, or the link does not include it (--lists)"
    private static let missing = Refusal(status: .notFound, text: "there is nothing here")

    private func file(_ name: String, _ headers: inout HTTPHeaders) -> Action {
        headers.add(name: "Cache-Control", value: "no-cache")
        return .file(name)
    }

    // MARK: - Lists

    private func acceptsPage(_ head: HTTPRequestHead) -> Bool {
        head.headers["Accept"].contains { $0.lowercased().contains("text/html") }
    }

    private func isData(_ target: RequestTarget, _ head: HTTPRequestHead) -> Bool {
        target.path == ["socket"]
            || target.path.first == "lists" && (target.path.count > 2 || !acceptsPage(head))
    }

    private func list(
        _ path: [String], _ target: RequestTarget, _ head: HTTPRequestHead, _ links: [Link], _ now: Int,
        _ headers: inout HTTPHeaders
    ) throws(Refusal) -> Action {
        headers.add(name: "Vary", value: "Accept")
        guard !path[1].isEmpty else { throw Self.missing }
        guard path.count == 2 || path[2] == "events" else {
            throw Refusal(status: .notFound, text: "there is nothing here; a slash in a list's name is %2F")
        }
        if path.count == 2, acceptsPage(head) { return file("page.html", &headers) }
        headers.add(name: "Cache-Control", value: "no-store")
        // Another site's page cannot even load it as an image or a script.
        headers.add(name: "Cross-Origin-Resource-Policy", value: "same-origin")
        let link = try link(bearer(head), links, now)
        guard let name = try? ListName(path[1]), link.includes(name) else {
            throw Refusal(status: .notFound, text: Self.noSuchList)
        }
        if let other = target.query.first(where: { $0.name != "view" }) {
            throw Refusal(
                status: .badRequest,
                text: "there is no \"\(other.name)\" here; ?view= has a search, a condition and an order")
        }
        let view = try view(target)
        if path.count == 2 { return .snapshot(name, view: view, link) }
        return .events(name, view: view, since: head.headers.first(name: "Last-Event-ID"), link)
    }

    /// Returns the view as JSON without line breaks; the daemon checks its meaning.
    private func view(_ target: RequestTarget) throws(Refusal) -> [UInt8]? {
        let views = target.query.filter { $0.name == "view" }
        guard let text = views.first?.value else { return nil }
        guard views.count == 1 else { throw Refusal(status: .badRequest, text: "view is there twice") }
        do throws(JSONError) {
            return try Array(text.utf8).withUnsafeBufferPointer { bytes throws(JSONError) in
                var scanner = JSONScanner(UnsafeRawBufferPointer(bytes), depthMax: 64)
                let value = try scanner.value()
                try scanner.end()
                return value.compacted()
            }
        } catch { throw Refusal(status: .badRequest, text: "view: \(error)") }
    }

    // MARK: - Tokens

    private func link(_ token: String?, _ links: [Link], _ now: Int) throws(Refusal) -> Link {
        guard let link = links.link(for: token, at: now) else {
            throw Refusal(
                status: .unauthorized,
                text: token == nil
                    ? "this needs a token; create one with diffable-web link NAME" : "the token is wrong or has ended",
                headers: [("WWW-Authenticate", "Bearer")])
        }
        return link
    }

    private func bearer(_ head: HTTPRequestHead) throws(Refusal) -> String? {
        let fields = head.headers["Authorization"]
        guard let field = fields.first else { return nil }
        let words = field.split(separator: " ")
        guard fields.count == 1, words.count == 2, words[0].lowercased() == "bearer" else {
            throw Refusal(
                status: .unauthorized, text: "use Authorization: Bearer TOKEN",
                headers: [("WWW-Authenticate", "Bearer")])
        }
        return String(words[1])
    }

    private func socket(_ head: HTTPRequestHead, _ links: [Link], _ now: Int) throws(Refusal) -> Action {
        guard head.headers[canonicalForm: "Upgrade"].contains(where: { $0.lowercased() == "websocket" }),
            head.headers[canonicalForm: "Connection"].contains(where: { $0.lowercased() == "upgrade" })
        else {
            throw Refusal(
                status: .upgradeRequired, text: "this is a WebSocket",
                headers: [("Upgrade", "websocket"), ("Connection", "upgrade")])
        }
        guard head.headers["Sec-WebSocket-Version"] == ["13"] else {
            throw Refusal(
                status: .upgradeRequired, text: "the WebSocket version is 13",
                headers: [("Sec-WebSocket-Version", "13")])
        }
        guard head.headers["Sec-WebSocket-Key"].count == 1 else {
            throw Refusal(status: .badRequest, text: "a WebSocket needs one Sec-WebSocket-Key")
        }
        // Browsers can set no header of a WebSocket but this one.
        let protocols = head.headers[canonicalForm: "Sec-WebSocket-Protocol"].map(String.init)
        guard protocols.isEmpty || protocols.contains("diffable.v1") else {
            throw Refusal(status: .badRequest, text: "the subprotocol is diffable.v1")
        }
        let prefix = "diffable.token."
        let token = protocols.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        let bearer = try bearer(head)
        return .socket(try link(token ?? bearer, links, now), namesProtocol: !protocols.isEmpty)
    }

    // MARK: - Host and Origin

    /// Checks `Host`, so that no other site's name can be made to lead here (DNS rebinding). Returns the server's own origin as
    /// the browser sees it.
    private func ownOrigin(_ head: HTTPRequestHead, _ isLocalSocket: Bool) throws(Refusal) -> Origin {
        guard let field = head.headers["Host"].first, head.headers["Host"].count == 1 else {
            throw Refusal(status: .badRequest, text: "a request needs one Host")
        }
        // The nearest proxy wrote the last one. Over TCP, any client can send such a header.
        let forwarded = isLocalSocket ? head.headers[canonicalForm: "X-Forwarded-Host"].last.map(String.init) : nil
        guard let authority = Authority(forwarded ?? field),
            authority.isIPAddress || authority.host == "localhost" || hosts.contains(authority.host)
        else {
            throw Refusal(
                status: .misdirectedRequest, text: "this server does not have that name; add it with --hosts NAME")
        }
        let scheme = isLocalSocket ? head.headers[canonicalForm: "X-Forwarded-Proto"].last.map(String.init) : nil
        guard let origin = Origin(scheme: scheme?.lowercased() ?? "http", authority) else {
            throw Refusal(status: .badRequest, text: "X-Forwarded-Proto is http or https")
        }
        return origin
    }

    /// Throws if another site's page asks. Its user may well have a token of this server.
    private func checkOrigin(
        _ head: HTTPRequestHead, _ own: Origin, _ headers: inout HTTPHeaders
    ) throws(Refusal) {
        let fields = head.headers["Origin"]
        guard let field = fields.first else { return }
        let origin = fields.count == 1 ? Origin(field) : nil
        if origin == own { return }
        guard let origin, origins.contains(origin) else {
            throw Refusal(
                status: .forbidden, text: "pages of that origin cannot use this server; add it with --origins URL")
        }
        headers.add(name: "Access-Control-Allow-Origin", value: field)
        headers.add(name: "Vary", value: "Origin")
    }

    // MARK: - Headers of all responses

    private var commonHeaders: HTTPHeaders {
        let ancestors = frames.isEmpty ? "'none'" : frames.joined(separator: " ")
        return [
            "Content-Security-Policy":
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                + "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors \(ancestors)",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        ]
    }

    /// The headers of a response to a head that could not be read.
    package var headersOfRefusal: HTTPHeaders { commonHeaders }
}
