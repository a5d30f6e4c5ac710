import DiffableProtocol
import Foundation
import Logging
import NIOCore
import TestSupport

@testable import DiffableWeb

/// A server with a daemon, and a link for everything.
final class Bench {
    let scratch = Scratch()
    let daemon: FakeDaemon
    let server: WebServer
    let file: LinkFile
    let token = Link.randomToken()

    init(knowsRestrict: Bool = true, _ change: (inout WebSettings) throws -> Void = { _ in }) async throws {
        daemon = try FakeDaemon(in: scratch, knowsRestrict: knowsRestrict)
        file = LinkFile(directory: scratch.path + "/state")
        try file.add(Link(name: "wall", token: token, lists: ["tasks", "cutOff", "noSuch*"], may: .see))
        var router = RequestRouter()
        router.files = [
            "page.html": WebFile(tag: "1", text: "<a href=\"./page.js\">"), "page.js": WebFile(tag: "2", text: "let a"),
        ]
        var settings = WebSettings(router: router, stateDirectory: file.directory)
        settings.daemonSocket = daemon.path
        try change(&settings)
        server = try await WebServer.start(
            [.internet(host: "127.0.0.1", port: 0)], settings: settings,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    var port: Int { server.addresses[0].port ?? 0 }

    func browser(receiveBuffer: Int32? = nil) throws -> Browser {
        try Browser(port: port, receiveBuffer: receiveBuffer)
    }

    /// A connected WebSocket.
    func socket(receiveBuffer: Int32? = nil) throws -> Browser {
        let browser = try browser(receiveBuffer: receiveBuffer)
        let head = try browser.upgrade(token)
        guard head.hasPrefix("HTTP/1.1 101 ") else { throw Failure(head) }
        return browser
    }

    /// The whole response to a request, on a connection of its own.
    func response(_ request: String, _ headers: String = "") throws -> String {
        let browser = try browser()
        browser.send("\(request) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\(headers)\r\n")
        return try browser.rest()
    }

    var bearer: String { "Authorization: Bearer \(token)\r\n" }
}
