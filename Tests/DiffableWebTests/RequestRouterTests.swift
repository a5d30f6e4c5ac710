import Diffable
import DiffableProtocol
import NIOHTTP1
import Testing

@testable import DiffableWeb

/// The decision on a request, from its head alone.
@Suite struct RequestRouterTests {
    static let token = String(repeating: "t", count: 43)
    static let links = [
        Link(name: "wall", token: token, lists: ["menu*", "tasks"], may: .see, end: 1_000),
        Link(name: "all", token: String(repeating: "a", count: 43), lists: ["*"], may: .change),
    ]

    static var router: RequestRouter {
        var router = RequestRouter()
        router.hosts = ["wall.example"]
        router.origins = [Origin("https://friend.example")].compactMap(\.self)
        router.hasPages = true
        router.files = Dictionary(
            uniqueKeysWithValues: ["page.html", "page.js", "page.css", "diffable.js", "manifest.json"].map {
                ($0, WebFile(tag: $0, text: $0))
            })
        return router
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var method = HTTPMethod.GET
        var uri: String
        var headers: [(String, String)]
        var isLocalSocket = false
        var status: UInt

        var testDescription: String { "\(method) \(uri) \(headers) is \(status)" }

        init(
            _ status: UInt, _ uri: String, _ headers: [(String, String)] = [], method: HTTPMethod = .GET,
            host: String? = "127.0.0.1:8090", isLocalSocket: Bool = false
        ) {
            self.method = method
            self.uri = uri
            self.headers = (host.map { [("Host", $0)] } ?? []) + headers
            self.isLocalSocket = isLocalSocket
            self.status = status
        }
    }

    private static let bearer = ("Authorization", "Bearer \(token)")
    private static let upgrade = [
        ("Upgrade", "websocket"), ("Connection", "keep-alive, Upgrade"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]
    private static let asked = ("Sec-WebSocket-Protocol", "diffable.v1, diffable.token.\(token)")

    private static let cases: [Case] = [
        // Public pages.
        Case(200, "/"), Case(200, "/page.js"), Case(200, "/?list=tasks&list=menu"), Case(200, "/manifest.json"),
        Case(200, "/health"), Case(200, "/", method: .HEAD), Case(200, "/pages/a.html"), Case(200, "/pages/"),
        Case(200, "/lists/tasks", [("Accept", "text/html,application/xhtml+xml")]),
        Case(200, "/lists/no%20such", [("Accept", "text/html")]),
        // 404
        Case(404, "/page.html"), Case(404, "/diffable.d.ts"), Case(404, "/nothing"), Case(404, "/lists"),
        Case(404, "/lists/", [bearer]), Case(404, "//"), Case(404, "/page.js/"),
        Case(404, "/lists/tasks/other", [bearer]),
        Case(404, "/pages/.git/config"), Case(404, "/pages/../page.js"), Case(404, "/pages/%2e%2e/page.js"),
        Case(404, "/pages/a/..%20"), Case(404, "/%2e%2e/etc/passwd"), Case(404, "/pages"),
        // Data needs a token.
        Case(401, "/lists/tasks"), Case(401, "/lists/tasks/events"),
        Case(401, "/lists/tasks", [("Authorization", "Bearer \(token)x")]),
        Case(401, "/lists/tasks", [("Authorization", "Bearer ")]),
        Case(401, "/lists/tasks", [("Authorization", "Basic \(token)")]),
        Case(401, "/lists/tasks", [bearer, bearer]),
        Case(401, "/lists/tasks?token=\(token)"), Case(401, "/lists/tasks", [("Cookie", "token=\(token)")]),
        Case(401, "/socket", upgrade), Case(401, "/socket", upgrade + [("Sec-WebSocket-Protocol", "diffable.v1")]),
        Case(401, "/socket", upgrade + [("Sec-WebSocket-Protocol", "diffable.v1, diffable.token.x")]),
        Case(200, "/lists/tasks", [bearer]), Case(200, "/lists/menu%20today/events", [bearer]),
        Case(200, "/lists/tasks?view=%7B%22search%22%3A%22a+b%22%7D", [bearer]),
        Case(200, "/lists/tasks", [("Authorization", "bearer  \(token)")]),
        Case(200, "/socket", upgrade + [asked]), Case(200, "/socket", upgrade + [bearer]),
        // A list outside the token is a missing one.
        Case(404, "/lists/other", [bearer]), Case(404, "/lists/other/events", [bearer]),
        Case(404, "/lists/tasks2", [bearer]), Case(404, "/lists/men", [bearer]),
        // Wrong requests.
        Case(400, "/lists/tasks?view=%7B", [bearer]), Case(400, "/lists/tasks?view=1&view=2", [bearer]),
        Case(400, "/lists/%zz"), Case(404, "/lists/a%2Fb", [bearer]), Case(400, "/lists/tasks/a%2Fb", [bearer]),
        Case(200, "/lists/menu%2Ftoday", [bearer]), Case(200, "/lists/menu%2fevents/events", [bearer]),
        Case(404, "/lists/menu/today", [bearer]), Case(400, "/lists/tasks?search=milk", [bearer]),
        Case(400, "/pages/a%2Fb"),
        Case(400, "/pages/%00"), Case(400, "/pages/%ff"),
        Case(400, "/pages/..%2fpage.js"), Case(400, "http://127.0.0.1:8090/"), Case(400, "*", method: .OPTIONS),
        Case(400, "/", host: nil), Case(400, "/", [("Host", "127.0.0.1:8090")]),
        Case(400, "/", [("Content-Length", "5")]), Case(400, "/", [("Transfer-Encoding", "chunked")]),
        Case(400, "/", [("Content-Length", "0"), ("Transfer-Encoding", "chunked")], method: .POST),
        Case(400, "/socket", upgrade + [("Sec-WebSocket-Protocol", "other")]),
        Case(426, "/socket", [bearer]), Case(426, "/socket", Array(upgrade.dropFirst()) + [bearer]),
        Case(426, "/socket", upgrade.filter { $0.0 != "Sec-WebSocket-Version" } + [bearer]),
        // Methods.
        Case(405, "/", method: .POST), Case(405, "/lists/tasks", [bearer], method: .DELETE),
        Case(405, "/lists/tasks", [bearer], method: .HEAD), Case(405, "/page.js", method: .OPTIONS),
        Case(405, "/socket", upgrade + [asked], method: .HEAD), Case(405, "/health", method: .TRACE),
        // Hosts.
        Case(200, "/", host: "localhost"), Case(200, "/", host: "LOCALHOST:1"), Case(200, "/", host: "[::1]:8090"),
        Case(200, "/", host: "192.168.1.7"), Case(200, "/", host: "wall.example:8090"),
        Case(200, "/", host: "Wall.Example"),
        Case(421, "/", host: "evil.example"), Case(421, "/", host: "wall.example.evil.example"),
        Case(421, "/", host: ""),
        Case(421, "/", host: "127.0.0.1.evil.example"), Case(421, "/", host: "0x7f.1"), Case(421, "/", host: "127.1"),
        Case(421, "/", host: "localhost."), Case(421, "/", host: "user@localhost"), Case(421, "/", host: "[::1"),
        Case(421, "/", host: "localhost:x"), Case(421, "/", host: "a b"), Case(421, "/page.js", host: "evil.example"),
        Case(421, "/socket", upgrade + [asked], host: "evil.example"), Case(421, "/health", host: "evil.example"),
        // Origins.
        Case(200, "/lists/tasks", [bearer, ("Origin", "http://127.0.0.1:8090")]),
        Case(200, "/lists/tasks", [bearer, ("Origin", "http://localhost")], host: "localhost:80"),
        Case(200, "/socket", upgrade + [asked, ("Origin", "https://friend.example")]),
        Case(403, "/socket", upgrade + [asked, ("Origin", "https://evil.example")]),
        Case(403, "/socket", upgrade + [asked, ("Origin", "http://127.0.0.1:8091")]),
        Case(403, "/socket", upgrade + [asked, ("Origin", "https://127.0.0.1:8090")]),
        Case(403, "/socket", upgrade + [asked, ("Origin", "http://localhost:8090")]),
        Case(403, "/socket", upgrade + [asked, ("Origin", "null")]),
        Case(403, "/socket", upgrade + [asked, ("Origin", "http://friend.example")]),
        Case(403, "/socket", upgrade + [asked, ("Origin", "https://friend.example.evil.example")]),
        Case(
            403, "/socket",
            upgrade + [asked, ("Origin", "http://127.0.0.1:8090"), ("Origin", "https://evil.example")]),
        Case(403, "/lists/tasks", [bearer, ("Origin", "https://evil.example")]),
        Case(403, "/health", [("Origin", "https://evil.example")]),
        Case(403, "/", [("Origin", "https://evil.example")]),
        Case(200, "/diffable.js", [("Origin", "https://evil.example")]),
        // A proxy in front of a Unix socket names the host; over TCP any client could.
        Case(200, "/", [("X-Forwarded-Host", "wall.example")], host: "proxy", isLocalSocket: true),
        Case(421, "/", [("X-Forwarded-Host", "wall.example")], host: "proxy"),
        Case(421, "/", [("X-Forwarded-Host", "evil.example")], host: "localhost", isLocalSocket: true),
        Case(421, "/", [("X-Forwarded-Host", "wall.example, evil.example")], host: "localhost", isLocalSocket: true),
        Case(
            200, "/socket",
            upgrade + [
                asked, ("Origin", "https://wall.example"), ("X-Forwarded-Host", "wall.example"),
                ("X-Forwarded-Proto", "https"),
            ], isLocalSocket: true),
        Case(
            403, "/socket",
            upgrade + [asked, ("Origin", "https://wall.example"), ("X-Forwarded-Proto", "https")],
            host: "wall.example"),
        Case(400, "/", [("X-Forwarded-Proto", "ftp")], isLocalSocket: true),
    ]

    @Test(arguments: cases) func `each request gets its status`(request: Case) {
        let decision = Self.decision(request)
        let status: UInt = if case .refuse(let status, _) = decision.action { status.code } else { 200 }
        #expect(status == request.status, "\(decision.action)")
    }

    static func decision(_ request: Case, router: RequestRouter = router, links: [Link] = links, now: Int = 0)
        -> RequestRouter.RoutingDecision
    {
        let head = HTTPRequestHead(
            version: .http1_1, method: request.method, uri: request.uri, headers: HTTPHeaders(request.headers))
        return router.decision(on: head, isLocalSocket: request.isLocalSocket, links: links, now: now)
    }

    @Test(arguments: cases) func `each response has the headers that protect the browser, and sets no cookie`(
        request: Case
    ) {
        let headers = Self.decision(request).headers
        #expect(
            headers["Content-Security-Policy"] == [
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                    + "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ])
        #expect(headers["X-Content-Type-Options"] == ["nosniff"])
        #expect(headers["Referrer-Policy"] == ["no-referrer"])
        #expect(!headers.contains(name: "Set-Cookie"))
    }

    @Test func `only modules are for pages of all sites`() {
        for (uri, origin) in [
            ("/diffable.js", "*"), ("/page.js", "*"), ("/page.css", nil), ("/", nil), ("/health", nil),
        ] {
            #expect(Self.decision(Case(200, uri)).headers["Access-Control-Allow-Origin"].first == origin, "\(uri)")
        }
        let friend = Self.decision(
            Case(200, "/lists/tasks", [Self.bearer, ("Origin", "https://friend.example")]))
        #expect(friend.headers["Access-Control-Allow-Origin"] == ["https://friend.example"])
    }

    @Test func `only the sites of --frames can show the page in a frame`() throws {
        var router = Self.router
        router.frames = ["https://a.example", "https://b.example"]
        let policy = try #require(
            Self.decision(Case(200, "/"), router: router).headers["Content-Security-Policy"].first)
        #expect(policy.hasSuffix("; frame-ancestors https://a.example https://b.example"))
    }

    @Test func `without --pages there are none`() {
        var router = Self.router
        router.hasPages = false
        #expect(
            Self.decision(Case(404, "/pages/a.html"), router: router).action
                == .refuse(.notFound, "there is nothing here"))
    }

    @Test func `the action carries what the request asks for`() {
        let (wall, tasks): (Link, ListName) = (Self.links[0], "tasks")
        #expect(Self.decision(Case(200, "/pages/a%20b/%252e")).action == .ownPage(["a b", "%2e"]))
        // A line break in a string would make a second line for the daemon, and is not valid JSON.
        guard
            case .refuse(.badRequest, _) = Self.decision(
                Case(400, "/lists/tasks?view=%7B%22search%22:%22a%0Ab%22%7D", [Self.bearer])
            ).action
        else {
            Issue.record("a line break passes")
            return
        }
        #expect(
            Self.decision(Case(200, "/lists/tasks?view=%7B%20%22search%22:%0A%22a+b%22%7D", [Self.bearer])).action
                == .snapshot(tasks, view: Array(#"{"search":"a b"}"#.utf8), wall))
        #expect(
            Self.decision(Case(200, "/lists/tasks/events", [Self.bearer, ("Last-Event-ID", "a:b:7")])).action
                == .events(tasks, view: nil, since: "a:b:7", wall))
        #expect(
            Self.decision(Case(200, "/socket", Self.upgrade + [Self.asked])).action
                == .socket(wall, namesProtocol: true)
        )
        #expect(
            Self.decision(Case(200, "/socket", Self.upgrade + [Self.bearer])).action
                == .socket(wall, namesProtocol: false))
    }

    @Test func `a slash in a list's name is escaped, so that a list named events is no stream`() {
        #expect(
            Self.decision(Case(200, "/lists/menu%2Fevents", [Self.bearer])).action
                == .snapshot("menu/events", view: nil, Self.links[0]))
        #expect(
            Self.decision(Case(404, "/lists/menu/today", [Self.bearer])).action
                == .refuse(.notFound, "there is nothing here; a slash in a list's name is %2F"))
    }

    @Test func `a link ends when its time is over`() {
        let request = Case(200, "/lists/tasks", [Self.bearer])
        #expect(Self.decision(request, now: 999).action != Self.decision(request, now: 1_000).action)
        guard case .refuse(.unauthorized, _) = Self.decision(request, now: 1_000).action else {
            Issue.record("it is still served")
            return
        }
    }

    @Test func `the link anonymous is for requests without a token, and not for those with a wrong one`() {
        let anonymous = Link(name: "anonymous", token: String(repeating: "n", count: 43), lists: ["*"], may: .see)
        let links = Self.links + [anonymous]
        func action(_ headers: [(String, String)]) -> RequestRouter.Action {
            Self.decision(Case(200, "/lists/other", headers), links: links).action
        }
        #expect(action([]) == .snapshot("other", view: nil, anonymous))
        #expect(action([Self.bearer]) == .refuse(.notFound, RequestRouter.noSuchList))
        guard case .refuse(.unauthorized, _) = action([("Authorization", "Bearer wrong")]) else {
            Issue.record("a wrong token is anonymous")
            return
        }
    }
}
