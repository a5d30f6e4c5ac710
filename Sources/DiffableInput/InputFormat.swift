/// The forms of input that `apply` reads.
package enum InputFormat: String, CaseIterable {
    /// A snapshot, or an array of objects.
    case json
    /// One JSON object on each line, also what `show -o jsonl` writes.
    case ndjson
    /// RFC 4180, with a header.
    case csv
    /// Fields between tabs, with a header; `\t`, `\n`, `\r` and `\\` are what cannot stand in a field.
    case tsv
    /// Aligned as programs print it for people, such as `ps aux`.
    case columns
    /// One item on each line.
    case lines
    /// Indented text: what is indented deeper is a child.
    case tree

    /// The other name of `ndjson` is that of the form in which `show` writes it.
    package init?(named name: String) { self.init(rawValue: name == "jsonl" ? "ndjson" : name) }

    /// The format that the ending of a file's name says; nil for an unknown one.
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
