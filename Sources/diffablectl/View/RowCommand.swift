import ArgumentParser
import Diffable
import DiffableInput
import DiffableView

/// A command that the viewer's user runs for a row. The content of a list only fills in its arguments.
struct RowCommand: Sendable {
    let shown: UserCommand
    let command: ExecutedCommand

    init(preview text: String) throws { self = try RowCommand(text, key: nil, output: .preview, option: "--preview") }

    init(pane text: String) throws { self = try RowCommand(keyed: text, output: .pane, option: "--pane") }

    init(run text: String) throws { self = try RowCommand(keyed: text, output: .terminal, option: "--run") }

    /// `KEY=COMMAND`. The key itself may be `=`.
    private init(keyed text: String, output: UserCommand.Output, option: String) throws {
        guard let end = text.dropFirst().firstIndex(of: "="), let key = KeyPress(named: String(text[..<end])) else {
            throw ValidationError("\(text.debugDescription) is not a key and a command, such as f3='less -- {.path}'")
        }
        guard Viewer.isFree(key) else {
            throw ValidationError(
                "the viewer uses the key \(text[..<end]) itself: take another one, such as f3 or a capital letter")
        }
        self = try RowCommand(String(text[end...].dropFirst()), key: key, output: output, option: option)
    }

    private init(_ text: String, key: KeyPress?, output: UserCommand.Output, option: String) throws {
        command = try ExecutedCommand(text, isForItem: true, option: option)
        let name = command.program.split(separator: "/").last.map(String.init) ?? command.program
        shown = UserCommand(key: key, title: name, output: output)
    }

    /// The words to run; or a message.
    func words(for item: PickedItem) -> Result<[String], InputError> {
        command.words(for: ItemEvent(item)).mapError { error in
            InputError(
                "\(command.program) was not run: \(harmless(error.word).debugDescription) begins with a dash and could be taken "
                    + "for an option; put -- before its field, if \(command.program) accepts --")
        }
    }

    func environment(for item: PickedItem, _ base: [String]) -> [String] {
        base
            + ItemEvent(item).variables.filter {
                !$0.hasPrefix("DIFFABLE_EVENT=") && !$0.hasPrefix("DIFFABLE_REVISION=")
            }
    }
}

extension ItemEvent {
    /// For templates and variables of an item that nobody has changed.
    init(_ picked: PickedItem) {
        self.init(
            kind: .insert, item: picked.item, list: picked.list, section: picked.section, parent: picked.parent,
            revision: 0)
    }
}

extension ChildProcess.Ending {
    /// Nil for success.
    func problem(of program: String) -> String? {
        switch self {
        case .status(0): nil
        case .status(let status): "\(program) ended with status \(status)"
        case .signal(let signal): ChildProcess.message(program, endedBy: signal)
        }
    }
}

struct RowCommandOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Run this command for the selected row, without a shell, and show its output next to the rows. It has the fields of \
            watch --exec, such as {id} and {.path}.
            """, valueName: "command"),
        transform: RowCommand.init(preview:))
    var preview: RowCommand?
    @Option(
        help: ArgumentHelp(
            "Show the output of this command for a row when you press the key: L='journalctl -fu {id}'. May be repeated.",
            valueName: "key=command"),
        transform: RowCommand.init(pane:))
    var pane: [RowCommand] = []
    @Option(
        help: ArgumentHelp(
            "Hand the terminal to this command for a row when you press the key: f3='less -- {.path}'. May be repeated.",
            valueName: "key=command"),
        transform: RowCommand.init(run:))
    var run: [RowCommand] = []

    var all: [RowCommand] { [preview].compactMap(\.self) + pane + run }

    func validate() throws {
        var keys: Set<KeyPress> = []
        for command in all {
            guard let key = command.shown.key, !keys.insert(key).inserted else { continue }
            throw ValidationError("the key of \(command.shown.title) has a command already: take another one")
        }
    }

    /// The first option that was given.
    var given: String? {
        [(preview != nil, "--preview"), (!pane.isEmpty, "--pane"), (!run.isEmpty, "--run")].first { $0.0 }?.1
    }
}
