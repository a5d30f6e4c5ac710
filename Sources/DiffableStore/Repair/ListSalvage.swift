import Diffable
import DiffableJSON
import Foundation
import GRDB

/// Reads what is good of one list: its checkpoint as far as its parts are what was written, and if all are, the journal
/// as far as its chain holds. Stops at the first thing that is wrong, and never keeps half a transaction.
struct ListSalvage {
    private let heading: ListHeading
    private var snapshot = Snapshot()
    private var revision: Int
    /// Nil when the heading is damaged, and so does not say where the chain begins.
    private var chain: Chain?
    /// As the last transaction left it that is there for certain.
    private var whole: (snapshot: Snapshot, revision: Int)
    private var damage: String?
    /// Whether the checkpoint is all there.
    private var isCheckpointGood = false
    private var results: [FirstResult] = []
    private let access: AccessRecord

    /// - Parameter isHeadingGood: whether the heading is what was written.
    init(_ heading: ListHeading, isHeadingGood: Bool) {
        self.heading = heading
        revision = heading.checkpointRevision
        chain = isHeadingGood ? heading.chain : nil
        whole = (snapshot, revision)
        access = isHeadingGood ? heading.access : AccessRecord(mode: .ownerOnly)
        if !isHeadingGood { damage = "its row in the table of lists is not what was written" }
    }

    mutating func examined(in database: Database) -> ExaminedList {
        do {
            try readCheckpoint(from: database)
            try readJournal(from: database)
            whole = (snapshot, revision)
        } catch {
            note(error)
        }
        do { try readResults(from: database) } catch { note(error) }
        // A name that makes no sense is one more thing that is damaged.
        let name = (try? ListName(heading.name)) ?? (try? ListName("list \(heading.number)")) ?? "list"
        return ExaminedList(
            name: name, revision: whole.revision, snapshot: whole.snapshot, damage: damage, number: heading.number,
            results: results, access: access)
    }

    private mutating func note(_ error: any Error) {
        let reason = (error as? Fault)?.reason ?? "\(error)"
        damage = [damage, reason].compactMap(\.self).joined(separator: "; ")
    }

    private struct Fault: Error {
        let reason: String
    }
}

// MARK: - The checkpoint

extension ListSalvage {
    private mutating func readCheckpoint(from database: Database) throws {
        var builder = SnapshotBuilder()
        var parts = 0
        do {
            var sum = ListHeading.checksumOfNoParts
            let sql = "SELECT part, checksum, elements FROM checkpoint WHERE list = ? AND generation = ? ORDER BY part"
            let rows = try Row.fetchCursor(database, sql: sql, arguments: [heading.number, heading.generation])
            while let row = try rows.next() {
                guard try row.decode(Int.self, atIndex: 0) == parts else {
                    throw Fault(reason: "part \(parts) is missing")
                }
                let written = try row.decode(Int64.self, atIndex: 1)
                try row.decode(Data.self, atIndex: 2).withUnsafeBytes { bytes in
                    guard checksum(bytes) == written else { throw CheckpointPartError.altered }
                    try builder.append(part: bytes)
                }
                sum.add(written)
                parts += 1
            }
            guard parts > 0 || heading.generation == 0 else { throw Fault(reason: "it is missing") }
            guard sum.signed == heading.checkpointChecksum else { throw Fault(reason: "its end is missing") }
        } catch {
            // What was read before is a beginning of the list, which is better than nothing.
            if let beginning = try? builder.finished() { whole.snapshot = beginning }
            let reason = (error as? Fault)?.reason ?? "\(error)"
            throw Fault(
                reason: "its checkpoint at revision \(heading.checkpointRevision) is good for \(parts) parts only "
                    + "(\(reason)), and what came after is lost")
        }
        snapshot = try builder.finished()
        whole = (snapshot, revision)
        isCheckpointGood = true
    }
}

// MARK: - The keys of requests

extension ListSalvage {
    /// Keeps what came of requests whose changes are kept: who asks for another again makes it again.
    private mutating func readResults(from database: Database) throws {
        var good: [FirstResult] = []
        var last = 0
        var isWhole = true
        defer { results = isCheckpointGood ? good.filter { $0.revision <= whole.revision } : [] }
        do {
            try RequestRow.forEach(of: heading.number, from: .min, in: database) { row, isGood in
                if !isGood || last > 0 && row.result.number != last + 1 { isWhole = false }
                if isGood, row.result.number > last {
                    good.append(row.result)
                    last = row.result.number
                }
            }
        } catch {
            throw Fault(reason: "what came of its requests with a key can be read up to number \(last) only (\(error))")
        }
        if !isWhole { throw Fault(reason: "what came of some requests with a key is not what was written") }
    }
}

// MARK: - The journal

extension ListSalvage {
    private mutating func readJournal(from database: Database) throws {
        let sql = """
            SELECT revision, part, chain, notes, operations FROM journal WHERE list = ? AND revision > ?
            ORDER BY revision, part
            """
        var part = 0
        // Whether what was read last may go on in a row that is not there.
        var isOpen = false
        do {
            let rows = try Row.fetchCursor(database, sql: sql, arguments: [heading.number, heading.checkpointRevision])
            while let row = try rows.next() {
                let rowRevision = try row.decode(Int.self, atIndex: 0)
                let rowPart = try row.decode(Int.self, atIndex: 1)
                let isNext = rowRevision == revision + 1 && rowPart == 0
                if isNext { isOpen = false }
                guard isNext || rowRevision == revision && rowPart == part + 1 else {
                    throw Fault(reason: "its journal goes on at revision \(rowRevision)")
                }
                if isNext { whole = (snapshot, revision) }
                part = rowPart
                let notes = try row.decode(Data.self, atIndex: 3)
                let operations = try row.decode(Data.self, atIndex: 4)
                let written = Chain(value: try row.decode(Int64.self, atIndex: 2))
                if let chain {
                    let linked = notes.withUnsafeBytes { notes in
                        operations.withUnsafeBytes { operations in
                            chain.linked(
                                revision: rowRevision, part: rowPart, notes: notes, operations: operations)
                        }
                    }
                    guard linked == written else {
                        throw Fault(reason: "what its journal has there is not what was written")
                    }
                }
                chain = written
                try apply(operations, part)
                isOpen = operations.count >= SQLiteJournal.rowLengthMax / 2
            }
        } catch {
            if !isOpen { whole = (snapshot, revision) }
            let reason = (error as? Fault)?.reason ?? "\(error)"
            throw Fault(reason: "lost from revision \(whole.revision + 1) on (\(reason))")
        }
    }

    /// A row: each line a transaction, or a part of one.
    private mutating func apply(_ operations: Data, _ part: Int) throws {
        var next = snapshot
        var reached = revision
        for line in operations.split(separator: JournalRows.separator, omittingEmptySubsequences: false) {
            if part == 0 { reached += 1 }
            try line.withUnsafeBytes { bytes in
                try next.apply([Diffable.Operation](json: bytes, limits: .journal), limits: .none)
            }
        }
        snapshot = next
        revision = reached
    }
}
