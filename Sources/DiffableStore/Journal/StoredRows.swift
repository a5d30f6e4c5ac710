import GRDB

/// Where a recovery finds what the tables have of one list.
enum StoredRows {
    /// Row by row, as they are needed: a long list is not in memory twice.
    case inDatabase(Database)
    /// In memory, where any thread can go through them.
    case copied(CopiedRows)

    /// In the order of the parts. The bytes are valid within the body.
    func forEachCheckpointRow(of heading: ListHeading, _ body: (ListHeading.CheckpointRow) throws -> Void) throws {
        switch self {
        case .inDatabase(let database): try heading.forEachCheckpointRow(in: database, body)
        case .copied(let rows): try rows.forEachCheckpointRow(body)
        }
    }

    /// In the order of revisions and parts. The bytes are valid within the body.
    func forEachJournalRow(of heading: ListHeading, _ body: (ListHeading.JournalRow) throws -> Void) throws {
        switch self {
        case .inDatabase(let database): try heading.forEachJournalRow(in: database, body)
        case .copied(let rows): try rows.forEachJournalRow(body)
        }
    }
}

/// A copy of what the tables have of one list.
struct CopiedRows: Sendable {
    /// All blobs, one behind the other.
    private var bytes: [UInt8] = []
    private var parts: [Part] = []
    private var rows: [Row] = []

    private struct Part {
        let part: Int
        let checksum: Int64
        let elements: Range<Int>
    }

    private struct Row {
        let revision: Int
        let part: Int
        let chain: Chain
        let notes: Range<Int>
        let operations: Range<Int>
    }

    /// - Parameters:
    ///   - length: how many bytes there are, about.
    ///   - onRead: hears how many bytes were read.
    init(of heading: ListHeading, length: Int, in database: Database, onRead: (Int) -> Void) throws {
        bytes.reserveCapacity(length)
        try heading.forEachCheckpointRow(in: database) { row in
            parts.append(Part(part: row.part, checksum: row.checksum, elements: copy(row.elements)))
            onRead(row.elements.count)
        }
        try heading.forEachJournalRow(in: database) { row in
            let notes = copy(row.notes)
            rows.append(
                Row(
                    revision: row.revision, part: row.part, chain: row.chain, notes: notes,
                    operations: copy(row.operations)))
            onRead(row.notes.count + row.operations.count)
        }
    }

    private mutating func copy(_ blob: UnsafeRawBufferPointer) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: blob)
        return start..<bytes.count
    }

    fileprivate func forEachCheckpointRow(_ body: (ListHeading.CheckpointRow) throws -> Void) throws {
        try bytes.withUnsafeBytes { bytes in
            for part in parts {
                let elements = UnsafeRawBufferPointer(rebasing: bytes[part.elements])
                try body(ListHeading.CheckpointRow(part: part.part, checksum: part.checksum, elements: elements))
            }
        }
    }

    fileprivate func forEachJournalRow(_ body: (ListHeading.JournalRow) throws -> Void) throws {
        try bytes.withUnsafeBytes { bytes in
            for row in rows {
                try body(
                    ListHeading.JournalRow(
                        revision: row.revision, part: row.part, chain: row.chain,
                        notes: UnsafeRawBufferPointer(rebasing: bytes[row.notes]),
                        operations: UnsafeRawBufferPointer(rebasing: bytes[row.operations])))
            }
        }
    }
}
