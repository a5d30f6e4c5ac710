import Diffable
import DiffableJSON

/// Writes the reply to `snapshot`: one line of any length, in pieces of limited length.
package struct SnapshotReplyWriter: Sendable {
    private var snapshot: TreeWriter
    private var head: [UInt8]
    private var extent: ExtentWriter
    /// Whether the name of the snapshot is written.
    private var isNamed = false

    package init(
        id: RequestID, list: ListName, epoch: String, revision: Int, snapshot: Snapshot, extent: Window.Extent? = nil
    ) {
        var writer = ByteWriter()
        writer.beginReply(id)
        writer.append(#","result":{"list":"#)
        writer.appendString(list)
        writer.appendMember("epoch", epoch)
        writer.appendMember("revision", revision)
        self.extent = ExtentWriter(extent)
        self.extent.writeNumbers(into: &writer)
        self.head = writer.bytes
        self.snapshot = TreeWriter(snapshot)
    }

    /// Writes at least one element, and as many as fit until the writer holds about `limit` bytes. `.done` is returned with the
    /// end of the line.
    package mutating func write(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        writer.append(head)
        head = []
        guard extent.writeRest(into: &writer, upTo: limit) == .done else { return .more }
        if !isNamed { writer.append(#","snapshot":"#) }
        isNamed = true
        guard snapshot.write(into: &writer, upTo: limit) == .done else { return .more }
        writer.append("}}\n")
        return .done
    }
}
