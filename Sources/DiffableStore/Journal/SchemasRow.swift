import Diffable
import DiffableJSON
import Foundation
import GRDB

/// A row of the table `schemas`: that somebody set them, and, if nobody has since, the schemas themselves.
///
/// They are written anew with each change, which is rare: a list has no more rows than changes that are remembered. The
/// witness shows whether they are those that were written last.
struct SchemasRow {
    /// The list's number.
    let list: Int
    let number: Int
    let text: Text?
    let change: SchemaChange

    /// What is in force.
    struct Text: Equatable {
        let json: [UInt8]
        let others: String
        let existing: String
    }

    var checksum: Int64 {
        var sum = Checksum(7)
        sum.add(list)
        sum.add(number)
        if let text {
            text.json.withUnsafeBytes { sum.add($0) }
            sum.add(text.others)
            sum.add(text.existing)
        }
        sum.add(change.revision)
        sum.add(change.numberOfKinds)
        change.moment.add(to: &sum)
        Origin.add(change.origin, to: &sum)
        return sum.signed
    }

    /// The rows of a list's schemas.
    static func rows(of schemas: ListSchemas, list: Int) -> [SchemasRow] {
        let text = Text(
            json: schemas.set.json, others: schemas.set.others.rawValue, existing: schemas.existing.rawValue)
        return schemas.changes.enumerated().map { number, change in
            SchemasRow(
                list: list, number: number, text: number == schemas.changes.count - 1 ? text : nil, change: change)
        }
    }

    /// What the rows of a list say. Nil when they do not make sense.
    static func schemas(of rows: [SchemasRow]) -> ListSchemas? {
        guard let text = rows.last?.text, let others = SchemaSet.Others(rawValue: text.others),
            let existing = ExistingItems(rawValue: text.existing),
            let set = try? text.json.withUnsafeBytes({ try SchemaSet(json: $0, others: others, limits: .journal) })
        else { return nil }
        return ListSchemas(set, existing: existing, changes: rows.map(\.change))
    }

    /// Of all rows of a list, in their order; 0 for none.
    static func checksum(of checksums: [Int64]) -> Int64 {
        if checksums.isEmpty { return 0 }
        var sum = Checksum(8)
        for checksum in checksums { sum.add(checksum) }
        return sum.signed
    }
}

// MARK: - In the database

extension SchemasRow {
    /// The rows of a list, and whether each is what was written.
    static func all(ofList list: Int, in database: Database) throws -> [(row: SchemasRow, isGood: Bool)] {
        let sql = """
            SELECT number, schemas, others, existing, revision, kinds, checksum,
                time, runningTime, isOriginKnown, process, user, client
            FROM schemas WHERE list = ? ORDER BY number
            """
        return try Row.fetchAll(database.cachedStatement(sql: sql), arguments: [list]).map {
            let row = try SchemasRow($0, list: list)
            return (row, try $0.decode(Int64.self, atIndex: 6) == row.checksum)
        }
    }

    private init(_ row: Row, list: Int) throws {
        self.list = list
        number = try row.decode(atIndex: 0)
        if let json = try row.decode(Data?.self, atIndex: 1) {
            text = Text(
                json: Array(json), others: try row.decode(String?.self, atIndex: 2) ?? "",
                existing: try row.decode(String?.self, atIndex: 3) ?? "")
        } else {
            text = nil
        }
        change = SchemaChange(
            revision: try row.decode(Int.self, atIndex: 4).boundedNatural, moment: try Moment(row, from: 7),
            origin: try Origin(row, from: 7 + Moment.columnCount),
            numberOfKinds: try row.decode(Int.self, atIndex: 5).boundedNatural)
    }

    /// What the witness vouches for, of each list that has any, by its number.
    static func checksums(in database: Database) throws -> [Int: Int64] {
        let rows = try Row.fetchAll(database, sql: "SELECT list, checksum FROM schemas ORDER BY list, number").map {
            (list: try $0.decode(Int.self, atIndex: 0), checksum: try $0.decode(Int64.self, atIndex: 1))
        }
        return Dictionary(grouping: rows, by: \.list).mapValues { checksum(of: $0.map(\.checksum)) }
    }

    func insert(into database: Database) throws {
        let arguments: StatementArguments = [
            list, number, text.map { Data($0.json) }, text?.others, text?.existing, change.revision,
            change.numberOfKinds,
        ]
        let sql = "INSERT INTO schemas VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        try database.cachedStatement(sql: sql)
            .execute(
                arguments: arguments + change.moment.arguments + Origin.arguments(of: change.origin) + [checksum])
    }

    static func deleteAll(ofList list: Int, from database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM schemas WHERE list = ?").execute(arguments: [list])
    }
}
