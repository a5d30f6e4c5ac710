import Diffable
import GRDB

/// A row of the table `request`: what came of a request with a key.
///
/// A start refuses rows that are not what was written, and a row that is missing between two others; that the last ones
/// are there, the witness tells. To pass over one with a word in the log would be to make a change twice for whoever asks
/// again, and what damages one row seldom damages no other: so a key is as good a reason to stay and refuse as an item is.
/// What is not noticed is that the oldest rows are missing: they go one day anyway.
struct RequestRow {
    /// The list's number.
    let list: Int
    let result: FirstResult

    /// Over what the row means.
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

    /// The number of a list's last one, or 0.
    static func lastNumber(of list: Int, in database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT max(number) FROM request WHERE list = ?", arguments: [list]) ?? 0
    }

    /// Calls with each row of a list from a number on, in order, and with whether it is what was written.
    static func forEach(
        of list: Int, from oldest: Int, in database: Database, _ body: (RequestRow, _ isGood: Bool) throws -> Void
    ) throws {
        let sql = """
            SELECT number, key, digest, revision, isChanged, summary, time, checksum FROM request
            WHERE list = ? AND number >= ? ORDER BY number
            """
        let rows = try Row.fetchCursor(database, sql: sql, arguments: [list, oldest])
        while let row = try rows.next() {
            let request = try RequestRow(row, of: list)
            try body(request, row.decode(Int64.self, atIndex: 7) == request.checksum)
        }
    }

    init(list: Int, result: FirstResult) {
        self.list = list
        self.result = result
    }

    private init(_ row: Row, of list: Int) throws {
        self.list = list
        let summary = try row.decode(String?.self, atIndex: 5)
        result = try FirstResult(
            key: RequestKey(row.decode(String.self, atIndex: 1)), digest: row.decode(atIndex: 2),
            number: row.decode(atIndex: 0), revision: row.decode(atIndex: 3), isChanged: row.decode(atIndex: 4),
            summary: summary.map(DifferenceSummary.init(countsText:)),
            time: Timestamp(milliseconds: row.decode(atIndex: 6)))
    }
}
