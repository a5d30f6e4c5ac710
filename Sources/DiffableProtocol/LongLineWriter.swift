import Diffable
import DiffableJSON

/// Writes a `snapshot` or a `patch` notification: one line of any length, in pieces of limited length. The line is a prefix with
/// the subscription's number, which `NotificationWriter.writePrefix` writes, and a rest that is the same for all subscribers.
package struct LongLineWriter: Sendable {
    package let method: NotificationWriter.Kind
    private var head: [UInt8]
    private var extent: ExtentWriter
    /// The name of the body, until it is written.
    private var name: StaticString?
    private var body: Body

    private enum Body: Sendable {
        case snapshot(TreeWriter)
        case patch(JSONPatchWriter)
    }

    /// `reason` is why the subscriber gets a reset; nil for an ordinary update. `extent` is the position of the view's window.
    package init(
        snapshotOf list: ListName, epoch: String, revision: Int, reason: NotificationWriter.ResetReason?,
        snapshot: Snapshot, extent: Window.Extent? = nil
    ) {
        var writer = ByteWriter()
        writer.appendMember("list", list)
        writer.appendMember("epoch", epoch)
        writer.appendMember("revision", revision)
        if let reason { writer.appendMember("reason", reason.rawValue) }
        self.extent = ExtentWriter(extent)
        self.extent.writeNumbers(into: &writer)
        name = #","snapshot":"#
        method = .snapshot
        head = writer.bytes
        body = .snapshot(TreeWriter(snapshot))
    }

    /// `operations` is the canonical diff from `old` to the state at the new revision.
    package init(
        patchOf list: ListName, from: Int, to revision: Int, old: Snapshot, operations: [ListOperation],
        extent: Window.Extent? = nil
    ) {
        var writer = ByteWriter()
        writer.appendMember("list", list)
        writer.appendMember("from", from)
        writer.appendMember("revision", revision)
        self.extent = ExtentWriter(extent)
        self.extent.writeNumbers(into: &writer)
        name = #","patch":"#
        method = .patch
        head = writer.bytes
        body = .patch(JSONPatchWriter(from: old, by: operations))
    }

    /// Writes at least one element, and continues until the writer holds about `limit` bytes. `.done` is returned with the end
    /// of the line; until then, no other output may be written to it.
    package mutating func write(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        writer.append(head)
        head = []
        guard extent.writeRest(into: &writer, upTo: limit) == .done else { return .more }
        if let name { writer.append(name) }
        name = nil
        guard writeBody(into: &writer, upTo: limit) == .done else { return .more }
        writer.append("}}\n")
        return .done
    }

    private mutating func writeBody(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        switch body {
        case .snapshot(var snapshot):
            defer { body = .snapshot(snapshot) }
            return snapshot.write(into: &writer, upTo: limit)
        case .patch(var patch):
            defer { body = .patch(patch) }
            return patch.write(into: &writer, upTo: limit)
        }
    }
}
