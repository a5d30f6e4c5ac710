import Diffable
import DiffableJSON

/// Writes a `reset` or a `changes`, in as many lines as needed. A line is a prefix with the subscription's number, which
/// `writePrefix` writes, and a rest that is shared by all subscribers at the same revision with the same line length.
package struct NotificationWriter: Sendable {
    private let head: Head
    private var extent: ExtentWriter
    private var operations: OperationsWriter

    private enum Head {
        case reset(ListName, epoch: String, revision: Int, ResetReason)
        case changes(ListName, from: Int, to: Int)
    }

    package var method: Kind {
        switch head {
        case .reset: .reset
        case .changes: .changes
        }
    }

    package enum Kind: Sendable {
        case reset, changes
        /// Written by `LongLineWriter`.
        case snapshot, patch
    }

    package enum ResetReason: String, Sendable {
        case initial, epoch, history, reload
    }

    package init(
        resetOf list: ListName, epoch: String, revision: Int, reason: ResetReason, snapshot: Snapshot,
        extent: Window.Extent? = nil
    ) {
        head = .reset(list, epoch: epoch, revision: revision, reason)
        self.extent = ExtentWriter(extent)
        operations = OperationsWriter(resetTo: snapshot)
    }

    package init(
        changesOf list: ListName, from: Int, to revision: Int, operations: [ListOperation], extent: Window.Extent? = nil
    ) {
        head = .changes(list, from: from, to: revision)
        self.extent = ExtentWriter(extent)
        self.operations = OperationsWriter(operations)
    }

    /// Whether a `changes` line has room for operations that the journal has already encoded as a JSON array.
    package static func isOneLine(encoded operations: [UInt8], lineLengthMax: Int) -> Bool {
        operations.count <= lineLengthMax - prefixLengthMax - headLengthMax
    }

    /// Writes the rest of such a line after the prefix.
    package static func writeRest(
        ofChangesOf list: ListName, from: Int, to revision: Int, encoded operations: [UInt8],
        into writer: inout ByteWriter
    ) {
        writer.appendChangesHead(list, from, revision)
        writer.append(#","operations":"#)
        writer.append(operations)
        writer.append("}}\n")
    }

    /// Writes the rest after the prefix, with the newline: prefix and rest are at most `lineLengthMax` bytes. `.more` means
    /// that the line had `"more":true`, and another must follow.
    package mutating func writeRest(into writer: inout ByteWriter, lineLengthMax: Int) -> Progress {
        let end: StaticString = "]}}\n"
        let endWithMore: StaticString = "],\"more\":true}}\n"
        let limit = writer.count + lineLengthMax - Self.prefixLengthMax - endWithMore.utf8CodeUnitCount
        writeHead(into: &writer)
        guard extent.hasMore else {
            extent.writeNumbers(into: &writer)
            writer.append(#","operations":["#)
            let progress = operations.write(into: &writer, upTo: limit)
            writer.append(progress == .done ? end : endWithMore)
            return progress
        }
        let progress = writeExtent(into: &writer, upTo: limit)
        writer.append(progress == .done ? end : endWithMore)
        return progress
    }

    /// Writes pins and sections before operations, and operations only if there is room for them.
    private mutating func writeExtent(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        let beginning: StaticString = #","operations":["#
        let isWritten = extent.writePart(into: &writer, upTo: limit - beginning.utf8CodeUnitCount) == .done
        writer.append(beginning)
        if !isWritten { return .more }
        let start = writer.count
        var rest = operations
        let progress = rest.write(into: &writer, upTo: limit)
        guard writer.count <= limit else {
            // The first operation alone is too long; the next part has room for it.
            writer.truncate(to: start)
            return .more
        }
        operations = rest
        return progress
    }

    private func writeHead(into writer: inout ByteWriter) {
        switch head {
        case .reset(let list, let epoch, let revision, let reason):
            writer.appendMember("list", list)
            writer.appendMember("epoch", epoch)
            writer.appendMember("revision", revision)
            writer.appendMember("reason", reason.rawValue)
        case .changes(let list, let from, let revision): writer.appendChangesHead(list, from, revision)
        }
    }

    /// Bytes of a `changes` line besides prefix and operations: a name of 255 bytes that are all escaped, and two revisions.
    package static let headLengthMax = 640

    // MARK: - Prefixes

    /// `{"jsonrpc":"2.0","method":"changes","params":{"subscription":7`
    package static func writePrefix(_ method: Kind, subscription: Int, into writer: inout ByteWriter) {
        switch method {
        case .reset: writer.append(resetPrefix)
        case .changes: writer.append(changesPrefix)
        case .snapshot: writer.append(snapshotPrefix)
        case .patch: writer.append(patchPrefix)
        }
        writer.append(subscription)
    }

    private static let resetPrefix: StaticString =
        #"{"jsonrpc":"2.0","method":"reset","params":{"subscription":"#
    private static let changesPrefix: StaticString =
        #"{"jsonrpc":"2.0","method":"changes","params":{"subscription":"#

    private static let snapshotPrefix: StaticString =
        #"{"jsonrpc":"2.0","method":"snapshot","params":{"subscription":"#
    private static let patchPrefix: StaticString =
        #"{"jsonrpc":"2.0","method":"patch","params":{"subscription":"#

    /// With the digits of 2^53.
    private static let prefixLengthMax =
        max(resetPrefix.utf8CodeUnitCount, changesPrefix.utf8CodeUnitCount) + 16

    /// Writes a whole line: the list was deleted, and its subscriptions with it.
    package static func writeListDeleted(_ list: ListName, subscription: Int, into writer: inout ByteWriter) {
        writer.append(#"{"jsonrpc":"2.0","method":"listDeleted","params":{"subscription":"#)
        writer.append(subscription)
        writer.appendMember("list", list)
        writer.append("}}\n")
    }

    /// Writes a whole line: the subscriber may not read the list any more, and its subscription has ended.
    package static func writeSubscriptionEnded(_ error: WireError, subscription: Int, into writer: inout ByteWriter) {
        writer.append(#"{"jsonrpc":"2.0","method":"subscriptionEnded","params":{"subscription":"#)
        writer.append(subscription)
        if let list = error.list { writer.appendMember("list", list) }
        writer.appendMember("reason", error.code.name)
        writer.appendMember("message", error.message)
        writer.append("}}\n")
    }

    /// Bytes of a bookmark without its actions, with a name of 255 bytes that are all escaped.
    package static let bookmarkLengthMax = 2_048

    /// Writes a whole line: the subscriber has been sent all updates up to a revision; without a revision, the list does not
    /// exist. `liveness` is set for a mirror.
    package static func writeBookmark(
        _ list: ListName, at place: (epoch: String, revision: Int)?, _ liveness: Liveness?,
        _ news: CapabilitiesChange = CapabilitiesChange(), subscription: Int, into writer: inout ByteWriter
    ) {
        writer.append(#"{"jsonrpc":"2.0","method":"bookmark","params":{"subscription":"#)
        writer.append(subscription)
        writer.appendMember("list", list)
        if let place {
            writer.appendMember("epoch", place.epoch)
            writer.appendMember("revision", place.revision)
        }
        if let liveness { writer.appendMembers(liveness) }
        if let may = news.may { writer.appendMay(may) }
        if let handles = news.handles {
            writer.appendParameterName("handles")
            writer.appendArray(handles)
        }
        if let actions = news.actions {
            writer.appendParameterName("actions")
            if let actions { writer.appendArray(actions) } else { writer.append("null") }
        }
        writer.append("}}\n")
    }
}

extension ByteWriter {
    fileprivate mutating func appendChangesHead(_ list: ListName, _ from: Int, _ revision: Int) {
        appendMember("list", list)
        appendMember("from", from)
        appendMember("revision", revision)
    }
}
