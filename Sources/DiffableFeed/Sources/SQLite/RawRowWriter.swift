import Diffable
import DiffableInput
import DiffableJSON
import GRDBSQLite

/// Copies the rows of a query as images straight from SQLite's memory. An image becomes a row of JSON only when it is
/// needed. A value is its type and its bytes: numbers have eight, and text is preceded by its length. The memory is raw
/// instead of an array, because this runs for each value of each row after each commit, usually to find that nothing
/// changed.
struct RawRowWriter: ~Copyable {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private var count = 0
    private var ends: [Int] = []
    private let columns: [String]
    /// Bytes of the column names, which each row repeats.
    private let namesLength: Int
    private let limits: InputLimits

    private static let capacityFirst = 1 << 12

    init(columns: [String], _ limits: InputLimits) {
        self.columns = columns
        self.limits = limits
        namesLength = columns.reduce(0) { $0 + $1.utf8.count }
        capacity = Self.capacityFirst
        memory = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { memory.deallocate() }

    /// Appends the statement's current row. Returns the error if the row cannot be added.
    mutating func append(_ statement: OpaquePointer?) -> InputError? {
        for column in 0..<Int32(columns.count) {
            let type = sqlite3_column_type(statement, column)
            switch type {
            case SQLITE_INTEGER: append(type, sqlite3_column_int64(statement, column))
            case SQLITE_FLOAT: append(type, sqlite3_column_double(statement, column))
            case SQLITE_TEXT:
                guard let text = sqlite3_column_text(statement, column) else {
                    return InputError("SQLite has too little memory for a value; select less")
                }
                let length = Int(sqlite3_column_bytes(statement, column))
                if let excess = excess(adding: length) { return excess }
                append(type, Int64(length), extra: length)
                (memory + count).copyMemory(from: text, byteCount: length)
                count += length
            default:
                reserve(1)
                memory.storeBytes(of: UInt8(type), toByteOffset: count, as: UInt8.self)
                count += 1
            }
        }
        ends.append(count)
        return excess(adding: 0)
    }

    private func excess(adding length: Int) -> InputError? {
        limits.excess(rows: ends.count, length: count + length + ends.count * namesLength)
    }

    @inline(__always)
    private mutating func append<Number: BitwiseCopyable>(_ type: Int32, _ number: Number, extra: Int = 0) {
        reserve(9 + extra)
        memory.storeBytes(of: UInt8(type), toByteOffset: count, as: UInt8.self)
        memory.storeBytes(of: number, toByteOffset: count + 1, as: Number.self)
        count += 9
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if count + more > capacity { grow(to: count + more) }
    }

    private mutating func grow(to count: Int) {
        capacity = max(count, 2 * capacity)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        larger.copyMemory(from: memory, byteCount: self.count)
        memory.deallocate()
        memory = larger
    }

    func images(jsonColumns: Set<String>) -> RawRows {
        RawRows(
            columns: columns, bytes: Array(UnsafeRawBufferPointer(start: memory, count: count)), ends: ends,
            read: { [columns] image, number throws(InputError) in
                try Row(Array(image), number: number, columns: columns, jsonColumns: jsonColumns)
            })
    }
}

extension Row {
    fileprivate init(
        _ image: [UInt8], number: Int, columns: [String], jsonColumns: Set<String>
    ) throws(InputError) {
        var offset = 0
        func value<Number: BitwiseCopyable>(_ type: Number.Type) -> Number {
            defer { offset += 8 }
            return image.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
        }
        var writer = ByteWriter()
        writer.append("{")
        for name in columns {
            if offset > 0 { writer.append(",") }
            writer.appendString(name)
            writer.append(":")
            offset += 1
            switch Int32(image[offset - 1]) {
            case SQLITE_INTEGER: writer.append(Int(value(Int64.self)))
            case SQLITE_FLOAT:
                let real = value(Double.self)
                guard real.isFinite else {
                    throw InputError(
                        "row \(number): the column \(name) is infinite, which JSON cannot express; "
                            + "select CAST(\(name) AS TEXT) AS \(name)")
                }
                writer.append(Array("\(real)".utf8))
            case SQLITE_TEXT:
                let length = Int(value(Int64.self))
                let bytes = Array(image[offset..<offset + length])
                offset += length
                guard String(validating: bytes, as: UTF8.self) != nil else {
                    throw InputError(
                        "row \(number): the column \(name) is not valid UTF-8; select hex(\(name)) AS \(name)")
                }
                guard jsonColumns.contains(name) else {
                    bytes.withUnsafeBytes { writer.appendString(utf8: $0) }
                    continue
                }
                guard let content = Content.parsed(bytes) else {
                    throw InputError(
                        "row \(number): the column \(name) is not valid JSON; correct the value, or remove the "
                            + "column from the key json"
                    )
                }
                writer.append(content.bytes)
            case SQLITE_BLOB:
                throw InputError("row \(number): the column \(name) is a blob; select hex(\(name)) AS \(name)")
            default: writer.append("null")
            }
        }
        writer.append("}")
        self.init(content: Content(writer.bytes), line: number)
    }
}
