import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableProtocol

struct MirrorList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror", abstract: "Keep a copy of another host's list in sync with it.",
        discussion: """
            SOURCE is HOST:LIST, where ssh can connect to HOST and diffablectl is installed there. Or it is a list's \
            name, with --via or --pipe. --via is a command that runs another one where the list is. --pipe is a \
            command whose standard input and output lead to the other daemon's socket.
              diffablectl mirror build:jobs
              diffablectl mirror jobs --via 'ssh -p 2222 me@build'
              diffablectl mirror jobs --pipe 'socat - UNIX-CONNECT:/run/other/diffabled.sock'

            Each change there makes one change here. Only this command can change the mirror, which has a history and \
            revisions of its own. If the link is lost, the mirror keeps its last state and is not live; watch, view \
            and the member `live` of a bookmark show this. The command reconnects until it succeeds, and then \
            continues with the next change. It runs until you interrupt it, and the list remains a mirror. --end turns \
            it into an ordinary list.
            """)

    @Argument(help: "HOST:LIST; with --via, --pipe or --end a list.") var source: String
    @Argument(help: "The mirror's name. Default: the list's name.", transform: listName) var name: ListName?
    @Option(
        help: ArgumentHelp(
            "A command that runs another one on the other host, for example 'ssh host'.", valueName: "command"))
    var via: String?
    @Option(help: ArgumentHelp("A command that connects to the other daemon's socket.", valueName: "command")) var pipe:
        String?
    @Flag(help: "Keep a new mirror in memory only.") var volatile = false
    @Flag(help: "Replace an ordinary list, or another command that mirrors it.") var replace = false
    @Flag(help: "Turn a mirror into an ordinary list, and exit.") var end = false
    @OptionGroup var daemon: DaemonOptions

    private struct Route {
        var list: ListName
        var link: MirrorLink
        var origin: MirrorSource
    }

    func validate() throws {
        guard [via != nil, pipe != nil, end].count(where: { $0 }) <= 1 else {
            throw ValidationError(
                "--via and --pipe connect to the other daemon in different ways, and --end needs no connection; use one of them"
            )
        }
        if end {
            _ = try listName(source)
            if let name {
                throw ValidationError(
                    "--end takes only the mirror's name on this host: diffablectl mirror \(commandWord(name)) --end")
            }
            if replace {
                throw ValidationError(
                    "--end and --replace cannot be combined: stop the command that keeps the mirror in sync, then use "
                        + "--end alone")
            }
        } else {
            _ = try route()
        }
    }

    private func route() throws -> Route {
        if let command = via ?? pipe {
            let list = try listName(source)
            // Names `ssh -p 2222 build` by its last word, which is usually a host name.
            let host = via?.split(separator: " ").last.map(String.init) ?? "pipe"
            return Route(
                list: list,
                link: via == nil ? MirrorLink(command: command, name: host) : .via(command, name: host),
                origin: try origin(host, list))
        }
        guard let colon = source.firstIndex(of: ":"), colon > source.startIndex else {
            throw ValidationError("\(source) names no host; use HOST:LIST, or a list with --via or --pipe")
        }
        let host = String(source[..<colon])
        let list = try listName(String(source[source.index(after: colon)...]))
        return Route(list: list, link: .ssh(to: host), origin: try origin(host, list))
    }

    private func origin(_ host: String, _ list: ListName) throws -> MirrorSource {
        do { return try MirrorSource("\(host):\(list)") } catch {
            throw ValidationError("\(host):\(list) \(error)")
        }
    }

    func run() async throws {
        if end { return try await daemon.withConnection { try await $0.endMirror(try listName(source)) } }
        let route = try route()
        let mirror = name ?? route.list
        let socket = try daemon.path()
        var isFirst = true
        var failures = 0
        while true {
            do {
                try await daemon.withConnection { here in
                    let position = try await begin(mirror, route, over: here, isFirst: isFirst)
                    (isFirst, failures) = (false, 0)
                    let session = MirrorSession(
                        of: route.list, as: mirror, route.origin, over: here, at: position,
                        MirrorPosition(of: mirror, at: socket))
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { try await mirrorWithReconnecting(session, route.link) }
                        // Notices the loss even while nothing is copied.
                        group.addTask {
                            await here.closed()
                            throw ClientError.connectionLost(socket)
                        }
                        defer { group.cancelAll() }
                        try await group.next()
                    }
                }
            } catch let error as ClientError where error.isHealedByReconnecting && !(isFirst && error.isAbsence) {
                if failures == 0 { printMessage("the connection to the daemon on this host was lost; reconnecting") }
                failures += 1
                try await Task.sleep(for: Backoff.pause(afterFailures: failures))
            }
        }
    }

    private func begin(
        _ mirror: ListName, _ route: Route, over here: Connection, isFirst: Bool
    ) async throws -> ListPosition {
        let known = try await here.lists().first { $0.list == mirror }
        if let known {
            try check(known, route.origin)
        } else {
            try await here.createList(mirror, durability: volatile ? .volatile : .durable)
        }
        do { return try await here.mirror(mirror, of: route.origin, replacing: replace || !isFirst) } catch {
            guard case .refused(let refusal) = error, refusal.code == .mirrorExists else { throw error }
            throw CommandError(
                .conflict,
                "another command keeps the mirror \(quoted(mirror)) in sync, and nothing was changed; stop that command, or take "
                    + "its place with --replace")
        }
    }

    /// Refuses to overwrite an ordinary list with items, or the mirror of another list, unless the user asks for it.
    private func check(_ known: ListSummary, _ origin: MirrorSource) throws {
        if known.mirrorSource == origin || known.revision == 0 || replace { return }
        throw CommandError(
            .conflict,
            "there is a list \(quoted(known.list)) already, which is "
                + (known.mirrorSource.map { "a mirror of \($0)" } ?? "not a mirror")
                + "; nothing was changed. Give the mirror another name, or replace the list with --replace")
    }

    private func mirrorWithReconnecting(_ session: MirrorSession, _ link: MirrorLink) async throws {
        var failures = 0
        while true {
            let start = ContinuousClock.now
            do {
                try await link.withConnection(replyTimeout: MirrorList.silenceMax) { try await session.run(over: $0) }
            } catch {
                try Task.checkCancellation()
                // The loss of the local daemon ends the command.
                try await session.loseLink()
                if case ClientError.refused(let refusal) = error, refusal.code == .permissionDenied { throw error }
                if .now - start > MirrorList.steadyTime { failures = 0 }
                if failures == 0 {
                    printMessage("\(loss(of: link, error)); reconnecting")
                }
            }
            failures += 1
            try await Task.sleep(
                for: Backoff.pause(afterFailures: failures, from: .seconds(1), upTo: .seconds(30)))
        }
    }

    private func loss(of link: MirrorLink, _ error: any Error) -> String {
        switch error {
        case ClientError.connectionLost: "the connection to \(link.name) was lost"
        case ClientError.noReply(_, let time): "\(link.name) has sent nothing for \(time.components.seconds) s"
        default: "cannot mirror from \(link.name): \(error)"
        }
    }

    /// The time without a reply after which the link counts as lost.
    private static let silenceMax = Duration.seconds(15)
    /// The duration of a link after which its loss does not count as a repeated failure.
    private static let steadyTime = Duration.seconds(10)
}
