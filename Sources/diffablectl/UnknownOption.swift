import ArgumentParser
import DiffableJSON

// The parser looks for unknown options only after the command has checked the known ones. So a misspelt option would be
// reported as a missing one: for `move tasks milk --fornt`, the message would be that no place is named.

extension Diffablectl {
    /// The complaint about the first unknown option; nil if there is none. `words` are the words before `--`.
    static func unknownOption(in words: some Sequence<String>) -> String? {
        let (command, title) = command(in: words)
        let names = optionNames(of: command)
        for word in words {
            let name = String(word.prefix { $0 != "=" })
            if name.hasPrefix("--") {
                if names.contains(name) { continue }
                let advice = nearestName(to: name, among: names).map { "did you mean \($0)?" }
                return "there is no option \(name); \(advice ?? "`\(title) --help` lists the options")"
            }
            if name.hasPrefix("-"), names.contains("-\(name)") {
                return "there is no option \(name); did you mean -\(name)?"
            }
        }
        return nil
    }

    private static func command(in words: some Sequence<String>) -> (any ParsableCommand.Type, title: String) {
        var command: any ParsableCommand.Type = Diffablectl.self
        var title = Diffablectl._commandName
        for word in words {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else { break }
            command = next
            title += " \(word)"
        }
        return (command, title)
    }

    /// The options with two dashes. The parser reveals them only in the help text, where each is at the start of a line.
    private static func optionNames(of command: any ParsableCommand.Type) -> [String] {
        let lines = helpMessage(for: command, includeHidden: true).split(separator: "\n")
        return lines.filter { $0.hasPrefix("  -") }.flatMap { line in
            // The description is in the next column.
            let column = line.dropFirst(2)[..<(line.dropFirst(2).firstRange(of: "  ")?.lowerBound ?? line.endIndex)]
            return column.matches(of: /(?:^|[ ,\/])(--[a-z][a-z-]*)/).map { String($0.1) }
        }
    }
}
