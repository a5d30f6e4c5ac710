import Foundation
import GRDB

// The running time continues after a restart. Each transaction note and each request row contains its running time, and a clean
// stop records the time since then. After a crash the clock continues from the newest record, so nothing expires too early.

extension SQLiteJournal {
    /// The last known running time: from the last clean stop, or the newest change of any list.
    func lastRunningTime(_ lastChanges: [RunningTime?], in database: Database) throws -> RunningTime {
        let stop = try ClockRow.read(from: database)
        return (lastChanges + [stop]).compactMap(\.self).max() ?? RunningTime(milliseconds: 0)
    }

    /// Records the running time at a clean stop, so that nothing ages until the next start.
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

/// The only row of the table `clock`. The table is created on the first write. Daemons from before this table ignore
/// it, so the schema version did not change.
private enum ClockRow {
    static func write(_ time: RunningTime, to database: Database) throws {
        try database.execute(sql: JournalSchema.clockTable)
        try database.execute(sql: "DELETE FROM clock")
        try database.execute(
            sql: "INSERT INTO clock VALUES (?, ?)", arguments: [time.milliseconds, checksum(of: time)])
    }

    /// Nil if missing or damaged.
    static func read(from database: Database) throws -> RunningTime? {
        guard try database.tableExists("clock"),
            let row = try Row.fetchOne(database, sql: "SELECT running, checksum FROM clock")
        else { return nil }
        let time = RunningTime(milliseconds: try row.decode(Int.self, atIndex: 0).bounded)
        return try row.decode(Int64.self, atIndex: 1) == checksum(of: time) ? time : nil
    }

    private static func checksum(of time: RunningTime) -> Int64 {
        var sum = Checksum(7)
        sum.add(time.milliseconds)
        return sum.signed
    }
}
