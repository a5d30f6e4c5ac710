import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableTerminal
import DiffableView

struct PickerOptions: ParsableArguments {
    @Flag(help: "Pick an item: Enter prints its id and exits.") var select = false
    @Flag(help: "Like --select, for several items: Tab marks them. Ids are printed in the order marked.") var multi =
        false
    @Option(
        help: ArgumentHelp(
            "Pick an item, or several with --multi, and run this command with the ids as its last arguments.",
            valueName: "command"))
    var exec: String?
    @Option(help: ArgumentHelp("Start with this search.", valueName: "words")) var query: String?
    @Option(
        help: ArgumentHelp(
            "Draw no screen: print the items that match, best first. Exits with 1 if none does.", valueName: "words"))
    var filter: String?
    @Option(
        help: ArgumentHelp(
            """
            The text to print for an item instead of its id, such as '{id}\\t{.text}'. Fields are id, kind, list, section, parent and \
            paths; \\t, \\n and \\\\ are a tab, a line feed and a backslash.
            """, valueName: "template"))
    var format: PickedFormat?
    @Flag(name: [.customShort("0"), .customLong("print0")], help: "End each item with a NUL instead of a line feed.")
    var print0 = false
    @Option(
        help: ArgumentHelp(
            "Keys that pick too, such as ctrl-y,alt-e,f2. The first line is then the key, or empty for Enter.",
            valueName: "keys"))
    var expect: PickingKeys?
    @Option(help: ArgumentHelp("The text before the search. Default: /", valueName: "text")) var prompt: String?
    @Option(
        help: ArgumentHelp(
            "Draw on this many rows below the command line, instead of the whole screen.", valueName: "rows|percent%"))
    var height: TerminalHeight?

    func validate() throws {
        if select, multi {
            throw ValidationError("--select picks one item, and --multi several; use one of them")
        }
        if exec != nil, expect != nil || print0 {
            throw ValidationError("--expect and --print0 are for printed items: leave out the command")
        }
        if filter != nil,
            query != nil || multi || select || exec != nil || expect != nil || prompt != nil || height != nil
        {
            throw ValidationError(
                "--filter draws no screen: leave out the other options of a picker, except --format and -0")
        }
    }

    /// The first option that has no meaning without picking; nil if there is none.
    var optionForPicking: String? {
        if filter == nil, format != nil || print0 { return format == nil ? "--print0" : "--format" }
        let given = [
            (query != nil, "--query"), (expect != nil, "--expect"), (prompt != nil, "--prompt"),
            (height != nil, "--height"),
        ]
        return given.first { $0.0 }?.1
    }

    func text(of picked: PickedItem) -> String { format?.text(of: picked) ?? picked.item.id.description }

    /// Prints picked items for a program.
    func write(_ picked: [PickedItem], key: KeyPress?) {
        var output = StandardOutput()
        var lines = picked.map(text)
        if let expect { lines.insert(key.flatMap { expect.names[$0] } ?? "", at: 0) }
        for line in lines {
            if print0 { output.append(Array(line.utf8) + [0]) } else { output.line(of: [line]) }
        }
        output.flush()
    }
}

extension TerminalHeight: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

/// The text of a picked item.
struct PickedFormat: ExpressibleByArgument {
    private let template: Template

    init?(argument: String) { try? self.init(checking: argument) }

    private init(checking argument: String) throws {
        var text = ""
        var rest = argument[...]
        while let character = rest.popFirst() {
            guard character == "\\", let next = rest.first, let meant = ["t": "\t", "n": "\n", "\\": "\\"][next] else {
                text.append(character)
                continue
            }
            text += meant
            rest.removeFirst()
        }
        template = try Template(text)
        guard !template.isOfChange else { throw ValidationError("an item has no event and no revision") }
    }

    func text(of picked: PickedItem) -> String {
        template.filled(for: ItemEvent(picked))
    }
}

/// `ctrl-y,alt-enter,f2`
struct PickingKeys: ExpressibleByArgument {
    let names: [KeyPress: String]

    init?(argument: String) {
        var names: [KeyPress: String] = [:]
        for name in argument.split(separator: ",") {
            guard let key = KeyPress(named: String(name)) else { return nil }
            names[key] = String(name)
        }
        guard !names.isEmpty else { return nil }
        self.names = names
    }
}

extension KeyPress {
    /// `enter`, `f1`, `ctrl-y`, `alt-e`, `shift-up` and so on; nil for another name.
    init?(named name: String) {
        var words = name.split(separator: "-").map(String.init)
        guard let given = words.popLast() else { return nil }
        // A capital letter is a key of its own, but not with Ctrl or Alt.
        let last = words.isEmpty && given.unicodeScalars.count == 1 ? given : given.lowercased()
        var modifiers: KeyModifiers = []
        for word in words {
            switch word.lowercased() {
            case "ctrl": modifiers.insert(.control)
            case "alt": modifiers.insert(.alt)
            case "shift": modifiers.insert(.shift)
            default: return nil
            }
        }
        let known: [String: Key] = [
            "enter": .enter, "tab": .tab, "esc": .escape, "space": .character(" "), "bspace": .backspace, "up": .up,
            "down": .down, "left": .left, "right": .right, "home": .home, "end": .end, "pgup": .pageUp,
            "pgdn": .pageDown,
            "ins": .insert, "del": .delete,
        ]
        if let key = known[last] {
            self.init(key, modifiers)
        } else if last.count > 1, last.first == "f", let number = Int(last.dropFirst()), 1...12 ~= number {
            self.init(.function(number), modifiers)
        } else if last.unicodeScalars.count == 1, let scalar = last.unicodeScalars.first {
            self.init(.character(scalar), modifiers)
        } else {
            return nil
        }
    }
}
