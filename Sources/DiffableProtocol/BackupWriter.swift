import Diffable
import DiffableJSON

/// Writes lists as the requests that restore them, in lines of limited length, and then the reply to `backup`.
///
/// The lists are values, so the lines are of one moment, however long it takes until they are written.
package struct BackupWriter: Sendable {
    private let id: RequestID
    private let summaries: [Reply.ListSummary]
    private let lists: [(access: Request.SetAccess, snapshot: Snapshot)]
    /// Of the list that is being written.
    private var operations: OperationsWriter?
    private var position = 0

    package init(
        id: RequestID, summaries: [Reply.ListSummary], lists: [(access: Request.SetAccess, snapshot: Snapshot)]
    ) {
        self.id = id
        self.summaries = summaries
        self.lists = lists
    }

    /// Writes one line. `.done` comes with the reply.
    package mutating func writeLine(into writer: inout ByteWriter, lineLengthMax: Int) -> Progress {
        guard position < lists.count else {
            Reply.lists(summaries).write(id: id, into: &writer)
            return .done
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
        if progress == .done { position += 1 }
        return .more
    }
}
