import Diffable
import DiffableJSON
import Foundation
import GRDB

/// A row of the table `schemas`: one change of a list's schemas. The last row of a list also has the current schemas.
///
/// All rows are rewritten at each change, which is rare. A list has at most as many rows as remembered changes. The
/// witness proves that they are the rows that were written last.
struct SchemasRow {
    let list: Int
    let number: Int
    let text: Text?
    let change: SchemaChange

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

    static func rows(of schemas: ListSchemas, list: Int) -> [SchemasRow] {
        let text = Text(
            json: schemas.set.json, others: schemas.set.others.rawValue, existing: schemas.existing.rawValue)
        return schemas.changes.enumerated().map { number, change in
            SchemasRow(
                list: list, number: number, text: number == schemas.changes.count - 1 ? text : nil, change: change)
        }
    }

    /// The schemas in the rows of a list. Nil if the rows are invalid.
    static func schemas(of rows: [SchemasRow]) -> ListSchemas? {
        guard let text = rows.last?.text, let others = SchemaSet.OtherKinds(rawValue: text.others),
            let existing = ExistingItems(rawValue: text.existing),
            let set = try? text.json.withUnsafeBytes({ try SchemaSet(json: $0, others: others, limits: .journal) })
        else { return nil }
        return ListSchemas(set, existing: existing, changes: rows.map(\.change))
    }

    /// Over the checksums of all rows of a list, in order; 0 for none.
    static func checksum(of checksums: [Int64]) -> Int64 {
        if checksums.isEmpty { return 0 }
        var sum = Checksum(8)
        for checksum in checksums { sum.add(checksum) }
        return sum.signed
    }
}

// MARK: - In the database

extension SchemasRow {
    /// The rows of a list, each with whether its checksum matches.
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

    /// The checksums that the witness covers, by list number. Has no entry for a list without schemas.
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
