/// Reads records of fields: CSV as in RFC 4180, with any separator, or fields between tabs, with `TSVEscapes` instead of quotation
/// marks. Each record must have as many fields as the first one. Otherwise values would silently get the wrong names.
struct DelimitedText {
    enum Dialect {
        case csv
        case tsv

        var separator: UInt8 { self == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t") }
    }

    struct Record: Equatable {
        /// The record's first line, counted from 1. A quoted field may contain line feeds.
        var line: Int
        var fields: [[UInt8]]
    }

    private let bytes: ArraySlice<UInt8>
    private let dialect: Dialect
    private let delimiter: UInt8
    private let columnsMax: Int
    private var position: Int
    private var line = 1
    private var fieldCount: Int?

    init(_ bytes: ArraySlice<UInt8>, dialect: Dialect, separator: UInt8? = nil, columnsMax: Int = .max) {
        self.bytes = bytes
        self.dialect = dialect
        delimiter = separator ?? dialect.separator
        self.columnsMax = columnsMax
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
            guard record.fields.count < columnsMax else {
                throw InputError(
                    line: record.line, "there are more than \(grouped(columnsMax)) columns (columnsMax); select fewer")
            }
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
                "the line has \(counted(record.fields.count, "field")), but the first line has \(fieldCount); "
                    + (dialect == .csv
                        ? "correct it, or put a field with a separator in quotes"
                        : "correct it, or write \\t for a tab in a field"))
        }
    }

    private mutating func field() throws(InputError) -> [UInt8] {
        if dialect == .csv, position < bytes.endIndex, bytes[position] == quote { return try quotedField() }
        let start = position
        while position < bytes.endIndex, bytes[position] != delimiter, !isAtLineEnd {
            if dialect == .csv, bytes[position] == quote {
                throw InputError(
                    line: line,
                    "a quotation mark inside a field; put the field in quotation marks and double the mark inside")
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
                throw InputError(
                    line: line, "text after a closing quotation mark; to put a quotation mark inside a field, double it"
                )
            }
        }
        throw InputError(line: firstLine, "a quotation mark that begins a field is never closed; close it")
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
    /// Finds the separator in the first line: where numbers have a decimal comma, programs write semicolons, and some write
    /// tabs. Characters within quotation marks do not count. Another separator has to outnumber the commas.
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
