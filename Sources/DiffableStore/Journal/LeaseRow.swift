import Diffable
import GRDB

/// A row of the table `lease`: a list, section or item that is removed at the next startup, or with its holder.
///
/// A damaged row is refused, because it could remove something that is not leased. A missing row goes undetected: an
/// item then stays that should have been removed, which its publisher can see.
struct LeaseRow {
    enum Kind: Int {
        case list, section, item
    }

    let list: Int
    let kind: Kind
    /// Empty for the list itself.
    let id: String
    /// The holder in a shared list. Nil for a list that is not shared, because connections do not outlive the daemon.
    var holder: SharedHolder?

    var checksum: Int64 {
        var sum = Checksum(6)
        sum.add(list)
        sum.add(kind.rawValue)
        sum.add(id)
        if let holder { sum.add(holder.text) }
        return sum.signed
    }

    func insert(into database: Database) throws {
        if let holder {
            return try database.cachedStatement(sql: "INSERT INTO lease VALUES (?, ?, ?, ?, ?)")
                .execute(arguments: [list, kind.rawValue, id, checksum, holder.text])
        }
        let sql = "INSERT INTO lease (list, kind, checksum, id) VALUES (?, ?, ?, CAST(? AS TEXT))"
        try execute(sql, [Int64(list), Int64(kind.rawValue), checksum], in: database)
    }

    func delete(from database: Database) throws {
        let sql = "DELETE FROM lease WHERE list = ? AND kind = ? AND id = CAST(? AS TEXT)"
        try execute(sql, [Int64(list), Int64(kind.rawValue)], in: database)
    }

    /// Executes a statement whose last argument is the id. Fast, because a connection may lease hundreds of thousands of items.
    private func execute(_ sql: String, _ integers: [Int64], in database: Database) throws {
        let statement = try database.cachedStatement(sql: sql)
        var id = id
        try id.withUTF8 { try statement.execute(integers: integers, blobs: [UnsafeRawBufferPointer($0)]) }
    }

    /// Calls `body` with each row, or with nil for a damaged one.
    static func forEach(in database: Database, _ body: (LeaseRow?) throws -> Void) throws {
        let rows = try Row.fetchCursor(database, sql: "SELECT list, kind, id, checksum, holder FROM lease")
        while let row = try rows.next() {
            guard let kind = Kind(rawValue: try row.decode(atIndex: 1)) else {
                try body(nil)
                continue
            }
            var lease = try LeaseRow(list: row.decode(atIndex: 0), kind: kind, id: row.decode(atIndex: 2))
            lease.holder = try row.decode(String?.self, atIndex: 4).flatMap { SharedHolder($0) }
            try body(row.decode(Int64.self, atIndex: 3) == lease.checksum ? lease : nil)
        }
    }
}

extension LeaseChange {
    mutating func add(_ row: LeaseRow) throws {
        switch row.kind {
        case .list: isOfList = true
        case .section: sections.append(try SectionID(row.id))
        case .item: items.append(try ItemID(row.id))
        }
    }

    func rows(ofList list: Int) -> [LeaseRow] {
        let things =
            (isOfList ? [(LeaseRow.Kind.list, "")] : []) + sections.map { (.section, $0.description) }
            + items.map { (.item, $0.description) }
        return things.map { LeaseRow(list: list, kind: $0, id: $1, holder: lease?.holder) }
    }
}
