/// Reads records of fields: CSV as RFC 4180 has it, with any separator, or fields between tabs, with `TSVEscapes` instead of quotation marks.
///
/// Each record must have as many fields as the first one. Otherwise values would silently get the wrong names.
struct DelimitedText {
    enum Dialect {
        case csv
        case tsv

        var separator: UInt8 { self == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t") }
    }

    struct Record: Equatable {
        /// The line on which it begins, counted from 1. A quoted field may contain line feeds.
        var line: Int
        var fields: [[UInt8]]
    }

    private let bytes: ArraySlice<UInt8>
    private let dialect: Dialect
    private let delimiter: UInt8
    private var position: Int
    private var line = 1
    private var fieldCount: Int?

    /// - Parameter separator: by default the dialect's own.
    init(_ bytes: ArraySlice<UInt8>, dialect: Dialect, separator: UInt8? = nil) {
        self.bytes = bytes
        self.dialect = dialect
        delimiter = separator ?? dialect.separator
        self.position = bytes.startIndex
    }

    /// The next record. Blank lines are skipped. O(its length).
    mutating func next() throws(InputError) -> Record? {
        while isAtLineEnd, position < bytes.endIndex { skipLineEnd() }
        guard position < bytes.endIndex else { return nil }
        var record = Record(line: line, fields: [])
        record.fields.reserveCapacity(fieldCount ?? 8)
        record.fields.append(try field())
        while position < bytes.endIndex, bytes[position] == delimiter {
            position += 1
            record.fields.append(try field())
        }
        skipLineEnd()
        try check(record)
        return record
    }

    private mutating func check(_ record: Record) throws(InputError) {
        guard let fieldCount else {
            fieldCount = record.fields.count
            return
        }
        guard record.fields.count == fieldCount else {
            throw InputError(
                line: record.line,
                "\(counted(record.fields.count, "field")), but the first line has \(fieldCount)")
        }
    }

    private mutating func field() throws(InputError) -> [UInt8] {
        if dialect == .csv, position < bytes.endIndex, bytes[position] == quote { return try quotedField() }
        let start = position
        while position < bytes.endIndex, bytes[position] != delimiter, !isAtLineEnd {
            if dialect == .csv, bytes[position] == quote {
                throw InputError(
                    line: line, "a quotation mark inside a field; put the whole field in quotation marks and double it")
            }
            position += 1
        }
        return dialect == .tsv ? TSVEscapes.unescaped(bytes[start..<position]) : Array(bytes[start..<position])
    }

    private mutating func quotedField() throws(InputError) -> [UInt8] {
        let firstLine = line
        var field: [UInt8] = []
        position += 1
        while position < bytes.endIndex {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\n") { line += 1 }
            guard byte == quote else {
                field.append(byte)
                continue
            }
            if position < bytes.endIndex, bytes[position] == quote {
                field.append(quote)
                position += 1
            } else if position == bytes.endIndex || bytes[position] == delimiter || isAtLineEnd {
                return field
            } else {
                throw InputError(line: line, "text after a closing quotation mark; a mark inside a field is doubled")
            }
        }
        throw InputError(line: firstLine, "a quotation mark is opened and never closed")
    }

    private var quote: UInt8 { UInt8(ascii: "\"") }

    /// A carriage return ends a line only before a line feed or the end.
    private var isAtLineEnd: Bool {
        guard position < bytes.endIndex else { return true }
        if bytes[position] == UInt8(ascii: "\n") { return true }
        return bytes[position] == UInt8(ascii: "\r")
            && (position + 1 == bytes.endIndex || bytes[position + 1] == UInt8(ascii: "\n"))
    }

    private mutating func skipLineEnd() {
        guard position < bytes.endIndex else { return }
        if bytes[position] == UInt8(ascii: "\r") { position += 1 }
        if position < bytes.endIndex { position += 1 }
        line += 1
    }
}

extension DelimitedText {
    /// What separates the fields of the first line: programs of countries whose numbers have a comma write semicolons, some
    /// write tabs. Marks within quotation marks do not count; where there is a comma, it has to be outnumbered.
    static func separator(of text: ArraySlice<UInt8>, dialect: Dialect) -> UInt8 {
        guard dialect == .csv else { return dialect.separator }
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        for byte in text {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if counts.isEmpty { continue }
                break
            }
            counts[byte, default: 0] += 1
        }
        let others = [UInt8(ascii: ";"), UInt8(ascii: "\t")]
        let likeliest = others.max { counts[$0, default: 0] < counts[$1, default: 0] } ?? dialect.separator
        return counts[likeliest, default: 0] > counts[dialect.separator, default: 0] ? likeliest : dialect.separator
    }
}
