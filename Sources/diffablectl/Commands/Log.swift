import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Log: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show who changed a list, and when.",
        discussion: """
            log prints the newest transaction first. With -p, it prints the changes of each transaction too, as diff \
            shows them. With --follow, it prints the newest transaction last, and then each new one, until the list is \
            deleted. The daemon's configuration sets how much history is kept.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Option(
        name: .customShort("n", allowingJoined: true),
        help: ArgumentHelp("Show at most this many transactions. Default with --follow: 10.", valueName: "count"))
    var n: Int?
    @Flag(name: [.customShort("p"), .customLong("patch")], help: "Also show each change, as diff does.")
    var showsChanges = false
    @Flag(name: .shortAndLong, help: "Continue with new transactions.") var follow = false
    @Flag(help: "Print the daemon's reply as JSON.") var json = false
    @OptionGroup(title: "For lists shared between hosts") var freshness: FreshnessOptions
    @OptionGroup var daemon: DaemonOptions

    private static let followedUsually = 10

    func validate() throws {
        if let n, n < 1 { throw ValidationError("-n must be 1 or more, not \(n)") }
        if json, showsChanges || follow {
            throw ValidationError(
                "--json prints one reply of the daemon, and cannot be combined with -p or --follow; leave out --json, or these"
            )
        }
    }

    func run() async throws {
        if follow { return try await followHistory() }
        try await daemon.withReadOnlyConnection { connection in
            if json {
                var output = StandardOutput()
                output.json(try await connection.historyJSON(of: list, limit: n, freshness.freshness))
                return output.flush()
            }
            let history = try await connection.history(of: list, limit: n, freshness.freshness)
            if history.transactions.isEmpty, history.schemaChanges.isEmpty {
                printMessage("the history of \(list) has no changes")
            }
            try await draw(history.transactions, history.schemaChanges, connection, newestFirst: true)
        }
    }

    private func draw(
        _ transactions: [ListHistory.Transaction], _ schemaChanges: [ListHistory.SchemaChange],
        _ connection: Connection, newestFirst: Bool
    ) async throws {
        let width = transactions.first.map { "\($0.revision)".count } ?? 0
        let changes = showsChanges ? try await changes(of: transactions, connection) : [:]
        var output = StandardOutput()
        // Schemas that were set at a revision are newer than its transaction, so they come first.
        var schemas = schemaChanges[...]
        for transaction in newestFirst ? transactions : transactions.reversed() {
            while let change = schemas.first, change.revision >= transaction.revision {
                output.line(line(schemas.removeFirst(), width))
            }
            output.line(line(transaction, width))
            for line in changes[transaction.revision] ?? [] { output.line("    \(line)") }
        }
        for change in schemas { output.line(line(change, width)) }
        output.flush()
    }

    /// The diff of each transaction, by revision. The oldest state is read once; the others are computed from it.
    private func changes(
        of transactions: [ListHistory.Transaction], _ connection: Connection
    ) async throws -> [Int: [String]] {
        guard let oldest = transactions.last else { return [:] }
        var state = try await connection.state(of: list, at: oldest.revision - 1).snapshot
        var changes: [Int: [String]] = [:]
        for transaction in transactions.reversed() {
            let operations = try await connection.difference(
                of: list, from: transaction.revision - 1, to: transaction.revision)
            let next = try state.applying(operations)
            changes[transaction.revision] = ChangeLines(operations, from: state, to: next, on: .standardOutput).lines
            state = next
        }
        return changes
    }

    /// Subscribes to the list, and asks for the history after each update.
    private func followHistory() async throws {
        StandardStreams.exitWhenOutputCloses()
        let client = try daemon.client()
        try await client.withConnection(patience: .zero) { _ in }
        var last: (epoch: String, revision: Int)?
        // The contents are not needed here. But a view without them would not report changes that it does not show.
        var options = ListOptions()
        options.freshness = freshness.freshness
        for try await update in client.list(list, options: options) {
            if let last, last.epoch == update.epoch, last.revision >= update.revision { continue }
            let known = last?.epoch == update.epoch ? last?.revision : nil
            let limit = known.map { update.revision - $0 } ?? n ?? Log.followedUsually
            let history = try await client.withConnection { connection in
                let history = try await connection.history(of: list, limit: nil)
                // Later changes arrive with the next update.
                let transactions = history.transactions.filter {
                    $0.revision <= update.revision && $0.revision > known ?? 0
                }
                try await draw(Array(transactions.prefix(limit)), [], connection, newestFirst: false)
                return history
            }
            last = (history.epoch, update.revision)
        }
        printMessage("\(list) was deleted")
    }

    /// `   7  2026-11-21 19:51:02  2 operations  by waybar (pid 431, uid 1000), consented to by keeper (pid 7, uid 1000)`
    private func line(_ transaction: ListHistory.Transaction, _ width: Int) -> String {
        var what = counted(transaction.numberOfOperations, "operation")
        if let step = transaction.undoStep {
            what += step.isUndo ? ", undo of \(step.from)" : ", redo of \(step.to)"
            if abs(step.from - step.to) > 1 { what += step.isUndo ? " back to \(step.to)" : " from \(step.from)" }
        }
        return line(
            transaction.revision, transaction.time, what, width,
            by: (transaction.client, transaction.processID, transaction.userID), consent: transaction.handler)
    }

    /// `   7  2026-11-21 19:51:02  schemas of 2 kinds  by diffablectl (pid 431, uid 1000)`
    private func line(_ change: ListHistory.SchemaChange, _ width: Int) -> String {
        let what = change.numberOfKinds == 0 ? "no schemas" : "schemas of \(counted(change.numberOfKinds, "kind"))"
        return line(
            change.revision, change.time, what, width, by: (change.client, change.processID, change.userID))
    }

    private func line(
        _ revision: Int, _ time: Int, _ what: String, _ width: Int,
        by origin: (client: String?, processID: Int?, userID: Int?), consent handler: ClientIdentity? = nil
    ) -> String {
        let terminal = Terminal.standardOutput
        let number = "\(revision)"
        let padding = String(repeating: " ", count: max(0, width - number.count))
        let parts = [
            padding + terminal.styled(number, .heading), terminal.styled(localTime(milliseconds: time), .dim), what,
        ]
        guard let who = Self.words(origin.client, origin.processID, origin.userID) else {
            return parts.joined(separator: "  ")
        }
        let consent = handler.flatMap { Self.words($0.name, $0.processID, $0.userID) }
        return (parts + ["by \(who)" + (consent.map { ", consented to by \($0)" } ?? "")]).joined(separator: "  ")
    }

    /// `waybar (pid 431, uid 1000)`; nil if nothing is known.
    static func words(_ name: String?, _ processID: Int?, _ userID: Int?) -> String? {
        let ids = [processID.map { "pid \($0)" }, userID.map { "uid \($0)" }].compactMap(\.self)
        if name == nil, ids.isEmpty { return nil }
        return (name.map { harmless($0) } ?? "somebody") + (ids.isEmpty ? "" : " (\(ids.joined(separator: ", ")))")
    }
}
