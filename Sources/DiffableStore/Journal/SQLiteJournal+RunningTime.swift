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
        let time = RunningTime(milliseconds: try row.decode(Int.self, atIndex: 0).bounded)
        return try row.decode(Int64.self, atIndex: 1) == checksum(of: time) ? time : nil
    }

    private static func checksum(of time: RunningTime) -> Int64 {
        var sum = Checksum(7)
        sum.add(time.milliseconds)
        return sum.signed
    }
}
