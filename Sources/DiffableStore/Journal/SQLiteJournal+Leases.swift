import Diffable
import GRDB

// Leases of durable lists, in the table `lease`. Only leases of shared lists have a holder: no connection outlives the daemon.

extension SQLiteJournal {
    func writeLeases(of change: ListChange, to database: Database) throws {
        guard let leases = change.leases else { return }
        let number = change.state.number
        if leases.endsAll {
            return try database.cachedStatement(sql: "DELETE FROM lease WHERE list = ?").execute(arguments: [number])
        }
        let ended = LeaseChange(sections: leases.endedSections, items: leases.endedItems)
        for row in ended.rows(ofList: number) { try row.delete(from: database) }
        for row in leases.rows(ofList: number) { try row.insert(into: database) }
    }

    /// The leases that the previous daemon left, by list number.
    func recoverLeases(from database: Database) throws -> [Int: Leases] {
        var changes: [Int: [Lease: LeaseChange]] = [:]
        try LeaseRow.forEach(in: database) { row in
            guard let row else {
                throw StoreOpeningError.unreadable(
                    path: directory.databasePath, reason: "a row in the table of leases has a wrong checksum")
            }
            let lease = row.holder.map(Lease.shared) ?? .leftBehind
            try changes[row.list, default: [:]][lease, default: LeaseChange(lease: lease)].add(row)
        }
        var leases: [Int: Leases] = [:]
        for (number, change) in changes {
            guard let name = lists[number]?.state.name else { continue }
            for change in change.values { leases[number, default: Leases(of: name)].apply(change) }
        }
        return leases
    }
}
