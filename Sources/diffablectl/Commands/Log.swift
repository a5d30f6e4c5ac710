import ArgumentParser
import Diffable
import DiffableClient

struct Log: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say who changed a list, and when.",
        discussion: "Newest first. How much of the past is kept is for the daemon's configuration to say.")

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Option(name: .short, help: ArgumentHelp("So many transactions at most.", valueName: "count"))
    var n: Int?
    @Flag(help: "The daemon's answer as JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if let n, n < 1 { throw ValidationError("-n is 1 or more, not \(n)") }
    }

    func run() async throws {
        var output = StandardOutput()
        try await daemon.withConnection { connection in
            if json {
                output.append(try await connection.historyJSON(of: list, limit: n))
                output.line("")
            } else {
                let history = try await connection.history(of: list, limit: n)
                if history.transactions.isEmpty { say("nothing of \(list)'s past is kept") }
                let width = history.transactions.first.map { "\($0.revision)".count } ?? 0
                for transaction in history.transactions { output.line(line(transaction, width)) }
            }
        }
        output.flush()
    }

    /// `   7  2026-11-21 19:51:02  2 operations  by waybar (pid 431, uid 1000)`
    private func line(_ transaction: ListHistory.Transaction, _ width: Int) -> String {
        let terminal = Terminal.standardOutput
        let number = "\(transaction.revision)"
        let padding = String(repeating: " ", count: max(0, width - number.count))
        let parts = [
            padding + terminal.styled(number, .heading),
            terminal.styled(localTime(milliseconds: transaction.time), .dim),
            counted(transaction.numberOfOperations, "operation"),
        ]
        let ids = [transaction.processID.map { "pid \($0)" }, transaction.userID.map { "uid \($0)" }].compactMap(\.self)
        let who = transaction.client.map(harmless) ?? (ids.isEmpty ? nil : "somebody")
        guard let who else { return parts.joined(separator: "  ") }
        return (parts + ["by \(who)\(ids.isEmpty ? "" : " (\(ids.joined(separator: ", ")))")"]).joined(separator: "  ")
    }
}
