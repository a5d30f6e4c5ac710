import ArgumentParser
import DiffableClient

/// Which daemon a command talks to.
struct DaemonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"))
    var socket: String?

    func withConnection<R: Sendable>(_ body: (Connection) async throws -> R) async throws -> R {
        try await Connection.withConnection(to: .find(socket), name: "diffablectl", body)
    }
}
