import Diffable
import GRDB

// What came of requests with a key, in the table `request`: written in the group of the change, so that both are on disk
// or neither is. The oldest are deleted between groups, many at a time.

extension SQLiteJournal {
    /// So many more than are remembered stand in the table before the oldest are deleted.
    private var slack: Int { max(limits.requests.keysMax / 4, 256) }
    /// That one slice of upkeep deletes, at most.
    private static let deletedMax = 1_024

    /// Writes the result of a change, if it has one.
    func writeResult(of change: ListChange, to database: Database) throws {
        guard let result = change.result else { return }
        try database.cachedStatement(sql: "INSERT INTO request VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
            .execute(
                arguments: [
                    change.state.number, result.number, result.key.description, result.digest, result.revision,
                    result.isChanged, result.summary?.countsText, result.time.milliseconds,
                ])
    }

    /// The result is on disk.
    func followResult(of change: ListChange) {
        let number = change.state.number
        guard let result = change.result, let list = lists[number] else { return }
        let oldestKept = result.number - limits.requests.keysMax + 1
        guard oldestKept - list.oldestResult > slack else { return }
        lists[number]?.oldestResult = oldestKept
        upkeep.append(.requests(list: number, before: oldestKept))
    }

    /// One slice: whether none is left.
    func deleteResults(of list: Int, before oldestKept: Int, from database: Database) throws -> Bool {
        try database.cachedStatement(
            sql: """
                DELETE FROM request WHERE (list, number) IN (
                    SELECT list, number FROM request WHERE list = ? AND number < ? LIMIT ?)
                """
        ).execute(arguments: [list, oldestKept, SQLiteJournal.deletedMax])
        return database.changesCount == 0
    }
}

// MARK: - At the start

extension SQLiteJournal {
    /// What every list remembers, by its number.
    func recoverRequests(from database: Database, now: Timestamp = .now()) throws -> [Int: RequestWindow] {
        var windows: [Int: RequestWindow] = [:]
        for number in lists.keys {
            let last = try Int.fetchOne(
                database, sql: "SELECT max(number) FROM request WHERE list = ?", arguments: [number])
            guard let last else { continue }
            var window = try window(of: number, from: last - limits.requests.keysMax + 1, in: database)
            window.trim(limits.requests, now: now)
            windows[number] = window
            let oldestKept = window.oldestNumber ?? last + 1
            lists[number]?.oldestResult = oldestKept
            upkeep.append(.requests(list: number, before: oldestKept))
        }
        return windows
    }

    private func window(of number: Int, from oldestKept: Int, in database: Database) throws -> RequestWindow {
        let sql = """
            SELECT number, key, digest, revision, isChanged, summary, time FROM request
            WHERE list = ? AND number >= ? ORDER BY number
            """
        let rows = try Row.fetchCursor(database, sql: sql, arguments: [number, oldestKept])
        var window = RequestWindow()
        while let row = try rows.next() {
            let summary = try row.decode(String?.self, atIndex: 5)
            let result = try FirstResult(
                key: RequestKey(row.decode(String.self, atIndex: 1)), digest: row.decode(atIndex: 2),
                number: row.decode(atIndex: 0), revision: row.decode(atIndex: 3),
                isChanged: row.decode(atIndex: 4), summary: summary.map(DifferenceSummary.init(countsText:)),
                time: Timestamp(milliseconds: row.decode(atIndex: 6)))
            window.append(result)
            window.settle(limits.requests)
        }
        return window
    }
}

// MARK: - Summaries

extension DifferenceSummary {
    /// In the order in which the table has them, which must stay.
    private static var counts: [WritableKeyPath<DifferenceSummary, Int>] {
        [
            \.insertedItems, \.deletedItems, \.movedItems, \.reconfiguredItems, \.reloadedItems, \.expandedItems,
            \.collapsedItems, \.insertedSections, \.deletedSections, \.movedSections, \.reloadedSections,
        ]
    }

    /// `1,0,0,…`
    var countsText: String {
        DifferenceSummary.counts.map { String(self[keyPath: $0]) }.joined(separator: ",")
    }

    init(countsText: String) {
        self.init([], from: Snapshot(), to: Snapshot())
        for (count, text) in zip(DifferenceSummary.counts, countsText.split(separator: ",")) {
            self[keyPath: count] = Int(text) ?? 0
        }
    }
}
