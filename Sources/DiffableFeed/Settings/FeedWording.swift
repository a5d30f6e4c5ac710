import DiffableInput

/// In whose words a feed's messages name what was said of it.
package enum FeedWording: Equatable, Sendable {
    /// Those of a file: `id: .pid`.
    case keys
    /// Those of the prompt: `--id .pid`.
    case options

    private static let names: Set<Substring> = [
        "id", "section", "parent", "text", "rows", "columns", "numbers", "types", "separator", "from", "orphans",
    ]
    /// What may stand behind an option in an advice, beside paths.
    private static let values: Set<Substring> = ["csv", "tsv", "columns", "json", "ndjson", "lines", "tree", "top"]

    /// What a program or the daemon has said stays as it is, whatever options that names.
    package func worded(_ error: any Error) -> String {
        switch error {
        case let error as FeedError where error.namesOptions: worded(error.description)
        case let error as InputError: worded(error.description)
        default: "\(error)"
        }
    }

    /// - Parameter message: as it is written for the prompt.
    package func worded(_ message: String) -> String {
        guard self == .keys else { return message }
        let words = message.split(separator: " ", omittingEmptySubsequences: false)
        var said: [String] = []
        for (index, word) in words.enumerated() {
            let name = word.dropFirst(2).prefix { $0.isLetter }
            guard word.hasPrefix("--"), Self.names.contains(name) else {
                said.append(String(word))
                continue
            }
            let end = word.dropFirst(2 + name.count)
            let next = index + 1 < words.count ? words[index + 1] : ""
            let hasValue =
                end.isEmpty
                && (next.first.map { "./\"'".contains($0) } == true
                    || Self.values.contains(next.prefix { $0.isLetter }))
            said.append(hasValue ? "\(name):" : "\(name)\(end)")
        }
        return said.joined(separator: " ")
    }
}
