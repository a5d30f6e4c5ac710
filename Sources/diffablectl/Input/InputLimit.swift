import DiffableClient
import DiffableInput

/// The limit of the input's length: the length of a transaction that the daemon accepts. The daemon is asked only for long
/// input, so that a small input needs no additional connection.
struct InputLimit {
    /// The length that is read without asking the daemon.
    static let lengthAlwaysRead = 16 << 20

    private let ask: ([UInt8]) async throws -> Int?

    /// `ask` asks for the limit in bytes; nil for no limit.
    init(asking ask: @escaping ([UInt8]) async throws -> Int?) { self.ask = ask }

    func lengthMax(after bytes: [UInt8]) async throws -> Int { try await ask(bytes) ?? .max }

    static func error(_ name: String, lengthMax: Int) -> CommandError {
        CommandError(
            .refused,
            "\(name) is longer than \(grouped(lengthMax)) bytes (transactionLengthMax), the most for one change; nothing "
                + "was changed. Send less, or raise the limit in the daemon's configuration")
    }
}

extension DaemonOptions {
    var inputLimit: InputLimit {
        InputLimit { _ in try await withReadOnlyConnection { try await $0.limit("transactionLengthMax") } }
    }
}
