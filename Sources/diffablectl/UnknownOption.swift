import ArgumentParser
import DiffableJSON

// The parser looks for options that a command does not have only after the command has checked the others. So a misspelt
// option would pass for a missing one: the complaint about `move tasks milk --fornt` would be that no place is named.

extension Diffablectl {
    /// What is wrong with the first word that is no option of the command; nil when there is none.
    ///
    /// - Parameter words: those before `--`.
    static func unknownOption(in words: some Sequence<String>) -> String? {
        let (command, title) = command(in: words)
        let names = optionNames(of: command)
        for word in words {
            let name = String(word.prefix { $0 != "=" })
            if name.hasPrefix("--") {
                if names.contains(name) { continue }
                let advice = nearestName(to: name, among: names).map { "did you mean \($0)?" }
                return "there is no option \(name); \(advice ?? "`\(title) --help` shows those there are")"
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

    /// Those with two dashes. The parser tells them only on the page of help, where each stands at the front of a line.
    private static func optionNames(of command: any ParsableCommand.Type) -> [String] {
        let lines = helpMessage(for: command, includeHidden: true).split(separator: "\n")
        return lines.filter { $0.hasPrefix("  -") }.flatMap { line in
            // What the option does stands in the next column.
            let column = line.dropFirst(2)[..<(line.dropFirst(2).firstRange(of: "  ")?.lowerBound ?? line.endIndex)]
            return column.matches(of: /(?:^|[ ,\/])(--[a-z][a-z-]*)/).map { String($0.1) }
        }
    }
}
