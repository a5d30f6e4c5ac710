import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON

struct Undelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Restore a deleted list with its history.",
        discussion: """
            If several lists of that name were deleted, the last one is restored, with its items, its history, its \
            owner and its mode. diffablectl ls --deleted lists them. The daemon keeps a deleted list as long as \
            history (historyAgeMax, a day by default), while there is room (deletedLengthMax). If a list of that name \
            exists again, use --as to choose another name.
            """)

    @Argument(help: "The list.", completion: .deletedLists, transform: listName) var list: ListName
    @Option(
        name: .customLong("deleted"),
        help: ArgumentHelp(
            "Restore the list that was deleted at this time, as ls --deleted shows it. The beginning of a time is enough.",
            valueName: "time"))
    var time: String?
    @Option(
        name: .customLong("as"), help: ArgumentHelp("Restore the list under this name.", valueName: "name"),
        transform: listName) var newName: ListName?
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        try await daemon.withConnection { connection in
            let epoch = try await epoch(connection)
            do { try await connection.undeleteList(list, epoch: epoch, as: newName) } catch ClientError.refused(
                let refusal)
            {
                guard ["noSuchList", "listExists"].contains(refusal.name) else { throw ClientError.refused(refusal) }
                let kept = try await connection.deletedLists().map(\.summary.list)
                throw error(for: refusal, kept: kept)
            }
        }
    }

    /// Of the one that was deleted at that time; nil for the one that was deleted last.
    private func epoch(_ connection: Connection) async throws -> String? {
        guard let time else { return nil }
        let lists = try await connection.deletedLists().filter { $0.summary.list == list }
        let found = lists.filter { localTime(milliseconds: $0.time).hasPrefix(time) || $0.summary.epoch == time }
        if found.count == 1 { return found[0].summary.epoch }
        let times = (found.isEmpty ? lists : found).map { localTime(milliseconds: $0.time) }.joined(separator: ", ")
        if lists.isEmpty { throw CommandError(.notFound, "there is no deleted list \(quoted(list))") }
        guard found.isEmpty else {
            throw CommandError(
                .unusable,
                "several lists \(quoted(list)) were deleted then (\(times)); give more of the time, or name one by its epoch, "
                    + "which diffablectl ls --deleted --json shows")
        }
        throw CommandError(
            .notFound, "no list \(quoted(list)) was deleted then; the deleted ones have the times \(times)")
    }

    /// - Parameter kept: the deleted lists that there are to bring back.
    private func error(for refusal: Refusal, kept: [ListName]) -> CommandError {
        let nearest = nearestName(to: list.description, among: kept.map(\.description))
        let advice = nearest.map { "did you mean \($0)?" }
        if refusal.name == "listExists" {
            let taken = "there is a list \(quoted(newName ?? list)) already"
            if kept.contains(list) {
                return CommandError(.conflict, "\(taken); diffablectl undelete --as gives this one another name")
            }
            return CommandError(
                .conflict, "\(taken), and no deleted one of that name; \(advice ?? "see diffablectl ls --deleted")")
        }
        if let advice { return CommandError(.notFound, "there is no deleted list \(quoted(list)); \(advice)") }
        // Only the daemon knows why it does not keep the list.
        return CommandError(.notFound, refusal.sentence)
    }
}
