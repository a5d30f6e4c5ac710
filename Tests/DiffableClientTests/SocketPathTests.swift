import Foundation
import TestSupport
import Testing

@testable import DiffableClient

/// The choice of a daemon when none is named.
struct SocketPathTests {
    private let user = "/run/user/1/diffabled/diffabled.sock"
    private let system = "/run/diffabled/diffabled.sock"

    private func find(_ sockets: [String], left: [String] = []) throws -> String {
        try SocketPath.find(
            nil, environment: { $0 == "XDG_RUNTIME_DIR" ? "/run/user/1" : nil }, isSocket: sockets.contains,
            isAbandoned: left.contains
        ).path
    }

    @Test func `the user's own stands before the system's, unless nobody listens there any more`() throws {
        #expect(try find([user, system]) == user)
        #expect(try find([system]) == system)
        #expect(try find([user, system], left: [user]) == system)
        // The message then names the user's daemon.
        #expect(try find([user, system], left: [user, system]) == user)
        #expect(try find([user], left: [user]) == user)
        #expect(throws: ClientError.noSocket(lookedAt: [user, system])) { try find([]) }
    }

    private func find(_ sockets: [String], left: [String] = [], environment: [String: String]) throws -> String {
        try SocketPath.find(
            nil, environment: { environment[$0] }, isSocket: sockets.contains, isAbandoned: left.contains,
            holdsDaemonState: { $0 == "/home/u/.local/state/diffabled" }
        ).path
    }

    @Test func `the system's daemon does not stand in for the user's own that is stopped`() throws {
        let own = ["XDG_RUNTIME_DIR": "/run/user/1", "HOME": "/home/u"]
        let stopped = ClientError.ownDaemonStopped(SocketPath(user), stateDirectory: "/home/u/.local/state/diffabled")
        #expect(try find([user, system], environment: own) == user)
        #expect(throws: stopped) { try find([user, system], left: [user], environment: own) }
        #expect(throws: stopped) { try find([system], environment: own) }
        #expect(throws: stopped) { try find([], environment: own) }
        #expect(throws: ClientError.ownDaemonStopped(nil, stateDirectory: "/home/u/.local/state/diffabled")) {
            try find([system], environment: ["HOME": "/home/u"])
        }
        #expect(stopped.sentence(socket: "--socket", system: "--system").hasSuffix("--system uses the system's daemon"))
        // The state directory is elsewhere and does not exist.
        #expect(try find([system], environment: ["HOME": "/home/u", "XDG_STATE_HOME": "/s"]) == system)
        #expect(try find([system], environment: ["HOME": "/home/other"]) == system)
        #expect(
            try SocketPath.find(
                nil, environment: { own[$0] ?? ($0 == "DIFFABLED_SOCKET" ? "/n" : nil) }, isSocket: { _ in true },
                holdsDaemonState: { _ in true }
            ).path == "/n")
    }

    @Test func `without XDG_RUNTIME_DIR the message names it`() {
        let error = #expect(throws: ClientError.self) { try find([], environment: [:]) }
        #expect(error?.description.contains("$XDG_RUNTIME_DIR is not set") == true)
    }

    @Test func `a socket is left when nobody listens at it`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "left-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "s").path
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #expect(withUnixAddress(path) { bind(listener, $0, $1) } == 0)
        #expect(listen(listener, 1) == 0)
        #expect(!SocketPath.isAbandoned(path))
        // A daemon with a full queue counts as running.
        #expect(!SocketPath.isAbandoned(path))
        #expect(!SocketPath.isAbandoned(path))
        close(listener)
        // Another test's child shares the listener until it executes its program.
        #expect(eventually { SocketPath.isAbandoned(path) })
        #expect(!SocketPath.isAbandoned(directory.appending(path: "none").path), "there is nothing to be left")
    }
}
