import Diffable
import DiffableJSON
import Glibc

/// Restores one list from its checkpoint and the journal since then: its state, and the states that history keeps.
///
/// Rows are applied in place, except where history or the journal keeps a complete state.
///
/// Unchecked, because no other thread uses the list before it is handed back.
struct ListRecovery: @unchecked Sendable {
    let heading: ListHeading
    private let path: String
    private let limits: HistoryLimits
    /// A lower bound of the current time, which is known only after all lists are read.
    private let now: RunningTime

    /// The list at revision 0, with the properties that all its states share.
    private let beginning: ListState
    private var snapshot = Snapshot()
    private var revision: Int
    private var lastReloadRevision: Int
    private var chain: ChecksumChain
    private var checkpointLength = 0
    private var history = History()
    private(set) var lastTime: RunningTime?

    /// In bytes. History may exceed its limit by this much before it is trimmed while reading, because each complete
    /// trim forces the next step to keep a complete state.
    static let lengthBeyond = 1 << 18

    /// - Parameters:
    ///   - path: the database's path, for errors.
    ///   - now: a lower bound of the current time.
    init(
        _ heading: ListHeading, path: String, limits: HistoryLimits, now: RunningTime
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
        beginning = ListState(name: name, epoch: heading.epoch, durability: .durable, number: heading.number)
    }

    mutating func recover(from rows: StoredRows) throws -> (list: JournalledList, history: History) {
        try readCheckpoint(from: rows)
        let list = JournalledList(state: state, chain: chain, access: heading.access, deletion: heading.deletion)
        list.generation = heading.generation
        list.checkpointLength = checkpointLength
        try readJournal(of: list, from: rows)
        list.recordState(state)
        trimHistories(of: list)
        return (list, history)
    }

    private var state: ListState {
        beginning.moved(to: revision, snapshot, lastReloadRevision: lastReloadRevision)
    }

    private mutating func trimHistories(of list: JournalledList) {
        list.trim(limits, now: now)
        history.trim(limits, now: now)
    }

    private func damaged(at revision: Int, _ reason: String) -> StoreOpeningError {
        heading.damaged(path, at: revision, reason)
    }
}

// MARK: - The checkpoint

extension ListRecovery {
    private mutating func readCheckpoint(from rows: StoredRows) throws {
        var assembly = CheckpointAssembly()
        var sum = ListHeading.checksumOfNoParts
        var parts = 0
        try rows.forEachCheckpointRow(of: heading) { row in
            guard row.part == parts else {
                throw damaged(at: heading.checkpointRevision, "part \(parts) of its checkpoint is missing")
            }
            do throws(CheckpointPartError) { try assembly.append(row.elements, checksum: row.checksum) } catch {
                throw damaged(at: heading.checkpointRevision, "\(error)")
            }
            sum.add(row.checksum)
            checkpointLength += row.elements.count
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
            throw damaged(at: heading.checkpointRevision, "its checkpoint has a wrong checksum")
        }
    }
}

// MARK: - The journal

extension ListRecovery {
    private mutating func readJournal(of list: JournalledList, from rows: StoredRows) throws {
        var part = 0
        try rows.forEachJournalRow(of: heading) { row in
            let isContinuation = row.revision == revision && row.part == part + 1
            let isNext = row.revision == revision + 1 && row.part == 0
            guard isContinuation || isNext else {
                throw damaged(at: revision + 1, "its journal continues at revision \(row.revision)")
            }
            part = row.part
            if part == 0, history.length > limits.lengthMax + Self.lengthBeyond { trimHistories(of: list) }
            try read(row, of: list)
        }
    }

    private mutating func read(_ written: ListHeading.JournalRow, of list: JournalledList) throws {
        chain = chain.linked(written)
        guard chain == written.chain else {
            throw damaged(at: written.revision, "its journal has a wrong checksum there")
        }
        var notes = Lines(written.notes)
        var lines = Lines(written.operations)
        var row = JournalledList.JournalledRow(
            revision: revision, length: notes.length + lines.length, chain: chain)
        while let line = lines.next() {
            if written.part == 0 {
                try readTransaction(line, with: notes.next(), into: &row)
            } else {
                try apply(operations(line))
            }
        }
        row.revision = revision
        list.append(row, part: written.part) { state }
    }

    /// Reads the next transaction, or the first part of it, with its note.
    private mutating func readTransaction(
        _ line: UnsafeRawBufferPointer, with note: UnsafeRawBufferPointer?, into row: inout JournalledList.JournalledRow
    ) throws {
        revision += 1
        let note = try read(note)
        row.steps += 1
        row.kept.append(note.revision)
        lastTime = note.revision.moment.running
        let operations = try operations(line)
        // A transaction in several parts exceeds the limit for packing.
        let packed =
            line.count > PackedOperations.lengthMax
            ? nil : PackedOperations(operations, to: note.revision, from: snapshot, json: Array(line))
        var step = PackedTransaction(note.revision, note.delivery, packed)
        let before =
            history.needsWholeState
            ? beginning.moved(to: revision - 1, snapshot, lastReloadRevision: lastReloadRevision) : nil
        let redrawsBefore = snapshot.redrawsAsked
        try apply(operations)
        step.redraws = snapshot.redrawsAsked &- redrawsBefore
        history.append(step, after: before)
        if note.delivery == .reload { lastReloadRevision = revision }
    }

    private func read(_ note: UnsafeRawBufferPointer?) throws -> TransactionNote {
        do {
            return try TransactionNote(note ?? UnsafeRawBufferPointer(start: nil, count: 0), revision: revision)
        } catch {
            throw damaged(at: revision, "the note about this change cannot be read: \(error)")
        }
    }

    private func operations(_ line: UnsafeRawBufferPointer) throws -> [ListOperation] {
        do { return try [ListOperation](json: line, limits: .journal) } catch {
            throw damaged(at: revision, "\(error)")
        }
    }

    private mutating func apply(_ operations: [ListOperation]) throws {
        do { try snapshot.apply(operations, limits: .none) } catch { throw damaged(at: revision, "\(error)") }
    }
}

private struct Lines {
    private var rest: UnsafeRawBufferPointer?
    let length: Int

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
        length = bytes.count
    }

    mutating func next() -> UnsafeRawBufferPointer? {
        guard let rest else { return nil }
        let separator = rest.baseAddress.flatMap { memchr($0, Int32(JournalRows.separator), rest.count) }
        guard let start = rest.baseAddress, let separator else {
            self.rest = nil
            return rest
        }
        let count = UnsafeRawPointer(separator) - start
        self.rest = UnsafeRawBufferPointer(rebasing: rest[(count + 1)...])
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }
}

extension ListHeading {
    func damaged(_ path: String, at revision: Int, _ reason: String) -> StoreOpeningError {
        .damaged(path: path, list: name, revision: revision, reason: reason)
    }
}
