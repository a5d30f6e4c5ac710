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

    /// By the file's extension if it has a known one, otherwise by how the input begins.
    ///
    /// - Parameters:
    ///   - isTable: whether it has to be a table unless it is JSON.
    ///   - isRow: whether a line is a JSON object by itself and no snapshot; asked at most once.
    package static func guess(
        fileName: String?, input: [UInt8], isTable: Bool = false, isRow: (ArraySlice<UInt8>) -> Bool
    ) -> InputFormat {
        if let fileName, let known = known(by: fileName) { return known }
        guard let first = input.firstIndex(where: { !isWhiteSpace($0) }) else { return .lines }
        switch input[first] {
        case UInt8(ascii: "["): return .json
        case UInt8(ascii: "{"):
            let end = input[first...].firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
            return isRow(input[first..<end]) ? .ndjson : .json
        default:
            if isTable { return table(of: input) }
            return isOutline(input) ? .tree : DelimitedText.hasHeader(input[...]) ? .csv : .lines
        }
    }

    /// Which sort of table it is: by what stands in its first line.
    private static func table(of input: [UInt8]) -> InputFormat {
        let line = input.drop(while: isWhiteSpace).prefix { $0 != UInt8(ascii: "\n") }
        if line.contains(UInt8(ascii: "\t")) { return .tsv }
        return line.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") } ? .csv : .columns
    }

    /// Whether tabs indent some lines, and stand nowhere else: blanks in front of a line often mean nothing, as in `uniq -c`.
    private static func isOutline(_ input: [UInt8]) -> Bool {
        let tab = UInt8(ascii: "\t")
        var isFirst = true
        var isIndented = false
        for line in input.split(separator: UInt8(ascii: "\n")) where !line.allSatisfy(isWhiteSpace) {
            let text = line.drop { $0 == tab }
            if text.contains(tab) || (isFirst && text.startIndex > line.startIndex) { return false }
            if text.startIndex > line.startIndex { isIndented = true }
            isFirst = false
        }
        return isIndented
    }

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
