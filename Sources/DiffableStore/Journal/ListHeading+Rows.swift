import Foundation
import GRDB

// The rows that the tables have of one list, in order and unchecked: each reader decides what is wrong with them.
//
// A start asks for those of each list. Compiling a statement takes longer than what it finds of a small list, so each is
// compiled once.

extension ListHeading {
    /// A part of the checkpoint.
    struct CheckpointRow {
        let part: Int
        let checksum: Int64
        let elements: UnsafeRawBufferPointer
    }

    /// A row of the journal behind the checkpoint.
    struct JournalRow {
        let revision: Int
        let part: Int
        let chain: Chain
        let notes: UnsafeRawBufferPointer
        let operations: UnsafeRawBufferPointer
    }

    /// In the order of the parts. The bytes are valid within the body.
    func forEachCheckpointRow(in database: Database, _ body: (CheckpointRow) throws -> Void) throws {
        let sql = "SELECT part, checksum, elements FROM checkpoint WHERE list = ? AND generation = ? ORDER BY part"
        let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: [number, generation])
        while let row = try rows.next() {
            let part = try row.decode(Int.self, atIndex: 0)
            let checksum = try row.decode(Int64.self, atIndex: 1)
            try row.withBytes(atIndex: 2) {
                try body(CheckpointRow(part: part, checksum: checksum, elements: $0))
            }
        }
    }

    /// In the order of revisions and parts. The bytes are valid within the body.
    func forEachJournalRow(in database: Database, _ body: (JournalRow) throws -> Void) throws {
        let sql = """
            SELECT revision, part, chain, notes, operations FROM journal WHERE list = ? AND revision > ?
            ORDER BY revision, part
            """
        let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: [number, checkpointRevision])
        while let row = try rows.next() {
            let revision = try row.decode(Int.self, atIndex: 0)
            let part = try row.decode(Int.self, atIndex: 1)
            let chain = Chain(value: try row.decode(Int64.self, atIndex: 2))
            try row.withBytes(atIndex: 3) { notes in
                try row.withBytes(atIndex: 4) { operations in
                    try body(
                        JournalRow(revision: revision, part: part, chain: chain, notes: notes, operations: operations))
                }
            }
        }
    }
}

extension Row {
    /// Lends a blob, or no bytes for NULL.
    fileprivate func withBytes(atIndex index: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try withUnsafeData(atIndex: index) { try ($0 ?? Data()).withUnsafeBytes(body) }
    }
}

extension Chain {
    /// The chain after a row.
    func linked(_ row: ListHeading.JournalRow) -> Chain {
        linked(revision: row.revision, part: row.part, notes: row.notes, operations: row.operations)
    }
}
