import Diffable

/// Writes a snapshot in its nested form, `{"sections":[…]}`, in pieces of limited length.
///
/// The pieces are cut anywhere between items; put together they are one value, in canonical form.
package struct SnapshotWriter: Sendable {
    private var cursor: SnapshotCursor
    private var open = Open.nothing
    private var pending: SnapshotCursor.Element?

    private enum Open: Sendable {
        case nothing
        /// A section without its closing brace, and without items so far.
        case section
        /// The last item, at this level, has no closing brace yet.
        case item(level: Int)
    }

    package init(_ snapshot: Snapshot) {
        self.cursor = SnapshotCursor(snapshot)
        self.pending = cursor.next()
    }

    /// Writes at least one element, and as many as fit until the writer holds `limit` bytes. `.done` comes with the
    /// last byte.
    package mutating func write(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        var isEmpty = true
        if case .nothing = open, pending == nil {
            writer.append(#"{"sections":[]}"#)
            return .done
        }
        while let element = pending {
            let start = writer.count
            let after = write(element, into: &writer)
            if writer.count > limit, !isEmpty {
                writer.truncate(to: start)
                return .more
            }
            isEmpty = false
            open = after
            pending = cursor.next()
        }
        close(into: &writer)
        writer.append("]}")
        return .done
    }

    private func write(_ element: SnapshotCursor.Element, into writer: inout ByteWriter) -> Open {
        switch (element, open) {
        case (.section(let record), .nothing):
            writer.append(#"{"sections":["#)
            writer.appendSectionOpening(record)
            return .section
        case (.section(let record), _):
            close(into: &writer)
            writer.append(byte: UInt8(ascii: ","))
            writer.appendSectionOpening(record)
            return .section
        case (.item(let record, let level, let isExpanded), let open):
            if case .item(let last) = open {
                writer.appendStep(fromLevel: last, to: level)
            } else {
                writer.append(#","items":["#)
            }
            writer.appendItemOpening(record, isExpanded: isExpanded, expansion: .canonical)
            return .item(level: level)
        }
    }

    private func close(into writer: inout ByteWriter) {
        if case .item(let level) = open {
            writer.append(byte: UInt8(ascii: "}"))
            for _ in 0..<level { writer.append("]}") }
            writer.append(byte: UInt8(ascii: "]"))
        }
        writer.append(byte: UInt8(ascii: "}"))
    }
}
