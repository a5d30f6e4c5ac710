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
        try RequestRow(list: change.state.number, result: result).insert(into: database)
    }

    /// The result is on disk.
    func followResult(of change: ListChange) {
        let number = change.state.number
        guard let result = change.result, let list = lists[number] else { return }
        list.lastResult = result.number
        let oldestKept = result.number - limits.requests.keysMax + 1
        guard oldestKept - list.oldestResult > slack else { return }
        list.oldestResult = oldestKept
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
            let last = try RequestRow.lastNumber(of: number, in: database)
            guard last > 0 else { continue }
            var window = try window(of: number, from: last - limits.requests.keysMax + 1, in: database)
            window.trim(limits.requests, now: now)
            windows[number] = window
            // The last one stays, however old: the witness knows of it.
            let oldestKept = window.oldestNumber ?? last
            lists[number]?.oldestResult = oldestKept
            lists[number]?.lastResult = last
            upkeep.append(.requests(list: number, before: oldestKept))
        }
        return windows
    }

    private func window(of number: Int, from oldestKept: Int, in database: Database) throws -> RequestWindow {
        var window = RequestWindow()
        try RequestRow.forEach(of: number, from: oldestKept, in: database) { row, isGood in
            guard isGood, window.lastNumber == 0 || row.result.number == window.lastNumber + 1 else {
                throw StoreOpeningError.damaged(
                    path: directory.databasePath, list: lists[number]?.state.name.description ?? "",
                    revision: lists[number]?.state.revision ?? 0,
                    reason: "what came of its request \(window.lastNumber + 1) with a key is not what was written")
            }
            window.append(row.result)
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
