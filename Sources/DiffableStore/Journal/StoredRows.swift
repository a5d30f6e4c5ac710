/// The table rows of one list for its recovery: first the copied ones, then those still to be read.
struct StoredRows {
    let copied: CopiedRows
    let place: CopiedRows.ListRange
    /// The rows that were not copied, to avoid a second copy of a long list. Nil if all were; any thread can then read them.
    let rest: OrderedRows?

    /// In the order of the parts. The bytes are valid within the body.
    func forEachCheckpointRow(of heading: ListHeading, _ body: (ListHeading.CheckpointRow) throws -> Void) throws {
        try copied.forEachCheckpointRow(at: place, body)
        try rest?.forEachCheckpointRow(of: heading) {
            try body($0)
            return .goesOn
        }
    }

    /// In the order of revisions and parts. The bytes are valid within the body.
    func forEachJournalRow(of heading: ListHeading, _ body: (ListHeading.JournalRow) throws -> Void) throws {
        try copied.forEachJournalRow(at: place, body)
        try rest?.forEachJournalRow(of: heading) {
            try body($0)
            return .goesOn
        }
    }
}

struct CopiedRows: Sendable {
    /// All blobs, concatenated.
    private var bytes: [UInt8] = []
    private var parts: [Part] = []
    private var rows: [Row] = []

    struct ListRange {
        fileprivate let parts: Range<Int>
        fileprivate let rows: Range<Int>
        /// In bytes.
        let length: Int
    }

    private struct Part {
        let part: Int
        let checksum: Int64
        let elements: Range<Int>
    }

    private struct Row {
        let revision: Int
        let part: Int
        let chain: ChecksumChain
        let notes: Range<Int>
        let operations: Range<Int>
    }

    /// In bytes.
    var length: Int { bytes.count }

    /// Copies the rows of the next list until they have at least `lengthMax` bytes.
    mutating func append(of heading: ListHeading, from stored: OrderedRows, upTo lengthMax: Int) throws -> ListRange {
        let (firstPart, firstRow, start) = (parts.count, rows.count, length)
        func reading() -> RowDisposition { length - start < lengthMax ? .goesOn : .stops }
        try stored.forEachCheckpointRow(of: heading) { row in
            parts.append(Part(part: row.part, checksum: row.checksum, elements: copy(row.elements)))
            return reading()
        }
        if reading() == .goesOn {
            try stored.forEachJournalRow(of: heading) { row in
                rows.append(
                    Row(
                        revision: row.revision, part: row.part, chain: row.chain, notes: copy(row.notes),
                        operations: copy(row.operations)))
                return reading()
            }
        }
        return ListRange(parts: firstPart..<parts.count, rows: firstRow..<rows.count, length: length - start)
    }

    private mutating func copy(_ blob: UnsafeRawBufferPointer) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: blob)
        return start..<bytes.count
    }

    fileprivate func forEachCheckpointRow(
        at place: ListRange, _ body: (ListHeading.CheckpointRow) throws -> Void
    ) throws {
        try bytes.withUnsafeBytes { bytes in
            for part in parts[place.parts] {
                let elements = UnsafeRawBufferPointer(rebasing: bytes[part.elements])
                try body(ListHeading.CheckpointRow(part: part.part, checksum: part.checksum, elements: elements))
            }
        }
    }

    fileprivate func forEachJournalRow(at place: ListRange, _ body: (ListHeading.JournalRow) throws -> Void) throws {
        try bytes.withUnsafeBytes { bytes in
            for row in rows[place.rows] {
                try body(
                    ListHeading.JournalRow(
                        revision: row.revision, part: row.part, chain: row.chain,
                        notes: UnsafeRawBufferPointer(rebasing: bytes[row.notes]),
                        operations: UnsafeRawBufferPointer(rebasing: bytes[row.operations])))
            }
        }
    }
}
