import Diffable
import DiffableInput
import DiffableJSON
import Foundation
import TestSupport
import Testing

@testable import DiffableFeed

/// Feeds with `url`, with a real server and curl.
@Suite(.serialized) struct HTTPSourceTests {
    private let port: Int

    /// Replies by path. `/requests` lists the earlier requests with the headers that matter.
    private static let script = #"""
        import http.server, json, os, sys, threading, time
        requests = []
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *_): pass
            def send(self, status, body=b"", **headers):
                self.send_response(status)
                for name, value in headers.items(): self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def do_GET(self):
                names = ["Authorization", "If-None-Match", "If-Modified-Since"]
                if self.path != "/requests":
                    requests.append({"name": f"{len(requests)} {self.path}", **{n: self.headers[n] for n in names if self.headers[n]}})
                port = self.server.server_address[1]
                if self.path == "/requests": self.send(200, json.dumps(requests).encode())
                elif self.path == "/etag":
                    if self.headers["If-None-Match"] == '"1"': self.send(304, ETag='"1"')
                    else: self.send(200, b'[{"id":"a"},{"id":"b"}]', ETag='"1"')
                elif self.path == "/modified":
                    time_ = "Sat, 28 Nov 2026 12:00:00 GMT"
                    if self.headers["If-Modified-Since"] == time_: self.send(304)
                    else: self.send(200, b'[{"id":"a"}]', Last_Modified=time_)
                elif self.path == "/object": self.send(200, b'{\n "temperature": 20\n}')
                elif self.path == "/named": self.send(200, b'{"name":"Oslo","temperature":2}')
                elif self.path == "/rows": self.send(200, b'{"items":[{"id":"a"},{"id":"b"}],"total":2}')
                elif self.path == "/csv": self.send(200, b"name,n\na,1\n")
                elif self.path == "/near": self.send(302, Location="/etag")
                elif self.path == "/far": self.send(302, Location=f"http://localhost:{port}/etag")
                elif self.path == "/port": self.send(307, Location=f"http://127.0.0.1:{port + 1}/etag")
                elif self.path == "/round": self.send(301, Location="/round")
                elif self.path == "/file": self.send(302, Location="file:///etc/passwd")
                elif self.path == "/slow": time.sleep(5)
                elif self.path == "/long": self.send(200, b"[" + b" " * 100_000 + b"]")
                elif self.path.startswith("/secret"): self.send(403)
                else: self.send(404)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        server.serve_forever()
        """#

    /// The server of all tests. It ends when this process has ended, because its standard input is closed then.
    ///
    /// Foundation's `Process` could inherit the pipes of a curl that starts at the same time.
    private static let server = Result {
        let (input, output) = (try ChildProcess.pipe(), try ChildProcess.pipe())
        _ = try ChildProcess(
            ["/usr/bin/python3", "-c", script], input: .descriptor(input.reading), output: output.writing)
        close(output.writing)
        let reader = FileHandle(fileDescriptor: output.reading, closeOnDealloc: true)
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let part = reader.availableData
            if part.isEmpty { break }
            line += part
        }
        return Int(String(decoding: line.dropLast(), as: UTF8.self))
    }

    init() throws { port = try #require(try Self.server.get()) }

    private func source(
        _ path: String, rows: RowMapping = RowMapping(), limits: InputLimits = FeedLimits.input,
        _ change: (inout HTTPSettings) -> Void = { _ in }
    ) throws -> HTTPSource {
        var settings = HTTPSettings(url: try #require(HTTPAddress("http://127.0.0.1:\(port)\(path)")))
        change(&settings)
        return HTTPSource(
            settings, rows, complete: { content, _ in content }, environment: ["PATH=/usr/bin:/bin"], limits: limits)
    }

    private func list(of source: HTTPSource) async throws -> Snapshot {
        let states = Collected()
        try await source.run { states.append($0) }
        #expect(states.values.count == 1)
        switch states.values.first {
        case .snapshot(let snapshot)?: return snapshot
        case .whole(.whole(let list))?: return try Snapshot(list, limits: .none)
        default: throw FeedError("no list")
        }
    }

    private func failure(of source: HTTPSource) async throws -> String {
        do { _ = try await list(of: source) } catch { return SettingNames.keys.text(of: error) }
        throw FeedError("it did not fail")
    }

    private func requests() async throws -> [JSONReader] {
        let list = try await list(of: source("/requests"))
        return list.itemIdentifiers.compactMap { list.item($0)?.content.map { JSONReader($0) } }
    }

    @Test func `a reply is the whole list, and an unchanged one is not sent again`() async throws {
        for (path, header, ids) in [("/etag", "If-None-Match", ["a", "b"]), ("/modified", "If-Modified-Since", ["a"])] {
            let source = try source(path)
            for _ in 0..<2 { #expect(try await list(of: source).itemIdentifiers.map { "\($0)" } == ids) }
            let last = try #require(try await requests().last)
            #expect(last.member(header) != nil)
        }
    }

    @Test func `a header comes from the file with the secret, as it is at each request`() async throws {
        let file = NSTemporaryDirectory() + "token-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let source = try source("/etag") {
            $0.headers = [.init(name: "Authorization", value: .file(file))]
        }
        #expect(try await failure(of: source).contains("the file \(file) of the header Authorization cannot be read"))
        for secret in ["Bearer \"a\\b\"", "Bearer c"] {
            try Data("\(secret)\n".utf8).write(to: URL(fileURLWithPath: file))
            _ = try await list(of: source)
            #expect(try await requests().last?.member("Authorization")?.plainText == secret)
        }
        try Data("Bearer a\nX-Injected: b\n".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try await failure(of: source).contains("must contain one line"))
    }

    @Test func `one JSON object is one item`() async throws {
        let object = try await list(of: source("/object"))
        #expect(object.itemIdentifiers == ["item"])
        #expect(object.item("item")?.content?.description == #"{"temperature":20}"#)
        #expect(try await list(of: source("/named")).itemIdentifiers == ["Oslo"])
        var rows = RowMapping()
        rows.fields.id = FieldPath(".temperature")
        #expect(try await list(of: source("/object", rows: rows)).itemIdentifiers == ["20"])
    }

    @Test func `an object with an array of rows needs rows or id`() async throws {
        #expect(
            try await failure(of: source("/rows")).contains(
                "use rows: .items; to make the whole object one item, set id"))
        var rows = RowMapping()
        rows.rows = FieldPath(".items")
        #expect(try await list(of: source("/rows", rows: rows)).itemIdentifiers == ["a", "b"])
        rows = RowMapping()
        rows.from = .csv
        #expect(try await list(of: source("/csv", rows: rows)).itemIdentifiers == ["a"])
    }

    @Test func `redirects lead to the same host and port only`() async throws {
        func requestsOfTag() async throws -> Int {
            try await requests().count { $0.member("name")?.plainText.hasSuffix(" /etag") == true }
        }
        let before = try await requestsOfTag()
        #expect(try await list(of: source("/near")).itemIdentifiers == ["a", "b"])
        for path in ["/far", "/port"] {
            #expect(try await failure(of: source(path)).contains("redirects to another host"))
        }
        #expect(try await failure(of: source("/file")).contains("status 302"))
        #expect(try await failure(of: source("/round")).contains("redirects more than 5 times"))
        #expect(try await requestsOfTag() == before + 1)
    }

    @Test func `a failure names the reason and the remedy, and not the query`() async throws {
        #expect(
            try await failure(of: source("/none?key=hidden"))
                == "http://127.0.0.1:\(port)/none replied with the status 404 Not Found; check url")
        #expect(try await failure(of: source("/secret")).contains("403 Forbidden; check headers"))
        #expect(
            try await failure(of: source("/slow") { $0.timeout = .milliseconds(200) }).contains("within 0.2 s (timeout")
        )
        var limits = FeedLimits.input
        limits.sourceLengthMax = 50_000
        #expect(
            try await failure(of: source("/long", limits: limits)).contains(
                "longer than 50,000 bytes (sourceLengthMax)"))
        let nowhere = try source("") { $0.url = HTTPAddress("http://127.0.0.1:1/") ?? $0.url }
        #expect(try await failure(of: nowhere).contains("cannot be read: Failed to connect"))
    }

    @Test(arguments: [
        ("http://a", "http://A/x", true), ("http://a", "https://a", true), ("https://a", "http://a", false),
        ("http://a:80", "http://a", true), ("http://a:81", "https://a", false), ("https://a", "https://b", false),
        ("https://a", "https://a:8443", false), ("http://[::1]:8/", "http://[::1]:8/b", true),
        ("http://a", "http://a.b", false),
    ]) func `an address knows where it may redirect`(from: String, to: String, expected: Bool) throws {
        let (from, to) = (try #require(HTTPAddress(from)), try #require(HTTPAddress(to)))
        #expect(from.mayRedirect(to: to) == expected)
    }

    @Test(arguments: [
        "ftp://a", "http://", "http://u:p@a/", "http://a b/", "http://a\\@b/", "http://a:0/", "http://a:x/", "a",
        "http://[::1/",
        "http://a:80:80/", "http://ä/",
    ]) func `a URL that programs read in different ways is refused`(text: String) { #expect(HTTPAddress(text) == nil) }
}
