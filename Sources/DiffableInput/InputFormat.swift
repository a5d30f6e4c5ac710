package enum InputFormat: String, CaseIterable {
    case json
    /// One JSON object on each line, including the output of `show -o jsonl`.
    case ndjson
    /// RFC 4180, with a header.
    case csv
    /// Fields between tabs, with a header and the escapes `\t`, `\n`, `\r` and `\\`.
    case tsv
    /// Aligned for people, as `ps aux` prints it.
    case columns
    case lines
    /// Indented text: a line that is indented deeper is a child.
    case tree

    /// Whether the columns of the input have names.
    package var isTable: Bool { [.csv, .tsv, .columns].contains(self) }

    /// Accepts `jsonl` as the other name of `ndjson`, because `show` calls it that.
    package init?(named name: String) { self.init(rawValue: name == "jsonl" ? "ndjson" : name) }

    /// The format of a file name's ending; nil for an unknown one.
    package static func known(by fileName: String) -> InputFormat? {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        return switch fileName[fileName.index(after: dot)...].lowercased() {
        case "json": .json
        case "ndjson", "jsonl": .ndjson
        case "csv": .csv
        case "tsv", "tab": .tsv
        case "txt": .lines
        case "tree": .tree
        default: nil
        }
    }
}

package func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
}
