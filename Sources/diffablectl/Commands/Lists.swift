import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableProtocol

struct Lists: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the lists that you may see.",
        discussion: """
            With -l, ls also prints the permissions of the owner, the group and all other users: r to see the list, w \
            to change it, x to send requests to its handler. If a list has handlers (diffablectl handle), -l prints \
            what they handle: actions, proposals (propose) and loading of children (expand). With --deleted, ls lists \
            the deleted lists that you can restore (diffablectl undelete), the last deletion first.
            """)

    @Argument(
        help: ArgumentHelp("Only these lists. A missing one is an error.", valueName: "list"),
        completion: .lists, transform: listName)
    var chosen: [ListName] = []
    @Flag(name: [.customShort("l"), .long], help: "Print permissions, owners, groups and handlers too.") var long =
        false
    @Flag(help: "Print only names, one on each line.") var names = false
    @Flag(help: "List deleted lists that can be restored.") var deleted = false
    @Flag(help: "Print the daemon's reply as JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard [long, names, json].count(where: { $0 }) <= 1 else {
            throw ValidationError(
                "-l prints details, --names only names, and --json the daemon's reply; use one of them")
        }
        if long, deleted {
            throw ValidationError("-l cannot be combined with --deleted, which prints the owners anyway: leave -l out")
        }
        if json, !chosen.isEmpty {
            throw ValidationError("--json prints the daemon's whole reply: leave the names of lists out")
        }
    }

    func run() async throws {
        var output = StandardOutput()
        try await daemon.withReadOnlyConnection { connection in
            if json {
                output.json(try await deleted ? connection.deletedListsJSON() : connection.listsJSON())
            } else if deleted {
                let lists = try chosen(of: await connection.deletedLists(), \.summary.list)
                if names { return lists.forEach { output.line("\($0.summary.list)") } }
                if lists.isEmpty { return printMessage("there are no deleted lists that you can restore") }
                for line in table(lists).lines { output.line(line) }
            } else {
                let all = try await long ? connection.listsWithActions() : connection.lists()
                let lists = try chosen(of: all, \.list)
                if names { return lists.forEach { output.line("\($0.list)") } }
                if lists.isEmpty {
                    return printMessage("there are no lists that you may see; create one with diffablectl create NAME")
                }
                output.table(long ? longTable(lists) : table(lists))
            }
        }
        output.flush()
    }

    private func chosen<List>(of lists: [List], _ name: (List) -> ListName) throws -> [List] {
        if chosen.isEmpty { return lists }
        let names = Set(lists.map(name))
        for list in chosen where !names.contains(list) {
            if deleted {
                throw CommandError(
                    .notFound,
                    "there is no deleted list \(quoted(list)) that you can restore; diffablectl ls --deleted prints those that you "
                        + "can restore")
            }
            throw ClientError.refused(
                Refusal(.noSuchList, "there is no list \(quoted(list))", list: list))
        }
        return lists.filter { chosen.contains(name($0)) }
    }

    private func table(_ lists: [ListSummary]) -> TextTable {
        var table = TextTable([
            "LIST": .left, "SECTIONS": .right, "ITEMS": .right, "REVISION": .right, "DURABILITY": .left,
        ])
        for list in lists {
            table.append([
                list.list.description, grouped(list.sections), grouped(list.items), "\(list.revision)",
                list.durability.rawValue,
            ])
        }
        return table
    }

    private func table(_ lists: [DeletedList]) -> TextTable {
        var table = TextTable([
            "LIST": .left, "ITEMS": .right, "REVISION": .right, "OWNER": .left, "DELETED": .left, "BY": .left,
        ])
        for list in lists {
            table.append([
                list.summary.list.description, grouped(list.summary.items), "\(list.summary.revision)",
                UserNames.user(list.summary.access.owner), localTime(milliseconds: list.time), list.client ?? "",
            ])
        }
        return table
    }

    /// Shows the handled requests in a column only if any list has a handler, because few lists have one.
    private func longTable(_ lists: [ListSummary]) -> TextTable {
        let answering = lists.contains { !$0.handles.isEmpty }
        let mirroring = lists.contains { $0.mirrorSource != nil }
        let sharing = lists.contains(where: \.isShared)
        var head: [(String, TextTable.Alignment)] = [
            ("MODE", .left), ("OWNER", .left), ("GROUP", .left), ("ITEMS", .right), ("REVISION", .right),
            ("DURABILITY", .left),
        ]
        if answering { head.append(("ANSWERS", .left)) }
        if mirroring { head.append(("MIRROR OF", .left)) }
        if sharing { head.append(("SHARED", .left)) }
        var table = TextTable(head + [("LIST", .left)])
        for list in lists {
            let columns = [
                list.access.mode.symbolic, UserNames.user(list.access.owner), UserNames.group(list.access.group),
                grouped(list.items), "\(list.revision)", list.durability.rawValue,
            ]
            table.append(
                columns + (answering ? [answers(of: list)] : []) + (mirroring ? [mirror(list)] : [])
                    + (sharing ? [shared(list)] : []) + [list.list.description])
        }
        return table
    }

    /// `build:jobs`, and a note if the mirror is not live.
    private func mirror(_ list: ListSummary) -> String {
        guard let source = list.mirrorSource else { return "-" }
        return list.liveness == .live ? "\(source)" : "\(source) (not live)"
    }

    private func shared(_ list: ListSummary) -> String {
        if !list.isShared { return "-" }
        return list.liveness == .live ? "live" : "not live"
    }

    /// `done,later propose`, or `perform` for all actions.
    private func answers(of list: ListSummary) -> String {
        let words = HandlerRequestKind.allCases.filter(list.handles.contains).map { kind in
            kind == .perform ? list.actions?.map(\.description).joined(separator: ",") ?? "perform" : kind.rawValue
        }
        return words.isEmpty ? "-" : words.joined(separator: " ")
    }
}
