import DiffableProtocol
import Foundation
import NIOCore
import TestSupport
import Testing

@testable import DiffableWeb

/// The program: its commands, its exit statuses, and how it ends.
@Suite struct ProgramTests {
    private let scratch = Scratch()
    private var state: String { scratch.path + "/state" }

    private func process(_ arguments: [String], _ output: Any, _ complaints: Any) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "diffable-web")
        process.arguments = arguments + ["--state-directory", state]
        process.standardOutput = output
        process.standardError = complaints
        return process
    }

    private func run(_ arguments: String...) throws -> (status: Int32, output: String, complaints: String) {
        let (output, complaints) = (Pipe(), Pipe())
        let process = process(arguments, output, complaints)
        try process.run()
        process.waitUntilExit()
        func text(_ pipe: Pipe) throws -> String {
            String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
        return (process.terminationStatus, try text(output), try text(complaints))
    }

    /// A running server, and its port.
    private func server(for daemon: FakeDaemon) throws -> (process: Process, port: Int) {
        let process = process(
            ["--listen", "127.0.0.1:0", "--socket", daemon.path], FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        let file = state + "/address"
        try #require(eventually { FileManager.default.fileExists(atPath: file) })
        let address = try String(contentsOfFile: file, encoding: .utf8)
        return (process, try #require(Int(address.dropFirst("http://127.0.0.1:".count).dropLast())))
    }

    @Test func `a link is printed once, listed without its token, and removed`() throws {
        let made = try run("link", "wall", "--lists", "tasks", "menu*", "--may", "ask")
        #expect(made.output.wholeMatch(of: #/http://127\.0\.0\.1:8090/\#token=[A-Za-z0-9_-]{43}\n/#) != nil, "\(made)")
        let again = try run("link", "wall")
        #expect(again.status == 65 && again.complaints.contains("diffable-web unlink wall"), "\(again)")
        #expect(try run("link", "phone", "--days", "30").status == 0)
        let listed = try run("links").output.split(separator: "\n")
        #expect(listed.first == "wall\task\tno end\ttasks menu*")
        #expect(listed.last?.wholeMatch(of: #/phone\tsee\tuntil \d{4}-\d\d-\d\d\t\*/#) != nil, "\(listed)")
        #expect(try run("unlink", "wall").status == 0)
        #expect(try run("unlink", "wall").status == 65)
        #expect(try run("link", "anonymous").output == "http://127.0.0.1:8090/\n")
    }

    @Test(arguments: [
        (["--listen", "8090"], "127.0.0.1:8090"), (["--listen", "example.org:80"], "127.0.0.1:8090"),
        (["--listen", "127.0.0.1:99999"], "127.0.0.1:8090"), (["--listen", "unix:"], "unix:PATH"),
        (["--origins", "https://example.org/page"], "https://example.org"), (["--frames", "*"], "https://example.org"),
        (["link", "a b"], "name"), (["link", "a", "--days", "0"], "--days"), (["link", "a", "--may", "all"], "--may"),
        (["link", "a", "--lists", ""], "--lists"),
    ])
    func `a wrong option ends with 64, and the message names a right one`(arguments: [String], advice: String) throws {
        let (output, complaints) = (Pipe(), Pipe())
        let process = process(arguments, output, complaints)
        try process.run()
        process.waitUntilExit()
        let text = String(decoding: try complaints.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(process.terminationStatus == 64 && text.contains(advice), "\(text)")
        #expect(!FileManager.default.fileExists(atPath: state))
    }

    @Test func `an address in use ends with 69, and links that cannot be used with 78`() throws {
        let daemon = try FakeDaemon(in: scratch)
        let (process, port) = try server(for: daemon)
        defer { process.terminate() }
        let second = try run("--listen", "127.0.0.1:\(port)")
        #expect(second.status == 69 && second.complaints.contains("127.0.0.1:\(port)"), "\(second)")
        // A link is for the server that runs.
        #expect(try run("link", "wall").output.hasPrefix("http://127.0.0.1:\(port)/#token="))
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: state)
        #expect(try run("links").status == 78)
    }

    @Test func `a signal ends it within two seconds: 1001 for each browser, also for one that does not read`() throws {
        let daemon = try FakeDaemon(in: scratch)
        let (process, port) = try server(for: daemon)
        let token = String(try run("link", "wall").output.split(separator: "=")[1].dropLast())
        let (good, stalled) = (try Browser(port: port), try Browser(port: port, receiveBuffer: 4_096))
        #expect(try good.upgrade(token).contains(" 101 "))
        #expect(try stalled.upgrade(token).contains(" 101 "))
        stalled.send(Browser.frame("flood"))
        good.send(Browser.frame("ready"))
        #expect(try good.nextMessage().text == "echo ready")
        usleep(300_000)
        let begin = ContinuousClock.now
        process.terminate()
        #expect(try good.nextMessage().text == "close 1001")
        process.waitUntilExit()
        #expect(begin.duration(to: .now) < .seconds(2))
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
    }

    @Test func `only loopback addresses and Unix sockets are without a warning`() throws {
        for (address, isLoopback) in [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("0.0.0.0", false), ("::", false),
            ("192.168.1.7", false), ("128.0.0.1", false),
        ] { #expect(try SocketAddress(ipAddress: address, port: 1).isLoopback == isLoopback, "\(address)") }
        #expect(try SocketAddress(unixDomainSocketPath: "/a").isLoopback)
    }
}
