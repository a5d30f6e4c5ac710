import Diffable
import GRDB

// The schemas of durable lists, in the table `schemas`, by list number, so that they survive an undelete or a rename.

extension ListChange {
    /// The rows for the schemas that the change sets. Nil if it sets none.
    var schemasRows: [SchemasRow]? {
        if case .undeleted = event { return nil }
        return schemas.map { SchemasRow.rows(of: $0, list: state.number) }
    }
}

extension SQLiteJournal {
    func writeSchemas(of change: ListChange, to database: Database) throws {
        guard let rows = change.schemasRows else { return }
        try SchemasRow.deleteAll(ofList: change.state.number, from: database)
        for row in rows { try row.insert(into: database) }
    }

    func updateSchemasChecksum(of change: ListChange) {
        guard let rows = change.schemasRows else { return }
        lists[change.state.number]?.schemas = SchemasRow.checksum(of: rows.map(\.checksum))
    }

    func recoverSchemas(of heading: ListHeading, from database: Database) throws -> ListSchemas {
        let rows = try SchemasRow.all(ofList: heading.number, in: database)
        guard rows.allSatisfy(\.isGood), let schemas = SchemasRow.schemas(of: rows.map(\.row)) else {
            throw heading.damaged(
                directory.databasePath, at: heading.checkpointRevision, "its schemas have a wrong checksum")
        }
        return schemas
    }
}
