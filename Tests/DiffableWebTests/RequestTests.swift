import Foundation
import NIOCore
import Synchronization
import Testing

@testable import DiffableWeb

/// Requests over a socket: which ones are answered, and which ones end the connection.
@Suite struct RequestTests {
    @Test func `files are served with a tag, once`() async throws {
        let bench = try await Bench()
        let browser = try bench.browser()
        browser.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        let head = try browser.head()
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(head.contains("\r\nContent-Type: text/html; charset=utf-8\r\n"))
        #expect(head.contains("\r\nETag: \"1\"\r\n") && head.contains("\r\nCache-Control: no-cache\r\n"))
        #expect(try browser.text(upTo: ">") == "<a href=\"./page.js\">")
        // On the same connection.
        browser.send("GET /page.js HTTP/1.1\r\nHost: 127.0.0.1\r\nIf-None-Match: \"2\"\r\n\r\n")
        let unchanged = try browser.head()
        #expect(unchanged.hasPrefix("HTTP/1.1 304 "))
        browser.send("HEAD /page.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        #expect(try browser.head().contains("\r\nContent-Length: 5\r\n"))
        // The page of a list lies deeper.
        browser.send("GET /lists/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\nConnection: close\r\n\r\n")
        #expect(try browser.rest().hasSuffix("\r\n\r\n<a href=\"../page.js\">"))
    }

    @Test func `own pages are served from their directory`() async throws {
        let bench = try await Bench { settings in
            let directory = settings.stateDirectory + "/pages"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data(repeating: 65, count: 300_000).write(to: URL(filePath: directory + "/a.html"))
            settings.router.hasPages = true
            settings.ownPages = try UserPages(directory: directory)
        }
        let response = try bench.response("GET /pages/a.html")
        #expect(
            response.hasPrefix("HTTP/1.1 200 ")
                && response.hasSuffix("\r\n\r\n" + String(repeating: "A", count: 300_000)))
        #expect(try bench.response("GET /pages/b.html").hasPrefix("HTTP/1.1 404 "))
        #expect(try bench.response("HEAD /pages/a.html").contains("Content-Length: 300000\r\n"))
    }

    @Test func `the snapshot of a list is the result alone`() async throws {
        let bench = try await Bench()
        let response = try bench.response("GET /lists/tasks", bench.bearer + "Accept: application/json\r\n")
        #expect(response.hasPrefix("HTTP/1.1 200 ") && response.contains("Cache-Control: no-store\r\n"))
        // In chunks, because it is passed on as it arrives.
        #expect(response.contains("transfer-encoding: chunked") || response.contains("Transfer-Encoding: chunked"))
        let browser = try bench.browser()
        browser.send("GET /lists/tasks HTTP/1.0\r\nHost: 127.0.0.1\r\n\(bench.bearer)\r\n")
        _ = try browser.head()
        let body = try browser.rest()
        let result = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
        #expect(result["list"] as? String == "tasks" && (result["snapshot"] as? [Any])?.count == 20_000)
        #expect(try bench.response("GET /lists/noSuch", bench.bearer).hasPrefix("HTTP/1.1 404 "))
        #expect(try bench.response("GET /lists/tasks").hasPrefix("HTTP/1.1 401 "))
    }

    @Test func `a snapshot that is cut off has no end, so that nobody takes it for the whole list`() async throws {
        let bench = try await Bench()
        let browser = try bench.browser()
        browser.send("GET /lists/cutOff HTTP/1.1\r\nHost: 127.0.0.1\r\n\(bench.bearer)\r\n")
        #expect(try browser.head().hasPrefix("HTTP/1.1 200 "))
        let body = try browser.rest()
        #expect(body.contains("snapshot") && !body.hasSuffix("0\r\n\r\n"))
    }

    @Test func `events have the id of the last part, and begin after Last-Event-ID`() async throws {
        let bench = try await Bench()
        let browser = try bench.browser()
        browser.send(
            "GET /lists/tasks/events HTTP/1.0\r\nHost: 127.0.0.1\r\n\(bench.bearer)Last-Event-ID: e:x:41\r\n\r\n")
        let head = try browser.head()
        #expect(head.contains("Content-Type: text/event-stream\r\n"))
        let events = try browser.text(
            upTo: "event: changes\nid: E:2\ndata: {\"from\":1,\"revision\":2,\"operations\":[]}\n\n")
        #expect(
            events.hasPrefix(
                """
                event: reset
                data: {"revision":1,"epoch":"E","operations":[],"more":true}

                event: reset
                id: E:1
                data: {"revision":1,"epoch":"E","operations":[]}


                """))
        let asked = bench.daemon.lines.withLock { $0.last }
        #expect(
            asked == #"{"id":3,"method":"subscribe","params":{"list":"tasks","since":{"epoch":"e:x","revision":41}}}"#)
        #expect(try bench.response("GET /lists/noSuch/events", bench.bearer).hasPrefix("HTTP/1.1 404 "))
    }

    @Test func `health asks the daemon once a second, for any number of strangers`() async throws {
        let bench = try await Bench()
        for _ in 0..<50 { #expect(try bench.response("GET /health").contains("200 OK")) }
        let pings = bench.daemon.lines.withLock { $0.count { $0.contains("ping") } }
        #expect((1...10).contains(pings))
        bench.daemon.stop()
        let end = ContinuousClock.now + .seconds(30)
        while try bench.response("GET /health").contains("200 OK"), ContinuousClock.now < end { usleep(100_000) }
        let response = try bench.response("GET /health")
        #expect(response.hasPrefix("HTTP/1.1 503 ") && response.contains(#"{"version":""#))
    }

    /// Each of these could be read as other requests by a proxy than by this server.
    @Test(arguments: [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "Content-Length: 44\r\n\r\nGET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "Content-Length: +5\r\n\r\nhello",
        "Content-Length : 5\r\n\r\nhello",
        "X: a\r\n Content-Length: 5\r\n\r\nhello",
        "X: a\u{0}b\r\n\r\n",
    ])
    func `a request with a body, or with doubtful bounds, is refused, and nothing behind it is read`(rest: String)
        async throws
    {
        let bench = try await Bench()
        let browser = try bench.browser()
        browser.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + rest)
        let response = try browser.rest()
        #expect(response.hasPrefix("HTTP/1.1 400 "), "\(response)")
        #expect(response.components(separatedBy: "HTTP/1.1 ").count == 2, "\(response)")
        #expect(bench.daemon.connectionCount == 0)
    }

    @Test func `of requests that do not wait for each other only the first is answered`() async throws {
        let bench = try await Bench()
        for together in [true, false] {
            let browser = try bench.browser()
            let requests = ["/page.js", "/health"].map { "GET \($0) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" }
            if together {
                browser.send(requests.joined())
            } else {
                browser.send(requests[0] + "GET /hea")
                usleep(10_000)
                browser.send("lth HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            }
            let response = try browser.rest()
            #expect(response.hasPrefix("HTTP/1.1 200 ") && response.hasSuffix("\r\n\r\nlet a"), "\(response)")
        }
        #expect(bench.daemon.connectionCount == 0)
    }

    @Test func `a head has at most 16 KB, however it arrives`() async throws {
        let bench = try await Bench()
        let begin = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "
        for (length, status) in [(16 << 10, "200"), (16 << 10 + 1, "431"), (1 << 20, "431")] {
            for parts in [1, 7] {
                let browser = try bench.browser()
                let text = begin + String(repeating: "x", count: length - begin.utf8.count - 4) + "\r\n\r\n"
                let bytes = Array(text.utf8)
                for part in 0..<parts {
                    browser.send(Array(bytes[bytes.count * part / parts..<bytes.count * (part + 1) / parts]))
                }
                let head = try browser.head()
                #expect(head.hasPrefix("HTTP/1.1 \(status) "), "\(length) bytes: \(head)")
            }
        }
    }

    @Test func `a browser that sends its head slowly, or nothing, is closed`() async throws {
        #expect(WebSettings(router: RequestRouter(), stateDirectory: "").firstRequest == .seconds(10))
        let bench = try await Bench { $0.firstRequest = .milliseconds(300) }
        let (silent, slow, served) = (try bench.browser(), try bench.browser(), try bench.browser())
        served.send("GET /page.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        let begin = ContinuousClock.now
        for byte in "GET / HTTP/1.1\r\nHost: 127".utf8 {
            slow.send([byte])
            usleep(20_000)
        }
        #expect(try silent.rest().isEmpty)
        #expect(try slow.rest().isEmpty)
        #expect(try served.rest().hasSuffix("let a"))
        #expect(begin.duration(to: .now) < .seconds(30))
    }

    @Test func `one connection too many is refused`() async throws {
        let bench = try await Bench { $0.connectionsMax = 2 }
        let browsers = [try bench.browser(), try bench.browser()]
        // Both are accepted before the third.
        for browser in browsers {
            browser.send("GET /page.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            #expect(try browser.head().contains("200"))
        }
        #expect(try bench.browser().rest().hasPrefix("HTTP/1.1 503 "))
    }

    @Test func `a server without connections is idle after a while, and not before`() async throws {
        let bench = try await Bench { $0.idleMax = .milliseconds(400) }
        let socket = try bench.socket()
        try await Task.sleep(for: .milliseconds(800))
        socket.send(Browser.frame("still there"))
        #expect(try socket.nextMessage().text == "echo still there")
        socket.send(Browser.frame("", opcode: 8))
        await bench.server.waitUntilIdle()
        await bench.server.stop()
    }
}
