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
              DIFFABLE_LIST       the list
              DIFFABLE_KIND       perform, propose or expand
              DIFFABLE_ACTION     the action
              DIFFABLE_ITEMS      the action's items, or the item to expand; an id on
                                  each line
              DIFFABLE_SECTION    the action's section
              DIFFABLE_ARGUMENTS  the action's arguments, as JSON
              DIFFABLE_REVISION   the list's revision at the time of the request
              DIFFABLE_UID        the caller's user id
              DIFFABLED_SOCKET    the daemon, for diffablectl in the command (also
                                  DIFFABLE_SOCKET)
            A variable is not set if the request has no such value. A request whose items are longer than 128 KiB in \
            all is refused: send fewer items at a time.

            The command's exit status is the reply:
              0      the action is done, or the proposal is accepted. If the output is
                     JSON, it is the result of the action, or for a proposal an array of
                     operations to apply instead. Other output is ignored
              other  refused: nothing happened. The last line of standard error is the
                     reason
            If a signal ends the command, or its result is too long, the caller gets status 10: the action might have \
            been done. A proposal is refused then (status 8), because the daemon does not apply it; the command might \
            have had other effects. If the command itself changes lists (diffablectl set ...), the caller receives \
            these changes before the reply.

            If the caller's timeout expires or the caller disconnects, the command and all its children get SIGTERM, \
            and \(CommandRun.mercy.components.seconds) seconds later SIGKILL. The same happens if the connection is \
            lost, or if anything but SIGKILL ends this program. At most --jobs commands run at a time, including those \
            that have not ended yet after SIGTERM. Other requests wait.

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
            throw ValidationError("name a command after --: diffablectl handle \(commandWord(list)) -- COMMAND...")
        }
        guard Self.jobsRange.contains(jobs) else {
            throw ValidationError(
                "--jobs must be \(Self.jobsRange.lowerBound) to \(Self.jobsRange.upperBound), not \(jobs)")
        }
        if perform, !action.isEmpty {
            throw ValidationError("--perform handles every action, and --action only the named ones; use one of them")
        }
    }

    private var registration: Request.Handle {
        var kinds: Set<HandlerRequestKind> = []
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
        // A missing daemon at startup is an error, as for any command.
        try await client.withConnection(patience: .zero) { _ in }
        let turns = FairSemaphore(width: jobs)
        let answering = Task { try await answer(HandledCommand(command, socket: path), client, turns) }
        let endSignal = Mutex<Int32?>(nil)
        try EndSignals.onFirst { number in
            endSignal.withLock { $0 = number }
            answering.cancel()
        }
        let outcome = await answering.result
        // Commands that still run have been asked to end, and are killed if they do not.
        await turns.close()
        if let number = endSignal.withLock(\.self) { EndSignals.end(by: number) }
        do {
            try report(try outcome.get())
        } catch ClientError.refused(let refusal) where refusal.code == .noSuchList {
            throw await MissingListAdvice.error(for: refusal, lookedAt: path)
        }
    }

    private func answer(_ command: HandledCommand, _ client: Client, _ turns: FairSemaphore) async throws -> HandlerEnd
    {
        try await withThrowingTaskGroup(of: HandlerEnd.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                while true {
                    let end = try await handleCurrentList(command, client, turns)
                    guard wait, end == .listDeleted else { return end }
                    printMessage("waiting until there is a list \(list)")
                    try await awaitList(client)
                }
            }
            group.addTask { throw try await client.reportConnectionLosses() }
            return try await group.next() ?? .listDeleted
        }
    }

    /// Handles requests for the list that exists now.
    private func handleCurrentList(_ command: HandledCommand, _ client: Client, _ turns: FairSemaphore) async throws
        -> HandlerEnd
    {
        let registration = registration
        do {
            return try await client.handle(registration) {
                printMessage("ready to handle \(registration.words)")
            } onObjection: { request, objection in
                printMessage(command.complaint(about: request, objection))
            } _: { received in
                // The place is taken here, because requests arrive here in order, but tasks may start in any order.
                let place = turns.enqueue()
                return { try await turns.run(at: place) { try await command.verdict(on: received) } }
            }
        } catch .refused(let refusal) where wait && refusal.code == .noSuchList {
            return .listDeleted
        } catch {
            throw error
        }
    }

    private func awaitList(_ client: Client) async throws {
        // Only the list's existence matters, so the view has one row.
        var options = ListOptions(view: try ListView(json: #"{"window":{"offset":0,"limit":1}}"#))
        options.ifAbsent = .isAwaited
        for try await _ in client.list(list, options: options) { return }
        throw CancellationError()
    }

    private func report(_ end: HandlerEnd) throws {
        switch end {
        case .listDeleted:
            printMessage(
                "\(list) was deleted or renamed, so this handler has ended; use --wait to wait for the next list of "
                    + "that name")
        case .replaced:
            throw CommandError(
                .conflict,
                "another handler of \(list) has replaced this one, which has ended; to take over again, use --replace")
        case .permissionDenied:
            throw CommandError(
                .notAllowed,
                "you may no longer change \(list), so this handler has ended; ask the list's owner for write access")
        case .unknown(let reason):
            throw CommandError(
                .refused,
                "the daemon has ended this handler of \(list), for a reason that this diffablectl does not know: "
                    + "\(reason). Install a newer diffablectl")
        }
    }
}

extension Request.Handle {
    /// `tasks: the actions done, later; proposals`
    fileprivate var words: String {
        let parts = HandlerRequestKind.allCases.filter(requests.contains).map { kind in
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
