import ArgumentParser
import DiffableClient

/// Which daemon a command talks to.
struct DaemonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"))
    var socket: String?

    /// For a command that goes on when its connection is lost.
    func client() throws -> Client {
        Client(socket: try .find(socket), name: "diffablectl")
    }

    func withConnection<R: Sendable>(_ body: (Connection) async throws -> R) async throws -> R {
        try await Connection.withConnection(to: .find(socket), name: "diffablectl", body)
    }
}
