import Diffable
import GRDB

// Results of requests with a key, in the table `request`. A result is written in the transaction of its change, so both
// are on disk or neither is. The oldest rows are deleted between commit groups, many at a time.

extension SQLiteJournal {
    /// The number of rows beyond `keysMax` that the table may have before the oldest are deleted.
    private var slack: Int { max(limits.requests.keysMax / 4, 256) }
    private static let deletedMax = 1_024

    func writeResult(of change: ListChange, to database: Database) throws {
        guard let result = change.result else { return }
        try RequestRow(list: change.state.number, result: result).insert(into: database)
    }

    /// Updates the counts once the result is on disk.
    func updateResultCounts(of change: ListChange) {
        let number = change.state.number
        guard let result = change.result, let list = lists[number] else { return }
        let before = list.numberOfResults
        list.lastResult = result.number
        let oldestKept = result.number - limits.requests.keysMax + 1
        if oldestKept - list.oldestResult > slack {
            list.oldestResult = oldestKept
            maintenance.append(.requests(list: number, before: oldestKept))
        }
        keyCount += list.numberOfResults - before
        deleteResultsBeyondBudget()
    }

    /// Deletes many at a time. The last row of each list stays, because the witness records its number.
    private func deleteResultsBeyondBudget() {
        let max = limits.requests.keysInAllMax
        guard keyCount > max + Swift.max(max / 4, 256) else { return }
        let level = KeyBudget.keysPerList(of: lists.values.map(\.numberOfResults), within: max)
        for (number, list) in lists where list.numberOfResults > level {
            keyCount -= list.numberOfResults - level
            list.oldestResult = list.lastResult - level + 1
            maintenance.append(.requests(list: number, before: list.oldestResult))
        }
    }

    /// Deletes one slice of rows. Returns whether none are left.
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
    /// The remembered results of all lists, by list number.
    /// - Parameter ends: the last request numbers according to the lists that the witness checked.
    func recoverRequests(
        upTo ends: [ListsDigest.Share], from database: Database, now: RunningTime
    ) throws -> [Int: RequestWindow] {
        // Rows of a deleted list may still exist.
        var windows = try readWindows(from: database).filter { lists[$0.key] != nil }
        for end in ends {
            let number = end.number
            let last = windows[number]?.lastNumber ?? 0
            guard last == end.lastResult else { throw damagedRequest(of: number, last + 1) }
            guard last > 0 else { continue }
            windows[number]?.trim(limits.requests, now: now)
        }
        let level = KeyBudget.keysPerList(of: windows.values.map(\.settledCount), within: limits.requests.keysInAllMax)
        for number in windows.keys {
            windows[number]?.shorten(to: level)
            guard let list = lists[number] else { continue }
            // The last row stays regardless of its age, because the witness records its number.
            list.oldestResult = windows[number]?.oldestNumber ?? list.lastResult
            keyCount += list.numberOfResults
            maintenance.append(.requests(list: number, before: list.oldestResult))
        }
        return windows
    }

    /// Reads the rows of all lists in order. A row with a damaged list or number appears in the wrong place, where no
    /// lookup would find it, and is missing in its own.
    private func readWindows(from database: Database) throws -> [Int: RequestWindow] {
        var windows: [Int: RequestWindow] = [:]
        try RequestRow.forEach(in: database) { row, isGood in
            let last = windows[row.list]?.lastNumber ?? 0
            guard isGood, last == 0 || row.result.number == last + 1 else {
                throw damagedRequest(of: row.list, last + 1)
            }
            windows[row.list, default: RequestWindow()].append(row.result)
            windows[row.list]?.markOldestWritten(limits.requests)
        }
        return windows
    }

    private func damagedRequest(of list: Int, _ number: Int) -> StoreOpeningError {
        .damaged(
            path: directory.databasePath, list: lists[list]?.state.name.description ?? "number \(list)",
            revision: lists[list]?.state.revision ?? 0,
            reason: "the result of its request number \(number) with a request key has a wrong checksum")
    }
}

// MARK: - Summaries

extension DifferenceSummary {
    /// In the order of the table, which must not change. New counts are appended; older rows have fewer.
    private static var counts: [WritableKeyPath<DifferenceSummary, Int>] {
        [
            \.insertedItems, \.deletedItems, \.movedItems, \.reconfiguredItems, \.reloadedItems, \.expandedItems,
            \.collapsedItems, \.insertedSections, \.deletedSections, \.movedSections, \.reloadedSections,
            \.reconfiguredList,
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
