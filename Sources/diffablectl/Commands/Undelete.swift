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
                guard [.noSuchList, .listExists].contains(refusal.code) else { throw ClientError.refused(refusal) }
                let kept = try await connection.deletedLists().map(\.summary.list)
                throw error(for: refusal, kept: kept)
            }
        }
    }

    /// The epoch of the list that was deleted at the given time; nil for the last one.
    private func epoch(_ connection: Connection) async throws -> String? {
        guard let time else { return nil }
        let lists = try await connection.deletedLists().filter { $0.summary.list == list }
        let found = lists.filter { localTime(milliseconds: $0.time).hasPrefix(time) || $0.summary.epoch == time }
        if found.count == 1 { return found[0].summary.epoch }
        let times = (found.isEmpty ? lists : found).map { localTime(milliseconds: $0.time) }.joined(separator: ", ")
        if lists.isEmpty {
            throw CommandError(
                .notFound, "there is no deleted list \(quoted(list)); diffablectl ls --deleted prints the deleted lists"
            )
        }
        guard found.isEmpty else {
            throw CommandError(
                .unusable,
                "several lists \(quoted(list)) match --deleted \(time.debugDescription) (\(times)), and none was restored; give "
                    + "more of the time, or the epoch that diffablectl ls --deleted --json prints")
        }
        throw CommandError(
            .notFound,
            "no list \(quoted(list)) matches --deleted \(time.debugDescription); lists of this name were deleted at \(times): use "
                + "one of these times")
    }

    /// `kept` has the names of the deleted lists that can be restored.
    private func error(for refusal: Refusal, kept: [ListName]) -> CommandError {
        let nearest = nearestName(to: list.description, among: kept.map(\.description))
        let advice = nearest.map { "did you mean \($0)?" }
        if refusal.code == .listExists {
            let existing = "there is a list \(quoted(newName ?? list)) already"
            if kept.contains(list) {
                return CommandError(
                    .conflict,
                    "\(existing), and nothing was restored; restore the deleted one under another name with --as NAME")
            }
            return CommandError(
                .conflict,
                "\(existing), and there is no deleted list \(quoted(list)); \(advice ?? "see diffablectl ls --deleted")"
            )
        }
        if let advice { return CommandError(.notFound, "there is no deleted list \(quoted(list)); \(advice)") }
        // Only the daemon knows why it does not keep the list.
        return CommandError(.notFound, refusal.sentence)
    }
}
