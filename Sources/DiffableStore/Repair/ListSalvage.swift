import Diffable
import DiffableJSON
import GRDB

/// Reads the undamaged part of one list: its checkpoint up to the first damaged part, and, if all parts are good, the
/// journal up to the first row that does not fit the chain. Never keeps half a transaction.
struct ListSalvage {
    private let heading: ListHeading
    private var snapshot = Snapshot()
    private var revision: Int
    private var chain: ChecksumChain
    /// False if the heading is damaged. The heading contains the start of the chain, so an undamaged first row may seem
    /// not to fit.
    private var isChainCertain: Bool
    /// The state after the last transaction that is certainly complete.
    private var whole: (snapshot: Snapshot, revision: Int)
    private var damage: String?
    private var isCheckpointGood = false
    private var results: [FirstResult] = []
    private let access: AccessRecord
    private var schemas: [SchemasRow] = []

    /// - Parameter isHeadingGood: whether the heading's checksum matches.
    init(_ heading: ListHeading, isHeadingGood: Bool) {
        self.heading = heading
        revision = heading.checkpointRevision
        chain = heading.chain
        isChainCertain = isHeadingGood
        whole = (snapshot, revision)
        access = isHeadingGood ? heading.access : AccessRecord(mode: .ownerOnly)
        if !isHeadingGood { damage = "its row in the table of lists has a wrong checksum" }
    }

    mutating func salvaged(in database: Database) -> ExaminedList {
        do {
            try readCheckpoint(from: database)
            try readJournal(from: database)
            whole = (snapshot, revision)
        } catch {
            recordDamage(error)
        }
        do { try readResults(from: database) } catch { recordDamage(error) }
        do { try readSchemas(from: database) } catch { recordDamage(error) }
        // An invalid name is one more fault.
        let name = (try? ListName(heading.name)) ?? (try? ListName("list \(heading.number)")) ?? "list"
        return ExaminedList(
            name: name, revision: whole.revision, snapshot: whole.snapshot, damage: damage, number: heading.number,
            epoch: heading.epoch, chain: chain, isShared: heading.access.sharing != nil, results: results,
            access: access, schemas: schemas, deletion: heading.deletion)
    }

    private mutating func recordDamage(_ error: any Error) {
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
            try heading.forEachCheckpointRow(in: database) { row in
                guard row.part == parts else { throw Fault(reason: "part \(parts) is missing") }
                guard checksum(row.elements) == row.checksum else { throw CheckpointPartError.altered }
                try builder.append(part: row.elements)
                sum.add(row.checksum)
                parts += 1
            }
            guard parts > 0 || heading.generation == 0 else { throw Fault(reason: "none is left") }
            guard sum.signed == heading.checkpointChecksum else { throw Fault(reason: "the last parts are missing") }
        } catch {
            // The parts before the fault are the beginning of the list, which is better than nothing.
            if let beginning = try? builder.finished() { whole.snapshot = beginning }
            let reason = (error as? Fault)?.reason ?? "\(error)"
            throw Fault(
                reason: "only \(parts) parts of its checkpoint at revision \(heading.checkpointRevision) can be read "
                    + "(\(reason)), and the rest is lost")
        }
        snapshot = try builder.finished()
        whole = (snapshot, revision)
        isCheckpointGood = true
    }
}

// MARK: - The keys of requests

extension ListSalvage {
    /// Keeps the results of requests whose changes are kept. Other requests are carried out again if they are repeated.
    private mutating func readResults(from database: Database) throws {
        var good: [FirstResult] = []
        var last = 0
        var isWhole = true
        defer { results = isCheckpointGood ? good.filter { $0.revision <= whole.revision } : [] }
        do {
            try RequestRow.forEach(of: heading.number, in: database) { row, isGood in
                if !isGood || last > 0 && row.result.number != last + 1 { isWhole = false }
                if isGood, row.result.number > last {
                    good.append(row.result)
                    last = row.result.number
                }
            }
        } catch {
            throw Fault(
                reason:
                    "the results of its requests with a request key can be read only up to number \(last) (\(error))")
        }
        if !isWhole { throw Fault(reason: "the results of some requests with a request key have wrong checksums") }
    }
}

// MARK: - Schemas

extension ListSalvage {
    /// Keeps all schemas of a list or none, because an incomplete set could reject valid items.
    private mutating func readSchemas(from database: Database) throws {
        let fault = Fault(
            reason: "its schemas have a wrong checksum: contents are not checked until the schemas are set again")
        let rows: [(row: SchemasRow, isGood: Bool)]
        do { rows = try SchemasRow.all(ofList: heading.number, in: database) } catch { throw fault }
        if rows.isEmpty { return }
        guard rows.allSatisfy(\.isGood), SchemasRow.schemas(of: rows.map(\.row)) != nil else { throw fault }
        schemas = rows.map(\.row)
    }
}

// MARK: - The journal

extension ListSalvage {
    private mutating func readJournal(from database: Database) throws {
        var part = 0
        // Whether the last transaction may continue in a missing row.
        var isOpen = false
        do {
            try heading.forEachJournalRow(in: database) { row in
                let isNext = row.revision == revision + 1 && row.part == 0
                if isNext { isOpen = false }
                guard isNext || row.revision == revision && row.part == part + 1 else {
                    throw Fault(reason: "its journal continues at revision \(row.revision)")
                }
                if isNext { whole = (snapshot, revision) }
                part = row.part
                if chain.linked(row) != row.chain {
                    let reason = "its journal has a wrong checksum there"
                    if isChainCertain { throw Fault(reason: reason) }
                    recordDamage(Fault(reason: "cannot verify revision \(row.revision)"))
                }
                chain = row.chain
                isChainCertain = true
                try apply(row.operations, part)
                isOpen = row.operations.count >= SQLiteJournal.rowLengthMax / 2
            }
        } catch {
            if !isOpen { whole = (snapshot, revision) }
            let reason = (error as? Fault)?.reason ?? "\(error)"
            throw Fault(reason: "lost from revision \(whole.revision + 1) on (\(reason))")
        }
    }

    /// Applies a row. Each line is a transaction, or a part of one.
    private mutating func apply(_ operations: UnsafeRawBufferPointer, _ part: Int) throws {
        var next = snapshot
        var reached = revision
        for line in operations.split(separator: JournalRows.separator, omittingEmptySubsequences: false) {
            if part == 0 { reached += 1 }
            let bytes = UnsafeRawBufferPointer(rebasing: line)
            try next.apply([ListOperation](json: bytes, limits: .journal), limits: .none)
        }
        snapshot = next
        revision = reached
    }
}
