import Diffable
import DiffableJSON

/// Writes lists as the requests that restore them, in lines of limited length, and then the reply to `backup`. The lists are
/// values, so the lines show one moment, however long the writing takes.
package struct BackupWriter: Sendable {
    package struct List: Sendable {
        package var access: Request.SetAccess
        /// Nil for a list without schemas.
        package var schemas: Request.SetSchemas?
        package var snapshot: Snapshot

        package init(access: Request.SetAccess, schemas: Request.SetSchemas?, snapshot: Snapshot) {
            self.access = access
            self.schemas = schemas
            self.snapshot = snapshot
        }
    }

    private let id: RequestID
    private let summaries: [Reply.ListSummary]
    private let lists: [List]
    private var operations: OperationsWriter?
    private var position = 0
    private var areSchemasWritten = false

    package init(id: RequestID, summaries: [Reply.ListSummary], lists: [List]) {
        self.id = id
        self.summaries = summaries
        self.lists = lists
    }

    /// Writes one line. `.done` is returned with the reply.
    package mutating func writeLine(into writer: inout ByteWriter, lineLengthMax: Int) -> Progress {
        guard position < lists.count else {
            Reply.lists(summaries).write(id: id, into: &writer)
            return .done
        }
        if let schemas = lists[position].schemas, !areSchemasWritten {
            write(schemas, into: &writer)
            return .more
        }
        var operations = self.operations ?? OperationsWriter(resetTo: lists[position].snapshot)
        let end: StaticString = "],\"more\":true}}\n"
        let limit = writer.count + lineLengthMax - end.utf8CodeUnitCount
        writer.beginRequest(.restore, id: .absent)
        lists[position].access.write(into: &writer)
        writer.append(#","operations":["#)
        let progress = operations.write(into: &writer, upTo: limit)
        writer.append(end)
        self.operations = progress == .done ? nil : operations
        if progress == .done {
            position += 1
            areSchemasWritten = false
        }
        return .more
    }

    /// Writes the schemas on a line of their own, of any length: they cannot be split.
    private mutating func write(_ schemas: Request.SetSchemas, into writer: inout ByteWriter) {
        Request.restore(.part(lists[position].access, schemas, [])).write(id: .absent, into: &writer)
        areSchemasWritten = true
    }
}
