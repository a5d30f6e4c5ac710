/// Decides whether a line is a header or a record of CSV. It looks at the first line alone, so that a table without records, or
/// with a ragged record, is judged in the same way as a complete one.
enum CSVHeader {
    /// The separator; nil for ordinary text.
    static func separator(of line: ArraySlice<UInt8>) -> UInt8? {
        let word = line.prefix { $0 != UInt8(ascii: " ") }
        return ",;|".utf8.first { separator in
            line.contains(separator) && isHeader(line, separator: separator)
                && (word.contains(separator) || !TableDetector.isStamped(String(decoding: line, as: UTF8.self)))
        }
    }

    private static func isHeader(_ line: ArraySlice<UInt8>, separator: UInt8) -> Bool {
        var records = DelimitedText(line, dialect: .csv, separator: separator)
        // An open quotation mark continues on the next line.
        guard let record = try? records.next() else {
            return line.first == UInt8(ascii: "\"") && !line.count { $0 == UInt8(ascii: "\"") }.isMultiple(of: 2)
        }
        // Quotation marks at the beginning are CSV's: in a sentence, a blank follows the closing one.
        if line.first == UInt8(ascii: "\"") { return record.fields.count > 1 && !isPadded(line, separator) }
        // The first and the last name may be missing: tables with numbered rows begin with a comma.
        let ends = record.fields.count - (record.fields.last?.isEmpty == true ? 1 : 0)
        let names = record.fields[..<ends].dropFirst(record.fields[0].isEmpty ? 1 : 0)
        guard ends > 1, !names.isEmpty, names.allSatisfy(isName) else { return false }
        return separator != UInt8(ascii: ",")
            || !zip(names, names.dropFirst()).contains { isDigit($0.last) && isDigit($1.first) }
    }

    private static func isPadded(_ line: ArraySlice<UInt8>, _ separator: UInt8) -> Bool {
        zip(line, line.dropFirst()).contains { $0 == separator && $1 == UInt8(ascii: " ") }
    }

    private static func isName(_ field: [UInt8]) -> Bool {
        guard let first = field.first, let last = field.last, !isWhiteSpace(first), !isWhiteSpace(last) else {
            return false
        }
        let text = String(decoding: field, as: UTF8.self)
        let words = text.split(separator: " ")
        return !text.contains { "=<>{}\\".contains($0) } && !text.contains("://")
            && [("(", ")"), ("[", "]")].allSatisfy { open, close in
                text.count { $0 == open.first } == text.count { $0 == close.first }
            }
            && words.allSatisfy { $0.count == 1 || !"/-.~".contains($0.first ?? "/") }
            && text.contains { $0.isLetter || $0.isNumber || "%#_".contains($0) }
    }

    private static func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
}
