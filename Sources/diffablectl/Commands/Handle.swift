import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableProtocol
import Synchronization

struct Handle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a command for each request to a list.",
        discussion: """
            Requests come from diffablectl perform, transact --propose and expand --ask, and from viewers. The caller \
            waits for the command. Without --action, --propose and --expand, the command is run for all actions.
              diffablectl handle lamps --action on --action off -- ./switch-lamp

            The command is run without a shell. Its standard input is the request as a line of JSON, as described in \
            diffabled-protocol(7). Its environment contains:
              DIFFABLE_LIST, DIFFABLE_KIND    the list; perform, propose or expand
              DIFFABLE_ACTION                 the action
              DIFFABLE_ITEMS                  its items, or the one to expand, each on a line
              DIFFABLE_SECTION                its section
              DIFFABLE_ARGUMENTS              its arguments, as JSON
              DIFFABLE_REVISION               the list's revision at the time of the request
              DIFFABLE_UID                    the caller's user
              DIFFABLED_SOCKET                the daemon, for diffablectl in it (also DIFFABLE_SOCKET)
            A variable is not set if the request has no such value. A request whose items are longer than 128 KiB in \
            all is refused: send fewer items at a time.

            The command's exit status is the reply:
              0        done, or the proposal is accepted. Output that is JSON is the result; for a proposal it is an
                       array of operations to apply instead. Other output is ignored
              other    refused: nothing happened. The last line of standard error is the reason
            If a signal ends the command, or its result is too long, the caller gets status 10: the action may have \
            been done. A proposal is then refused (8), because it is not applied, regardless of other effects of the \
            command. If the command itself changes lists (diffablectl set ...), the caller receives these changes \
            before the reply.

            If the caller's time is over or the caller has disconnected, the command and all its children get SIGTERM, \
            and \(CommandRun.mercy.components.seconds) seconds later SIGKILL. The same happens if the connection is \
            lost, or if anything but SIGKILL ends this program. --jobs commands run at a time. Other requests wait, \
            even for a command that has not ended yet after SIGTERM.

            Standard error shows the command's own messages, and a line for each request without a usable reply: a \
            signal ended the command, its result is too long, or its operations do not fit the list.

            handle continues after a restart of the daemon. It ends with status 0 when the list is deleted or renamed \
            (unless --wait is used), with 5 when another handler replaces it (--replace), and with 7 when you may no \
            longer change the list.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The command to run for each request, without a shell.", valueName: "command"))
    var command: [String] = []

    @Option(
        help: ArgumentHelp("Handle this action. May be repeated.", valueName: "name"), completion: .actions,
        transform: actionName)
    var action: [ActionName] = []
    @Flag(help: "Handle all actions. This is the default.") var perform = false
    @Flag(help: "Accept or refuse proposals.") var propose = false
    @Flag(help: "Load the children of items that are opened.") var expand = false
    @Flag(help: "Replace an existing handler.") var replace = false
    @Flag(help: "Wait for the list if it does not exist, or is deleted or renamed.")
    var wait = false
    @Option(help: ArgumentHelp("Run at most this many commands at a time.", valueName: "number"))
    var jobs = 4
    @OptionGroup var daemon: DaemonOptions

    private static let jobsRange = 1...64

    func validate() throws {
        if command.isEmpty {
            throw ValidationError("name a command after --: diffablectl handle \(list) -- COMMAND...")
        }
        guard Self.jobsRange.contains(jobs) else {
            throw ValidationError(
                "--jobs is \(Self.jobsRange.lowerBound) to \(Self.jobsRange.upperBound), not \(jobs)")
        }
        if perform, !action.isEmpty {
            throw ValidationError("--perform is about all actions, and --action about one; use one of them")
        }
    }

    private var registration: Request.Handle {
        var kinds: Set<HandledKind> = []
        if propose { kinds.insert(.propose) }
        if expand { kinds.insert(.expand) }
        if perform || !action.isEmpty || kinds.isEmpty { kinds.insert(.perform) }
        return Request.Handle(
            list: list, requests: kinds, actions: action.isEmpty ? nil : action,
            existing: replace ? .isReplaced : .isError)
    }

    func run() async throws {
        try ChildProcess.check(command[0])
        let path = try daemon.path()
        let client = try daemon.client()
        // It is an error if no daemon is there at first, as for any command.
        try await client.withConnection(patience: .zero) { _ in }
        let turns = Turns(width: jobs)
        let answering = Task { try await answer(HandledCommand(command, socket: path), client, turns) }
        let endSignal = Mutex<Int32?>(nil)
        try EndSignals.onFirst { number in
            endSignal.withLock { $0 = number }
            answering.cancel()
        }
        let outcome = await answering.result
        // What still runs was told to end, and is killed if it does not.
        await turns.close()
        if let number = endSignal.withLock(\.self) { EndSignals.end(by: number) }
        do {
            try tell(try outcome.get())
        } catch ClientError.refused(let refusal) where refusal.name == "noSuchList" {
            throw await AbsentList.error(for: refusal, lookedAt: path)
        }
    }

    /// Answers until something ends that.
    private func answer(_ command: HandledCommand, _ client: Client, _ turns: Turns) async throws -> HandlerEnd {
        try await withThrowingTaskGroup(of: HandlerEnd.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                while true {
                    let end = try await answerForOne(command, client, turns)
                    guard wait, end == .listDeleted else { return end }
                    say("waiting for \(list)")
                    try await awaitList(client)
                }
            }
            group.addTask { throw try await client.sayingLosses() }
            return try await group.next() ?? .listDeleted
        }
    }

    /// Answers for the list that there is.
    private func answerForOne(_ command: HandledCommand, _ client: Client, _ turns: Turns) async throws -> HandlerEnd {
        let registration = registration
        do {
            return try await client.handle(registration) {
                say("answering for \(registration.words)")
            } onObjection: { request, objection in
                say(command.complaint(about: request, objection))
            } _: { received in
                // Here, because requests come here in their order, and tasks begin in any.
                let place = turns.place()
                return { try await turns.run(at: place) { try await command.verdict(on: received) } }
            }
        } catch .refused(let refusal) where wait && refusal.name == "noSuchList" {
            return .listDeleted
        } catch {
            throw error
        }
    }

    private func awaitList(_ client: Client) async throws {
        // Only that it is there counts.
        var options = ListOptions(view: try ListView(json: #"{"window":{"offset":0,"limit":1}}"#))
        options.ifAbsent = .isAwaited
        for try await _ in client.list(list, options: options) { return }
        throw CancellationError()
    }

    private func tell(_ end: HandlerEnd) throws {
        switch end {
        case .listDeleted: say("\(list) was deleted or renamed")
        case .replaced: throw CommandError(.conflict, "another handler has replaced this one for \(list)")
        case .permissionDenied:
            throw CommandError(.notAllowed, "you may no longer change \(list), so this command cannot handle it")
        case .unknown(let reason):
            throw CommandError(
                .refused,
                "the daemon has ended this handler of \(list), for a reason that this diffablectl does not know: "
                    + "\(reason)")
        }
    }
}

extension Request.Handle {
    /// `tasks: the actions done, later; proposals`
    fileprivate var words: String {
        let parts = HandledKind.allCases.filter(requests.contains).map { kind in
            switch kind {
            case .perform:
                actions.map { names in
                    (names.count == 1 ? "the action " : "the actions ")
                        + names.map(\.description).joined(separator: ", ")
                } ?? "all actions"
            case .propose: "proposals"
            case .expand: "the children of items"
            }
        }
        return "\(list): \(parts.joined(separator: "; "))"
    }
}
