import DiffableProtocol
import Foundation
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import DiffableWeb

/// The bridge between a WebSocket and the daemon.
@Suite struct SocketTests {
    @Test func `the daemon limits the connection before the browser's first message`() async throws {
        let bench = try await Bench()
        let browser = try bench.browser()
        let head = try browser.upgrade(bench.token)
        #expect(head.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
        #expect(head.contains("\r\nSec-WebSocket-Protocol: diffable.v1\r\n"))
        // The example of RFC 6455.
        #expect(head.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        browser.send(Browser.frame("one"))
        #expect(try browser.nextMessage().text == "echo one")
        let lines = bench.daemon.lines.withLock(\.self)
        let methods = try #require(bench.file.read().first).methods.map(\.rawValue).joined(separator: #"",""#)
        #expect(
            lines == [
                #"{"id":1,"method":"hello","params":{"name":"diffable-web:wall"}}"#,
                #"{"id":2,"method":"restrict","params":{"methods":["\#(methods)"],"#
                    + #""lists":["tasks","cutOff","noSuch*"]}}"#,
                "one",
            ])
    }

    @Test func `a daemon that does not limit connections serves nobody`() async throws {
        let bench = try await Bench(knowsRestrict: false)
        let socket = try bench.socket()
        socket.send(Browser.frame("one"))
        #expect(try socket.nextMessage().text == "close 1011")
        #expect(try bench.response("GET /lists/tasks", bench.bearer).hasPrefix("HTTP/1.1 500 "))
        #expect(bench.daemon.lines.withLock { !$0.contains("one") })
    }

    @Test func `a message is a line, whatever its frames and line breaks are`() async throws {
        let bench = try await Bench()
        let socket = try bench.socket()
        socket.send(Browser.frame("a", isLast: false) + Browser.frame("\nb", opcode: 0, isLast: false))
        socket.send(Browser.frame("hello", opcode: 9))
        #expect(try socket.nextFrame().opcode == 10)
        socket.send(Browser.frame("\r\nc", opcode: 0))
        #expect(try socket.nextMessage().text == "echo a b\r c")
        for byte in Browser.frame("slow") {
            socket.send([byte])
            usleep(1_000)
        }
        #expect(try socket.nextMessage().text == "echo slow")
    }

    @Test func `a line goes on in fragments of at most 64 KiB`() async throws {
        let bench = try await Bench()
        let socket = try bench.socket()
        socket.send(Browser.frame("long"))
        var (count, text): (Int, [UInt8]) = (0, [])
        while true {
            let frame = try socket.nextFrame()
            #expect(frame.opcode == (count == 0 ? 1 : 0) && frame.payload.count <= 1 << 16)
            count += 1
            text += frame.payload
            if frame.isLast { break }
        }
        #expect(count > 5)
        #expect(String(decoding: text, as: UTF8.self) == String(repeating: "é", count: 300_000))
    }

    @Test func `a message of 1 MiB passes, and a longer one ends the connection`() async throws {
        let bench = try await Bench()
        let text = String(repeating: "x", count: 1 << 20)
        var socket = try bench.socket()
        socket.send(Browser.frame(text))
        #expect(try socket.nextMessage().text == "echo " + text)
        for frames in [
            Browser.frame(text + "x"), Browser.frame(text, isLast: false) + Browser.frame("x", opcode: 0),
            // Only the head of a frame that would be endless.
            [0x81, 0xFF, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4],
        ] {
            socket = try bench.socket()
            let sending = socket
            Thread { sending.send(frames) }.start()
            #expect(try socket.nextMessage().text == "close 1009")
        }
    }

    @Test func `frames against the rules end the connection`() async throws {
        let bench = try await Bench()
        for (frames, code) in [
            (Browser.frame("a", isMasked: false), 1002), (Browser.frame("a", opcode: 0), 1002),
            (Browser.frame("a", isLast: false) + Browser.frame("b"), 1002), (Browser.frame("a", opcode: 2), 1003),
            (Browser.frame("a", opcode: 3), 1002), (Browser.frame(String(repeating: "p", count: 200), opcode: 9), 1002),
            (Browser.frame("", opcode: 8), 1000),
            // With each of the reserved bits.
            (Browser.frame("a", opcode: 0x41), 1002), (Browser.frame("a", opcode: 0x21), 1002),
            (Browser.frame("a", opcode: 0x11), 1002),
        ] {
            let socket = try bench.socket()
            // When the daemon is connected.
            socket.send(Browser.frame("ready"))
            #expect(try socket.nextMessage().text == "echo ready")
            socket.send(frames)
            #expect(try socket.nextMessage().text == "close \(code)")
            #expect(try socket.rest().isEmpty)
        }
    }

    @Test func `a lost daemon is 1012, also when it was never there`() async throws {
        let bench = try await Bench()
        let socket = try bench.socket()
        socket.send(Browser.frame("ready"))
        #expect(try socket.nextMessage().text == "echo ready")
        bench.daemon.stop()
        #expect(try socket.nextMessage().text == "close 1012")
        #expect(try bench.socket().nextMessage().text == "close 1012")
        #expect(try bench.response("GET /lists/tasks", bench.bearer).hasPrefix("HTTP/1.1 503 "))
    }

    @Test func `a lost browser ends the connection to the daemon`() async throws {
        let bench = try await Bench { $0.connectionsPerTokenMax = 1 }
        for _ in 0..<5 {
            // There is room for one, so the one before has ended.
            #expect(eventually { (try? bench.socket()).map { _ in true } ?? false })
        }
    }

    @Test func `the sockets and streams of a removed link end within a second`() async throws {
        let bench = try await Bench()
        let other = Link(name: "other", token: Link.randomToken(), lists: ["*"], may: .see)
        try bench.file.add(other)
        let socket = try bench.socket()
        let kept = try bench.browser()
        #expect(try kept.upgrade(other.token).contains(" 101 "))
        let events = try bench.browser()
        events.send("GET /lists/tasks/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\(bench.bearer)\r\n")
        _ = try events.text(upTo: "id: E:2\n")
        let begin = ContinuousClock.now
        try bench.file.remove("wall")
        #expect(try socket.nextMessage().text == "close 1008")
        _ = try events.text(upTo: "\r\n0\r\n\r\n")
        #expect(begin.duration(to: .now) < .seconds(1.5))
        #expect(try bench.browser().upgrade(bench.token).hasPrefix("HTTP/1.1 401 "))
        // Other links notice nothing.
        kept.send(Browser.frame("still there"))
        #expect(try kept.nextMessage().text == "echo still there")
    }

    @Test func `the sockets of a link that ends are closed`() async throws {
        let bench = try await Bench()
        let link = Link(name: "brief", token: Link.randomToken(), lists: ["*"], may: .see, end: time(nil) + 2)
        try bench.file.add(link)
        let browser = try bench.browser()
        #expect(try browser.upgrade(link.token).contains(" 101 "))
        #expect(try browser.nextMessage().text == "close 1008")
    }

    @Test func `a link has so many connections, and not one more`() async throws {
        #expect(WebLimits.connectionsMax == 1_000 && WebLimits.connectionsPerTokenMax == 100)
        #expect(WebLimits.messageLengthMax == 1 << 20)
        let bench = try await Bench { $0.connectionsPerTokenMax = 3 }
        let sockets = [try bench.socket(), try bench.socket(), try bench.socket()]
        #expect(try bench.browser().upgrade(bench.token).hasPrefix("HTTP/1.1 429 "))
        #expect(try bench.response("GET /lists/tasks", bench.bearer).hasPrefix("HTTP/1.1 429 "))
        #expect(sockets.count == 3)
    }

    /// The daemon would send a million rows and more.
    @Test func `a browser that stops reading stops the daemon, and gets every row when it reads on`() async throws {
        let bench = try await Bench()
        let socket = try bench.socket(receiveBuffer: 16 << 10)
        socket.send(Browser.frame("flood"))
        var (sent, before) = (0, -1)
        while sent != before {
            before = sent
            usleep(500_000)
            sent = bench.daemon.sent.load(ordering: .relaxed)
        }
        // Most of it is in the kernel: some 200 KB of the Unix socket, and of the browser's 64 KB and its receive buffer.
        #expect(sent < 900_000, "the daemon sent \(sent) bytes to a browser that does not read")
        for number in 0..<20_000 {
            let text = try socket.nextMessage().text
            guard text.hasPrefix("{\"row\":\(number),") else {
                Issue.record("row \(number) is missing: \(text)")
                return
            }
        }
        #expect(bench.daemon.sent.load(ordering: .relaxed) > sent)
    }

    @Test func `a daemon that stops reading stops the browser`() async throws {
        let bench = try await Bench()
        let socket = try bench.socket()
        socket.send(Browser.frame("deaf"))
        let message = Browser.frame(String(repeating: "x", count: 60_000))
        var (sent, idle) = (0, 0)
        var rest = message[...]
        // Until the kernel has taken nothing for half a second.
        while idle < 50, sent < 64 << 20 {
            let count = socket.trySend(Array(rest))
            sent += count
            rest = rest.dropFirst(count)
            if rest.isEmpty { rest = message[...] }
            idle = count == 0 ? idle + 1 : 0
            if count == 0 { usleep(10_000) }
        }
        #expect(sent < 16 << 20, "the bridge took \(sent) bytes for a daemon that does not read")
    }
}
