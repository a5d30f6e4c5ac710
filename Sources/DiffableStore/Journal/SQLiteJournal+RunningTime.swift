import Foundation
import GRDB

// How the running time continues over restarts. Each note and each row of a request has the time when it was made, and
// a clean stop writes down the time that has passed since. After a crash it continues from the newest of them, so that
// nothing is forgotten too soon.

extension SQLiteJournal {
    /// The last known running time: from the last clean stop, or the newest change of any list.
    func lastRunningTime(_ lastChanges: [RunningTime?], in database: Database) throws -> RunningTime {
        let stop = try ClockRow.read(from: database)
        return (lastChanges + [stop]).compactMap(\.self).max() ?? RunningTime(milliseconds: 0)
    }

    /// Writes down the running time when the daemon stops. Nothing ages until the next one runs.
    func keepRunningTime() throws(JournalError) {
        guard !lists.isEmpty else { return }
        errno = 0
        do {
            try writing { database in
                try database.inJournalTransaction { try ClockRow.write(clock.running, to: database) }
            }
        } catch {
            throw journalError(error)
        }
    }
}

extension ListHeading {
    /// The chain after the last row of the list's journal, and when its last transaction was made. A damaged row is reported when
    /// it is read.
    func lastRow(in database: Database) throws -> (chain: Chain, time: RunningTime?)? {
        let sql = """
            SELECT chain, part, notes FROM journal WHERE list = ? AND revision > ? ORDER BY revision DESC, part DESC LIMIT 1
            """
        let found = try Row.fetchOne(database.cachedStatement(sql: sql), arguments: [number, checkpointRevision])
        guard let found else { return nil }
        let isWhole = try found.decode(Int.self, atIndex: 1) == 0
        let time =
            isWhole ? lastTime(of: try found.decode(Data.self, atIndex: 2)) : try lastTimeOfFirstPart(in: database)
        return (Chain(value: try found.decode(atIndex: 0)), time)
    }

    /// The parts behind the first have no notes.
    private func lastTimeOfFirstPart(in database: Database) throws -> RunningTime? {
        let sql = """
            SELECT notes FROM journal WHERE list = ? AND revision > ? AND part = 0 ORDER BY revision DESC LIMIT 1
            """
        return try Data.fetchOne(database.cachedStatement(sql: sql), arguments: [number, checkpointRevision])
            .flatMap(lastTime)
    }

    private func lastTime(of notes: Data) -> RunningTime? {
        notes.withUnsafeBytes { bytes in
            bytes.split(separator: JournalRows.separator).last.flatMap {
                try? TransactionNote(UnsafeRawBufferPointer(rebasing: $0), revision: 0).revision.moment.running
            }
        }
    }
}

/// The only row of the table `clock`. Earlier daemons ignore the table, so it needed no new version of the schema. It
/// is made when there is something to write.
private enum ClockRow {
    static func write(_ time: RunningTime, to database: Database) throws {
        try database.execute(sql: JournalSchema.clockTable)
        try database.execute(sql: "DELETE FROM clock")
        try database.execute(
            sql: "INSERT INTO clock VALUES (?, ?)", arguments: [time.milliseconds, checksum(of: time)])
    }

    /// Nil when there is none, or it is damaged.
    static func read(from database: Database) throws -> RunningTime? {
        guard try database.tableExists("clock"),
            let row = try Row.fetchOne(database, sql: "SELECT running, checksum FROM clock")
        else { return nil }
        let time = RunningTime(milliseconds: try row.decode(Int.self, atIndex: 0))
        return try row.decode(Int64.self, atIndex: 1) == checksum(of: time) ? time : nil
    }

    private static func checksum(of time: RunningTime) -> Int64 {
        var sum = Checksum(7)
        sum.add(time.milliseconds)
        return sum.signed
    }
}
