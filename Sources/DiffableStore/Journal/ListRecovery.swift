import Diffable
import DiffableJSON
import Foundation
import GRDB

/// Makes one list again from its checkpoint and the journal since: its state, and the states that history keeps.
///
/// Rows that history does not need are applied in place. From the first one that it needs on, each step leaves a state
/// of its own, which shares with the next what did not change.
struct ListRecovery {
    private let heading: ListHeading
    private let path: String
    private let limits: HistoryLimits
    private let now: Timestamp

    /// The list at its beginning: what all its states have in common.
    private let beginning: ListState
    private var snapshot = Snapshot()
    private var revision: Int
    private var lastReloadRevision: Int
    private var chain: Chain
    private var checkpointLength = 0
    private var journalLength = 0
    private var journalSteps = 0
    /// From where history begins on.
    private var list: JournalledList?
    private var history = History()

    /// - Parameters:
    ///   - path: of the database, for errors.
    ///   - epoch: under which the list goes on.
    init(
        _ heading: ListHeading, epoch: String, path: String, limits: HistoryLimits, now: Timestamp
    ) throws(StoreOpeningError) {
        self.heading = heading
        self.path = path
        self.limits = limits
        self.now = now
        revision = heading.checkpointRevision
        lastReloadRevision = heading.lastReloadRevision
        chain = heading.chain
        let name: ListName
        do { name = try ListName(heading.name) } catch {
            throw heading.damaged(path, at: heading.checkpointRevision, "its name \(error)")
        }
        beginning = ListState(name: name, epoch: epoch, durability: .durable, number: heading.number)
    }

    mutating func recover(
        from database: Database, _ progress: inout RecoveryProgress
    ) throws -> (list: JournalledList, history: History) {
        try readCheckpoint(from: database, &progress)
        try readJournal(from: database, &progress)
        let list = list ?? listHere()
        list.trim(limits, now: now)
        history.trim(limits, now: now)
        return (list, history)
    }

    /// Where recovery has come to, as a state.
    private var state: ListState {
        beginning.moved(to: revision, snapshot, lastReloadRevision: lastReloadRevision)
    }

    private func listHere() -> JournalledList {
        let list = JournalledList(state: state, chain: chain, access: heading.access)
        list.generation = heading.generation
        list.checkpointLength = checkpointLength
        list.journalLength = journalLength
        list.journalSteps = journalSteps
        return list
    }

    private func damaged(at revision: Int, _ reason: String) -> StoreOpeningError {
        heading.damaged(path, at: revision, reason)
    }
}

// MARK: - The checkpoint

extension ListRecovery {
    private mutating func readCheckpoint(from database: Database, _ progress: inout RecoveryProgress) throws {
        let sql = "SELECT part, checksum, elements FROM checkpoint WHERE list = ? AND generation = ? ORDER BY part"
        let rows = try Row.fetchCursor(database, sql: sql, arguments: [heading.number, heading.generation])
        var assembly = CheckpointAssembly()
        var sum = ListHeading.checksumOfNoParts
        var parts = 0
        while let row = try rows.next() {
            guard try row.decode(Int.self, atIndex: 0) == parts else {
                throw damaged(at: heading.checkpointRevision, "part \(parts) of its checkpoint is missing")
            }
            let partChecksum = try row.decode(Int64.self, atIndex: 1)
            let length = try row.withUnsafeData(atIndex: 2) { blob in
                try (blob ?? Data()).withUnsafeBytes { bytes in
                    do throws(CheckpointPartError) {
                        try assembly.append(bytes, checksum: partChecksum)
                    } catch {
                        throw damaged(at: heading.checkpointRevision, "\(error)")
                    }
                    return bytes.count
                }
            }
            sum.add(partChecksum)
            checkpointLength += length
            progress.advance(by: length)
            parts += 1
        }
        guard parts > 0 || heading.generation == 0 else {
            throw damaged(at: heading.checkpointRevision, "its checkpoint is missing")
        }
        do throws(CheckpointPartError) {
            snapshot = try assembly.finish()
        } catch {
            throw damaged(at: heading.checkpointRevision, "\(error)")
        }
        guard sum.signed == heading.checkpointChecksum else {
            throw damaged(at: heading.checkpointRevision, "its checkpoint is not the one that was written")
        }
    }
}

// MARK: - The journal

extension ListRecovery {
    private mutating func readJournal(from database: Database, _ progress: inout RecoveryProgress) throws {
        let historyStart = try historyStart(in: database)
        let sql = """
            SELECT revision, part, chain, notes, operations FROM journal WHERE list = ? AND revision > ?
            ORDER BY revision, part
            """
        let rows = try Row.fetchCursor(database, sql: sql, arguments: [heading.number, heading.checkpointRevision])
        var part = 0
        while let row = try rows.next() {
            let rowRevision = try row.decode(Int.self, atIndex: 0)
            let rowPart = try row.decode(Int.self, atIndex: 1)
            let rowChain = Chain(value: try row.decode(Int64.self, atIndex: 2))
            let isContinuation = rowRevision == revision && rowPart == part + 1
            let isNext = rowRevision == revision + 1 && rowPart == 0
            guard isContinuation || isNext else {
                throw damaged(at: revision + 1, "its journal goes on at revision \(rowRevision)")
            }
            part = rowPart
            if part == 0, list == nil, rowRevision > historyStart { list = listHere() }
            let length = try row.withUnsafeData(atIndex: 3) { notes in
                try row.withUnsafeData(atIndex: 4) { operations in
                    try (notes ?? Data()).withUnsafeBytes { notes in
                        try (operations ?? Data()).withUnsafeBytes { operations in
                            try read(rowRevision, part, rowChain, notes, operations)
                            return notes.count + operations.count
                        }
                    }
                }
            }
            progress.advance(by: length)
        }
    }

    /// The revision before the oldest row with a step that history keeps. What cannot be read ends it: the reading
    /// that follows says what is wrong.
    private func historyStart(in database: Database) throws -> Int {
        let sql = """
            SELECT revision, notes FROM journal WHERE list = ? AND revision > ? AND part = 0 ORDER BY revision DESC
            """
        let rows = try Row.fetchCursor(database, sql: sql, arguments: [heading.number, heading.checkpointRevision])
        var length = 0
        var start = Int.max
        while let row = try rows.next() {
            let revision = try row.decode(Int.self, atIndex: 0)
            let isWholeKept = try row.withUnsafeData(atIndex: 1) { notes in
                (notes ?? Data()).withUnsafeBytes { notes in
                    for line in notes.split(separator: JournalRows.separator).reversed() {
                        guard let note = try? StepNote(UnsafeRawBufferPointer(rebasing: line), revision: 0) else {
                            return false
                        }
                        length += note.revision.length
                        guard length <= limits.lengthMax, !limits.isPast(note.revision.time, now: now) else {
                            return false
                        }
                        start = revision - 1
                    }
                    return true
                }
            }
            guard isWholeKept else { return start }
        }
        return start
    }

    private mutating func read(
        _ rowRevision: Int, _ part: Int, _ rowChain: Chain, _ notes: UnsafeRawBufferPointer,
        _ operations: UnsafeRawBufferPointer
    ) throws {
        chain = chain.linked(revision: rowRevision, part: part, notes: notes, operations: operations)
        guard chain == rowChain else {
            throw damaged(at: rowRevision, "what its journal has there is not what was written")
        }
        var notes = Lines(notes)
        var lines = Lines(operations)
        var row = JournalledList.JournalledRow(
            end: JournalledList.RowEnd(state: beginning, chain: chain), length: notes.length + lines.length)
        while let line = lines.next() {
            if part == 0 {
                revision += 1
                try take(notes.next(), into: &row)
            }
            try apply(line)
        }
        if list == nil {
            journalLength += row.length
            journalSteps += row.steps
        } else {
            row.end.state = state
            list?.append(row, part: part)
        }
    }

    /// Takes note of the step that comes next.
    private mutating func take(
        _ line: UnsafeRawBufferPointer?, into row: inout JournalledList.JournalledRow
    ) throws {
        let note: StepNote
        do {
            note = try StepNote(line ?? UnsafeRawBufferPointer(start: nil, count: 0), revision: revision)
        } catch {
            throw damaged(at: revision, "its note: \(error)")
        }
        row.steps += 1
        row.kept.append(note.revision)
        if list != nil {
            let before = beginning.moved(to: revision - 1, snapshot, lastReloadRevision: lastReloadRevision)
            history.append(before, note.revision)
        }
        if note.delivery == .reload { lastReloadRevision = revision }
    }

    private mutating func apply(_ step: UnsafeRawBufferPointer) throws {
        do {
            let operations = try [Diffable.Operation](json: step, limits: .journal)
            try snapshot.apply(operations, limits: .none)
        } catch {
            throw damaged(at: revision, "\(error)")
        }
    }
}

/// The lines of a row.
private struct Lines {
    private var rest: Slice<UnsafeRawBufferPointer>?
    let length: Int

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes[...]
        length = bytes.count
    }

    mutating func next() -> UnsafeRawBufferPointer? {
        guard let rest else { return nil }
        let end = rest.firstIndex(of: JournalRows.separator)
        self.rest = end.map { rest[($0 + 1)...] }
        return UnsafeRawBufferPointer(rebasing: rest[..<(end ?? rest.endIndex)])
    }
}

extension ListHeading {
    func damaged(_ path: String, at revision: Int, _ reason: String) -> StoreOpeningError {
        .damaged(path: path, list: name, revision: revision, reason: reason)
    }
}
