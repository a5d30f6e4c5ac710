import DiffableServer
import DiffableStore
import Foundation
import Systemd
import Testing

@testable import diffabled

@Suite struct StartUpTests {
    private func startUp(
        flags: [Setting: String] = [:], received: [ListenDescriptor] = [], environment: [String: String] = [:]
    ) throws -> StartUp {
        try StartUp(
            flags: flags, configurationFile: "/dev/null", received: received,
            processContext: ProcessContext(userID: 1000, environment: environment))
    }

    @Test(arguments: ["/missing", "/", "/dev/null", "/dev/zero"])
    func `without a file of subordinate ids everybody counts for themselves`(file: String) throws {
        let processContext = ProcessContext(userID: 1000, environment: ["HOME": "/home/u"], subordinateIDFile: file)
        let startUp = try StartUp(
            flags: [.socket: "/mine"], configurationFile: "/dev/null", received: [], processContext: processContext)
        #expect(startUp.limits.store.subordinates.user(of: 100_000) == 100_000)
    }

    @Test func `subordinate ids are read again with the configuration`() throws {
        let file = "/tmp/diffabled-subuid-\(UInt64.random(in: 0...UInt64.max))"
        defer { unlink(file) }
        try Data("12345:100000:10\n".utf8).write(to: URL(filePath: file))
        let processContext = ProcessContext(userID: 1000, environment: ["HOME": "/home/u"], subordinateIDFile: file)
        let startUp = try StartUp(
            flags: [.socket: "/mine"], configurationFile: "/dev/null", received: [], processContext: processContext)
        #expect(startUp.serverSettings.limits.store.subordinates.user(of: 100_009) == 12_345)
        try Data("54321:100000:10\n".utf8).write(to: URL(filePath: file))
        #expect(try startUp.reread().serverSettings.limits.store.subordinates.user(of: 100_009) == 54_321)
    }

    private let handedOver = ListenDescriptor(descriptor: 3, name: "diffabled.socket")

    @Test func `a socket that was handed over needs no directory for one`() throws {
        let startUp = try startUp(received: [handedOver], environment: ["STATE_DIRECTORY": "/s"])
        #expect(startUp.socket == .descriptor(3))
        #expect(startUp.stateDirectory == "/s")
        #expect(startUp.warnings.isEmpty)
    }

    @Test func `a socket that was handed over wins over one that was named, and says so`() throws {
        let startUp = try startUp(
            flags: [.socket: "/mine"], received: [handedOver], environment: ["HOME": "/home/u"])
        #expect(startUp.socket == .descriptor(3))
        #expect(startUp.warnings == ["using the socket that systemd passed; the configured socket /mine is not used"])
    }

    @Test func `several sockets are refused by their names`() throws {
        let more = ListenDescriptor(descriptor: 4, name: "other.socket")
        #expect(throws: ConfigurationError.tooManySockets(names: ["diffabled.socket", "other.socket"])) {
            try startUp(received: [handedOver, more], environment: ["HOME": "/home/u"])
        }
    }

    @Test func `a named socket needs no XDG_RUNTIME_DIR`() throws {
        let startUp = try startUp(flags: [.socket: "/mine"], environment: ["HOME": "/home/u"])
        #expect(startUp.socket == .path("/mine"))
    }

    @Test func `without a place for the socket it does not start`() throws {
        #expect(throws: ConfigurationError.noRuntimeDirectory) {
            try startUp(environment: ["HOME": "/home/u"])
        }
    }
}
