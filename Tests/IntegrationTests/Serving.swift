import Foundation

/// A server of a socket in a directory: a daemon (`Daemon`), or this process (`TestServer`).
protocol Serving {
    var directory: ScratchDirectory { get }
    var socket: String { get }
}

/// The result of `diffablectl`.
struct CompanionAnswer {
    var status: Int32
    var output: String
    var complaints: String
}

extension Serving {
    func connect() throws -> RawClient { try RawClient(connectingTo: socket) }

    @discardableResult
    func companion(_ arguments: String..., input: String? = nil) throws -> CompanionAnswer {
        let program = try startCompanion(arguments, input: input)
        let status = try program.wait()
        return CompanionAnswer(status: status, output: program.output, complaints: program.complaints)
    }

    /// Runs the command and returns the output; any failure ends the test.
    @discardableResult
    func succeed(_ arguments: String..., input: String? = nil) throws -> String {
        let program = try startCompanion(arguments, input: input)
        guard try program.wait() == 0 else {
            throw Failure("diffablectl \(arguments.joined(separator: " ")): \(program.complaints)")
        }
        return program.output
    }

    func startCompanion(_ arguments: [String], input: String? = nil) throws -> Program {
        let file = try input.map { try directory.write($0, to: "input-\(UUID().uuidString.prefix(8))") }
        return try Program(
            Binaries.companion, arguments, input: file, environment: ["DIFFABLED_SOCKET": socket], in: directory)
    }

    /// Starts a subscriber without a client library.
    func startSocatSubscriber(to list: String) throws -> Program {
        let request = try directory.write("subscribe \(list)\n", to: "subscribe-\(UUID().uuidString.prefix(8))")
        return try Program(
            "/usr/bin/socat", ["-t", "1e9", "-", "UNIX-CONNECT:\(socket)"], input: request, in: directory)
    }
}
