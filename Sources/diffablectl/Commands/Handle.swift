import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableProtocol
import Synchronization

struct Handle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer for a list: run a command for each request.",
        discussion: """
            Whoever asks with diffablectl perform, transact --propose or expand --ask, or in a viewer, waits for the \
            command. Without --action, --propose and --expand it is run for all actions.
              diffablectl handle lamps --action on --action off -- ./switch-lamp

            It is run without a shell. On its standard input is the request as a line of JSON, as it is in \
            diffabled-protocol(7), and in its environment what is in it:
              DIFFABLE_LIST, DIFFABLE_KIND    the list; perform, propose or expand
              DIFFABLE_ACTION                 the action
              DIFFABLE_ITEMS                  its items, or the one to expand, each on a line
              DIFFABLE_SECTION                its section
              DIFFABLE_ARGUMENTS              its arguments, as JSON
              DIFFABLE_REVISION               of the list when it was asked
              DIFFABLE_UID                    who asks
              DIFFABLED_SOCKET                the daemon, for diffablectl in it (also DIFFABLE_SOCKET)
            What a request has not is not set there. One whose items are longer than 128 KiB in all is refused: ask for fewer \
            at a time.

            Status 0 says that it is done, or that the proposal is as it should be; standard output that is JSON is the \
            result, and for a proposal an array of operations, to be applied instead; other output is left out. Any other \
            status refuses, with the last line of standard error: nothing happened. Of one that is ended by a signal, or \
            whose result is too long, the asker hears that it may have happened (status 10); a proposal is refused then (8), \
            since it is not applied, whatever the command itself has done. What it changes itself (diffablectl set ...) has \
            come to the asker before the answer.

            When nobody waits any more, because the time is over or the asker is gone, the command gets SIGTERM, with all \
            that it has started, and \(CommandRun.mercy.components.seconds) seconds later SIGKILL; so it does when the \
            connection is lost, or when this program is ended by anything but SIGKILL. --jobs of them run at a time; other \
            requests wait, also for one that is to end and has not.

            Beside what it writes to standard error itself, there is a line there for each request that it could not answer: \
            it was ended by a signal, its result is too long, or its operations do not fit the list.

            It goes on when the daemon restarts. It ends with status 0 when the list is deleted or renamed, unless it is to \
            wait for the next one, with 5 when another handler replaces it (--replace), and with 7 when this user may not \
            change the list any more.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("A command, run without a shell for each request.", valueName: "command"))
    var command: [String] = []

    @Option(
        help: ArgumentHelp("Answer for this action. May be repeated.", valueName: "name"), completion: .actions,
        transform: actionName)
    var action: [ActionName] = []
    @Flag(help: "Answer for all actions. This is what is done if nothing else is said.") var perform = false
    @Flag(help: "Consent to what others propose, or refuse it.") var propose = false
    @Flag(help: "Bring the children of items that somebody opens.") var expand = false
    @Flag(help: "Take the place of a handler that is there.") var replace = false
    @Flag(help: "Wait for a list if there is none, and for the next one when it is deleted or renamed.")
    var wait = false
    @Option(help: ArgumentHelp("How many commands run at a time, at most.", valueName: "number"))
    var jobs = 4
    @OptionGroup var daemon: DaemonOptions

    private static let jobsRange = 1...64

    func validate() throws {
        if command.isEmpty {
            throw ValidationError("say behind -- what to run: diffablectl handle \(list) -- COMMAND...")
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
        case .replaced: throw CommandError(.conflict, "another handler answers for \(list) now")
        case .permissionDenied:
            throw CommandError(.notAllowed, "this user may not change \(list) any more, and so not answer for it")
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
