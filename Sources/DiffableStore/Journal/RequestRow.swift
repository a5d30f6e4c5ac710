import Diffable
import GRDB

/// A row of the table `request`: the result of a request with a key.
///
/// Startup refuses damaged rows, and a gap between rows. The witness reveals whether the last rows are missing. If a damaged row
/// were skipped, a repeated request would be carried out twice; and damage seldom affects a single row, so startup is refused as
/// for a damaged item. Only the structure of the pages reveals whether the oldest rows are missing (`structuralFault`).
struct RequestRow {
    let list: Int
    let result: FirstResult

    /// Over all values of the row.
    var checksum: Int64 {
        var sum = Checksum(5)
        sum.add(list)
        sum.add(result.number)
        sum.add(result.key.description)
        sum.add(result.digest)
        sum.add(result.revision)
        sum.add(result.isChanged ? 1 : 0)
        sum.add(result.summary?.countsText ?? "")
        sum.add(result.time.milliseconds)
        return sum.signed
    }

    func insert(into database: Database) throws {
        try database.cachedStatement(sql: "INSERT INTO request VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .execute(
                arguments: [
                    list, result.number, result.key.description, result.digest, result.revision, result.isChanged,
                    result.summary?.countsText, result.time.milliseconds, checksum,
                ])
    }

    /// The number and time of the last row of each list that has any, by list number.
    static func lasts(in database: Database) throws -> [Int: (number: Int, time: RunningTime)] {
        // With `max`, SQLite takes the other columns from the row with the maximum.
        let sql = "SELECT list, max(number), time FROM request GROUP BY list"
        let lasts = try Row.fetchAll(database, sql: sql).map { row in
            let last = (number: try row.decode(Int.self, atIndex: 1), time: try row.decode(Int.self, atIndex: 2))
            let time = RunningTime(milliseconds: last.time.bounded)
            return (try row.decode(Int.self, atIndex: 0).boundedNatural, (last.number.boundedNatural, time))
        }
        // A list may appear twice if keys are out of order. That error is found later, when all rows are read.
        return Dictionary(lasts) { $1 }
    }

    /// Calls `body` with each row, ordered by list and number.
    static func forEach(in database: Database, _ body: (RequestRow, _ isGood: Bool) throws -> Void) throws {
        try forEach(in: Row.fetchCursor(database, sql: "SELECT \(columns) FROM request ORDER BY list, number"), body)
    }

    /// Calls `body` with each row of a list, in order.
    static func forEach(
        of list: Int, in database: Database, _ body: (RequestRow, _ isGood: Bool) throws -> Void
    ) throws {
        let sql = "SELECT \(columns) FROM request WHERE list = ? ORDER BY number"
        try forEach(in: Row.fetchCursor(database, sql: sql, arguments: [list]), body)
    }

    private static func forEach(
        in rows: RowCursor, _ body: (RequestRow, _ isGood: Bool) throws -> Void
    ) throws {
        while let row = try rows.next() {
            let request = try RequestRow(row)
            try body(request, row.decode(Int64.self, atIndex: 7) == request.checksum)
        }
    }

    private static let columns = "number, key, digest, revision, isChanged, summary, time, checksum, list"

    init(list: Int, result: FirstResult) {
        self.list = list
        self.result = result
    }

    private init(_ row: Row) throws {
        list = try row.decode(atIndex: 8)
        let summary = try row.decode(String?.self, atIndex: 5)
        result = try FirstResult(
            key: RequestKey(row.decode(String.self, atIndex: 1)), digest: row.decode(atIndex: 2),
            number: row.decode(Int.self, atIndex: 0).boundedNatural,
            revision: row.decode(Int.self, atIndex: 3).boundedNatural, isChanged: row.decode(atIndex: 4),
            summary: summary.map(DifferenceSummary.init(countsText:)),
            time: RunningTime(milliseconds: row.decode(Int.self, atIndex: 6).bounded))
    }
}
