import ArgumentParser

/// The forms of input that `apply` reads.
enum InputFormat: String, CaseIterable, ExpressibleByArgument {
    /// A snapshot, or an array of objects.
    case json
    /// One JSON object on each line.
    case ndjson
    /// RFC 4180, with a header.
    case csv
    /// Fields between tabs, no quoting, with a header.
    case tsv
    /// One item on each line.
    case lines
    /// Indented text: what is indented deeper is a child.
    case tree

    /// By the file's extension if it has a known one, otherwise by how the input begins.
    ///
    /// - Parameter isRow: whether a line is a JSON object by itself and no snapshot; asked at most once.
    static func guess(
        fileName: String?, input: [UInt8], isRow: (ArraySlice<UInt8>) -> Bool
    ) -> InputFormat {
        if let fileName, let known = known(by: fileName) { return known }
        guard let first = input.firstIndex(where: { !isWhiteSpace($0) }) else { return .lines }
        switch input[first] {
        case UInt8(ascii: "["): return .json
        case UInt8(ascii: "{"):
            let end = input[first...].firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
            return isRow(input[first..<end]) ? .ndjson : .json
        default: return .lines
        }
    }

    private static func known(by fileName: String) -> InputFormat? {
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

func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
}
