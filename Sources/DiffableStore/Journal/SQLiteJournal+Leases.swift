import Diffable
import GRDB

// What is leased of durable lists, in the table `lease`. Whose the leases are is not kept: nobody's connection outlives
// the daemon.

extension SQLiteJournal {
    /// What a row is about.
    private enum Leased: Int {
        case list, section, item
    }

    /// Writes what a change means to the leases of its list, if it means anything.
    func writeLeases(of change: ListChange, to database: Database) throws {
        guard let leases = change.leases else { return }
        let number = change.state.number
        if leases.endsAll {
            return try database.cachedStatement(sql: "DELETE FROM lease WHERE list = ?").execute(arguments: [number])
        }
        for id in leases.endedSections.keys { try delete(.section, id.description, of: number, from: database) }
        for id in leases.endedItems.keys { try delete(.item, id.description, of: number, from: database) }
        if leases.isOfList { try insert(.list, "", of: number, into: database) }
        for id in leases.sections { try insert(.section, id.description, of: number, into: database) }
        for id in leases.items { try insert(.item, id.description, of: number, into: database) }
    }

    private func insert(_ leased: Leased, _ id: String, of list: Int, into database: Database) throws {
        try database.cachedStatement(sql: "INSERT INTO lease VALUES (?, ?, ?)")
            .execute(arguments: [list, leased.rawValue, id])
    }

    private func delete(_ leased: Leased, _ id: String, of list: Int, from database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM lease WHERE list = ? AND kind = ? AND id = ?")
            .execute(arguments: [list, leased.rawValue, id])
    }

    /// What was left behind, by the numbers of lists.
    func recoverLeases(from database: Database) throws -> [Int: Leases] {
        var leases: [Int: Leases] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT list, kind, id FROM lease")
        while let row = try rows.next() {
            let number: Int = row[0]
            guard let name = lists[number]?.state.name, let leased = Leased(rawValue: row[1]) else { continue }
            var change = LeaseChange(lease: .leftBehind)
            switch leased {
            case .list: change.isOfList = true
            case .section: change.sections = [try SectionID(row[2] as String)]
            case .item: change.items = [try ItemID(row[2] as String)]
            }
            leases[number, default: Leases(of: name)].make(change)
        }
        return leases
    }
}
