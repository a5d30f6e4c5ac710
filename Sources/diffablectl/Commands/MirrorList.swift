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

    /// Which list, by which link.
    private struct Route {
        var list: ListName
        var link: MirrorLink
        var origin: MirrorSource
    }

    func validate() throws {
        guard [via != nil, pipe != nil, end].count(where: { $0 }) <= 1 else {
            throw ValidationError("--via, --pipe and --end cannot be combined")
        }
        if end {
            _ = try listName(source)
            if name != nil { throw ValidationError("--end takes one list") }
            if replace {
                throw ValidationError(
                    "--end cannot be combined with --replace: stop the command that mirrors the list first")
            }
        } else {
            _ = try route()
        }
    }

    private func route() throws -> Route {
        if let command = via ?? pipe {
            let list = try listName(source)
            // `ssh -p 2222 build` is told from other ways by its end, which is a host's name as a rule.
            let host = via?.split(separator: " ").last.map(String.init) ?? "pipe"
            return Route(
                list: list,
                link: via == nil ? MirrorLink(command: command, name: host) : .via(command, name: host),
                origin: try origin(host, list))
        }
        guard let colon = source.firstIndex(of: ":"), colon > source.startIndex else {
            throw ValidationError("\(source) names no host: HOST:LIST, or a list with --via or --pipe")
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
                        group.addTask { try await carryOn(session, route.link) }
                        // Also while nothing is to be carried over.
                        group.addTask {
                            await here.closed()
                            throw ClientError.connectionLost(socket)
                        }
                        defer { group.cancelAll() }
                        try await group.next()
                    }
                }
            } catch let error as ClientError where error.isHealedByReconnecting && !(isFirst && error.isAbsence) {
                if failures == 0 { say("\(error); retrying until there is a connection") }
                failures += 1
                try await Task.sleep(for: Backoff.pause(afterFailures: failures))
            }
        }
    }

    /// Makes the list, if there is none, and the mirror of it.
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
            guard case .refused(let refusal) = error, refusal.name == "mirrorExists" else { throw error }
            throw CommandError(
                .conflict,
                "another command mirrors \(quoted(mirror)) already; end that one, or take its place with --replace")
        }
    }

    /// An ordinary list with something in it, or the mirror of another list, is not overwritten unless that is asked for.
    private func check(_ known: ListSummary, _ origin: MirrorSource) throws {
        if known.mirrorSource == origin || known.revision == 0 || replace { return }
        throw CommandError(
            .conflict,
            "there is a list \(quoted(known.list)) already, which is "
                + (known.mirrorSource.map { "a mirror of \($0)" } ?? "no mirror")
                + "; name another one for the mirror, or take its place with --replace")
    }

    /// Makes the link, again and again, until it is cancelled.
    private func carryOn(_ session: MirrorSession, _ link: MirrorLink) async throws {
        var failures = 0
        while true {
            let start = ContinuousClock.now
            do {
                try await link.withConnection(replyTimeout: MirrorList.silenceMax) { try await session.run(over: $0) }
            } catch {
                try Task.checkCancellation()
                // A daemon here that has gone ends it all.
                try await session.loseLink()
                if case ClientError.refused(let refusal) = error, refusal.name == "permissionDenied" { throw error }
                if .now - start > MirrorList.steadyTime { failures = 0 }
                if failures == 0 {
                    say("no link to \(link.name)\(reason(error)); reconnecting")
                }
            }
            failures += 1
            try await Task.sleep(
                for: Backoff.pause(afterFailures: failures, from: .seconds(1), upTo: .seconds(30)))
        }
    }

    /// Of a link that broke, there is nothing to say.
    private func reason(_ error: any Error) -> String {
        switch error {
        case ClientError.connectionLost: " any more"
        case ClientError.noReply(_, let time): ": nothing has come for \(time.components.seconds) s"
        default: ": \(error)"
        }
    }

    /// Nothing comes, although it is asked for: the link counts as lost.
    private static let silenceMax = Duration.seconds(15)
    /// A link that lasted so long was a good one.
    private static let steadyTime = Duration.seconds(10)
}
