import Diffable
import GRDB

/// A row of the table `lease`: a list, section or item that is removed when the daemon starts again.
///
/// A damaged row is refused, because it could remove what is not leased. A missing row is not noticed: then something
/// stays that should have been removed, which its publisher sees.
struct LeaseRow {
    /// What is leased.
    enum Kind: Int {
        case list, section, item
    }

    /// The list's number.
    let list: Int
    let kind: Kind
    /// Empty for the list itself.
    let id: String

    var checksum: Int64 {
        var sum = Checksum(6)
        sum.add(list)
        sum.add(kind.rawValue)
        sum.add(id)
        return sum.signed
    }

    func insert(into database: Database) throws {
        try database.cachedStatement(sql: "INSERT INTO lease (list, kind, id, checksum) VALUES (?, ?, ?, ?)")
            .execute(arguments: [list, kind.rawValue, id, checksum])
    }

    func delete(from database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM lease WHERE list = ? AND kind = ? AND id = ?")
            .execute(arguments: [list, kind.rawValue, id])
    }

    /// Calls with each row; nil for a damaged one.
    static func forEach(in database: Database, _ body: (LeaseRow?) throws -> Void) throws {
        let rows = try Row.fetchCursor(database, sql: "SELECT list, kind, id, checksum FROM lease")
        while let row = try rows.next() {
            guard let kind = Kind(rawValue: try row.decode(atIndex: 1)) else {
                try body(nil)
                continue
            }
            let lease = try LeaseRow(list: row.decode(atIndex: 0), kind: kind, id: row.decode(atIndex: 2))
            try body(row.decode(Int64.self, atIndex: 3) == lease.checksum ? lease : nil)
        }
    }
}

extension LeaseChange {
    /// The row for something that is leased.
    mutating func add(_ row: LeaseRow) throws {
        switch row.kind {
        case .list: isOfList = true
        case .section: sections.append(try SectionID(row.id))
        case .item: items.append(try ItemID(row.id))
        }
    }

    /// The rows that a change adds.
    func rows(ofList list: Int) -> [LeaseRow] {
        (isOfList ? [LeaseRow(list: list, kind: .list, id: "")] : [])
            + sections.map { LeaseRow(list: list, kind: .section, id: $0.description) }
            + items.map { LeaseRow(list: list, kind: .item, id: $0.description) }
    }
}
