import Diffable
import DiffableJSON
import Foundation
import GRDB
import Logging

/// A new database with the undamaged parts of an old one. Each list is a checkpoint at its last good revision, in a new
/// epoch, with its leases and with the keys of the requests whose changes it contains.
///
/// An undamaged replica of a shared list keeps its position in the log, and its epoch, which all hosts share. A damaged
/// one becomes a deleted list, so that a complete one can be built from the log.
///
/// History is not kept: its rows are chained to the old epoch, and the chain is broken somewhere.
struct RepairedDatabase {
    private let directory: String
    private let found: StoreExamination

    init(directory: String, of found: StoreExamination) {
        self.directory = directory
        self.found = found
    }

    /// Writes the database. Returns once it is on disk and a daemon would accept it.
    func write() throws {
        let database = try JournalDirectory(path: directory).openDatabase()
        try database.writeWithoutTransaction { database in
            try database.inTransaction(.immediate) {
                var names: Set<ListName> = []
                for list in found.lists {
                    let deletion = list.deletion ?? (list.isReplaceable ? deletionNow() : nil)
                    guard deletion != nil || names.insert(list.name).inserted else { continue }
                    try write(list, deletion: deletion, to: database)
                }
                let lists = Dictionary(found.lists.map { ($0.number, $0) }) { first, _ in first }
                for lease in found.leases where exists(lease, in: lists[lease.list]) {
                    try lease.insert(into: database)
                }
                return .commit
            }
        }
        try database.close()
        try Self.checkThatItOpens(directory)
    }

    private func exists(_ lease: LeaseRow, in list: ExaminedList?) -> Bool {
        guard let list, !list.isReplaceable else { return false }
        switch lease.kind {
        case .list: return true
        case .section: return (try? SectionID(lease.id)).map(list.snapshot.contains) ?? false
        case .item: return (try? ItemID(lease.id)).map(list.snapshot.contains) ?? false
        }
    }

    /// A deletion at a time that is not before the other deletions, from which the daemon's clock continues.
    private func deletionNow() -> Deletion {
        let running = found.lists.compactMap { $0.deletion?.moment.running }.max() ?? RunningTime(milliseconds: 0)
        return Deletion(moment: StoreClock.system.continuing(from: running).now, origin: nil)
    }

    private func write(_ list: ExaminedList, deletion: Deletion?, to database: Database) throws {
        let generation = 1
        let isReplica = list.isShared && !list.isReplaceable
        let state = ListState(
            name: list.name, epoch: isReplica ? list.epoch : Epoch.random(), revision: list.revision,
            snapshot: list.snapshot,
            durability: .durable, number: list.number)
        var parts = CheckpointParts(of: list.snapshot, lengthMax: StoreLimits().checkpointPartLengthMax)
        var sum = ListHeading.checksumOfNoParts
        var part = 0
        while !parts.isDone {
            var writer = ByteWriter()
            parts.writeNext(into: &writer)
            try writer.withUnsafeBytes { bytes in
                let checksum = checksum(bytes)
                sum.add(checksum)
                try database.execute(
                    sql: "INSERT INTO checkpoint VALUES (?, ?, ?, ?, ?)",
                    arguments: [list.number, generation, part, checksum, Data(bytes)])
            }
            part += 1
        }
        let end = JournalledList.RowEnd(state: state, chain: ChecksumChain(begin: state))
        try ListHeading(
            end, generation: generation, checkpointChecksum: sum,
            // The owner is known only by name, which needs the daemon to resolve it.
            access: list.isReplaceable ? AccessRecord(mode: .ownerOnly) : list.access, deletion: deletion
        ).insert(into: database)
        for row in list.schemas { try row.insert(into: database) }
        for (index, result) in list.results.enumerated() {
            try RequestRow(list: list.number, result: result.numbered(index + 1)).insert(into: database)
        }
    }

    /// Opens a directory as a daemon would, without writing.
    static func checkThatItOpens(_ directory: String) throws(StoreOpeningError) {
        let journal = try SQLiteJournal(
            directory: directory, limits: StoreLimits(),
            logger: Logger(label: "diffabled") { _ in SwiftLogNoOpLogHandler() })
        _ = try journal.checkThatItOpens()
    }
}

extension SQLiteJournal {
    /// Recovers on this thread and closes.
    fileprivate nonisolated func checkThatItOpens() throws(StoreOpeningError) -> RecoveredLists {
        let result = executor.run {
            self.assumeIsolated { journal in
                Result { () throws(StoreOpeningError) in try journal.recover() }
            }
        }
        try? database.close()
        return try result.get()
    }
}
