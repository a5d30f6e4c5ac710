import ArgumentParser
import DiffableJSON
import DiffableProtocol
import NIOCore
import ProcessArguments
import TaskThreads

/// The command-line client: lists, changes and follows the lists of a `diffabled` daemon.
@main
struct Diffablectl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diffablectl",
        abstract: "Create, change and follow the lists of a diffabled daemon.",
        discussion: """
            A command uses the daemon at --socket, $DIFFABLED_SOCKET, your own socket \
            ($XDG_RUNTIME_DIR/diffabled/diffabled.sock) or the system's (/run/diffabled/diffabled.sock), in this \
            order. --user and --system name one of the last two. All three options can also come before the command. \
            If you have run a daemon of your own (~/.local/state/diffabled exists) and it is stopped, a command fails. \
            Add --system to use the system's daemon instead. `diffablectl status` prints the socket.

            CONTENT is JSON, or pairs: key=value is a string, key:=value is JSON. done=true stores the string "true" \
            and prints a warning.
              diffablectl append tasks milk text="Buy milk" done:=false
              diffablectl set tasks milk '{"text":"Buy oat milk"}'
            If an id or another argument begins with a dash, write all options first, then --, then the arguments.

            A path names a member of a content: .name or .owner.name, with or without the first dot, or /owner/name. \
            Keys of CONTENT are paths. So are fields, columns and the argument of --sort. Write a name that contains a \
            dot as /a.b, and an element of an array as .tags.0. The bare names id and kind are the item's own.

            A condition of --where or --for is one test, quoted for the shell:
              done  '!done'   the member is true; it is not. A member is true unless it
                              is missing, null, false, 0 or empty
              'due?'  '!due?' the item has this member; it does not. due? can also be
                              written exists(due)
              unread=true     the member is true, or the string "true"; also !=
              'cpu>10'        it is a number above 10; also <, <= and >=. With a string
                              in place of 10, strings are compared
              text~milk       it is a string that contains milk, or an array with the
                              element milk; also '!~'
              zip='"01"'      with quotation marks: it is this string, not a number
              n:=1            with := it is this JSON value
            Or it is JSON, as described in diffabled-protocol(7). If you repeat the option, all conditions must hold.

            Exit status:
            \(ExitStatus.table)
            """,
        version: Version.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Lists",
                subcommands: [
                    Lists.self, Create.self, Copy.self, Rename.self, Delete.self, Undelete.self, Show.self, Get.self,
                    Watch.self, ViewLists.self, Wait.self, Apply.self, Edit.self,
                ]),
            CommandGroup(name: "Other hosts", subcommands: [MirrorList.self, Relay.self, Leave.self]),
            CommandGroup(
                name: "Access and schemas", subcommands: [ChangeMode.self, ChangeOwner.self, Schema.self]),
            CommandGroup(
                name: "Items",
                subcommands: [
                    Append.self, Insert.self, SetContent.self, Patch.self, Move.self, Reorder.self, Remove.self,
                    Expand.self, Collapse.self,
                ]),
            CommandGroup(name: "Actions and handlers", subcommands: [Perform.self, Handle.self]),
            CommandGroup(name: "History", subcommands: [Log.self, Diff.self, Undo.self, Redo.self]),
            CommandGroup(name: "Sections and operations", subcommands: [SectionCommand.self, Transact.self]),
            CommandGroup(
                name: "Daemon",
                subcommands: [Status.self, Clients.self, Top.self, Reload.self, Backup.self, Restore.self]),
        ])

    static func main() {
        StandardStreams.fillClosedDescriptors()
        // The only connection uses a single thread.
        NIOSingletons.groupLoopCountSuggestion = 1
        TaskThreads.run(begin)
    }

    @Sendable private static func begin() async {
        let arguments = DaemonOptions.movingOptionsAfterCommand(ProcessArguments.given(), isCommand: isCommand)
        do {
            if let number = ProcessArguments.firstUnreadable() {
                throw ValidationError("argument \(number) is not valid UTF-8; convert it first, for example with iconv")
            }
            try refuseUnknownCommand(in: arguments)
            var command = try await asyncParseAsRoot(ViewLists.markingCommandWords(arguments))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            StandardOutput.finish()
        } catch {
            end(with: explained(error, arguments))
        }
    }
}

// MARK: - Commands by name

extension Diffablectl {
    private static func commands(below words: some Collection<String>) -> [any ParsableCommand.Type] {
        words.reduce(configuration.subcommands) { commands, word in
            commands.first { $0._commandName == word }?.configuration.subcommands ?? []
        }
    }

    private static func isCommand(_ words: [String]) -> Bool {
        guard let name = words.last else { return false }
        return commands(below: words.dropLast()).contains { $0._commandName == name }
    }

    /// The parser would call it an unexpected argument, and after `help` it would show another page.
    private static func refuseUnknownCommand(in arguments: [String]) throws {
        if arguments.first == "help" { return try refuseUnknown(arguments.dropFirst().prefix { !$0.hasPrefix("-") }) }
        let hasSubcommands = !commands(below: arguments.prefix(1)).isEmpty
        try refuseUnknown(arguments.prefix(hasSubcommands ? 2 : 1).prefix { !$0.hasPrefix("-") })
    }

    private static func refuseUnknown(_ words: ArraySlice<String>) throws {
        for (name, end) in zip(words, words.indices) where !isCommand(Array(words[...end])) {
            let above = words[..<end]
            let names = commands(below: above).map { $0._commandName }
            let meant = (above.isEmpty ? usualNames[name] : nil) ?? nearestName(to: name, among: names)
            throw ValidationError(
                "there is no command \(words[...end].joined(separator: " ").debugDescription); "
                    + (meant.map { "did you mean \((above + [$0]).joined(separator: " "))? " } ?? "")
                    + "`\((["diffablectl"] + above).joined(separator: " ")) --help` lists the commands")
        }
    }

    /// Names that other programs use for these commands.
    private static let usualNames = [
        "list": "ls", "lists": "ls", "add": "append", "remove": "rm", "mv": "move", "cat": "show", "cp": "copy",
        "version": "--version", "new": "create", "update": "patch", "history": "log", "tail": "watch",
    ]
}

// MARK: - Words that begin with a dash

extension Diffablectl {
    /// The parser reads a word such as -high as several options, and h is help. The user may have meant an id.
    private static func explained(_ error: any Error, _ arguments: [String]) -> any Error {
        let options = arguments.prefix { $0 != "--" }
        let hint = "an argument that begins with a dash, such as an id, goes after --, after all options: --"
        if exitCode(for: error).isSuccess {
            let asksForHelp = options.contains { ["-h", "--help", "-help", "help"].contains($0) }
            guard !asksForHelp, let word = options.first(where: { isSeveralOptions($0) && $0.contains("h") }) else {
                return error
            }
            return CommandError(.unusable, "\(word) is read as several options, and -h is help; \(hint) \(word)")
        }
        let problem = message(for: error)
        if problem.hasPrefix("Unknown option") || problem.hasPrefix("Missing expected argument"),
            let word = options.first(where: isSeveralOptions)
        {
            printMessage("\(hint) \(word)")
        } else if exitCode(for: error) == .validationFailure, !problem.hasPrefix("Unknown option"),
            let problem = unknownOption(in: options)
        {
            return CommandError(.unusable, problem)
        }
        return error
    }

    /// True for `-high`, but not for `-h` and `-5`.
    private static func isSeveralOptions(_ word: String) -> Bool {
        word.hasPrefix("-") && !word.hasPrefix("--") && word.count > 2 && Int(word) == nil
    }
}
