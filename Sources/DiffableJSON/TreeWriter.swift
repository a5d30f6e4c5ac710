import Diffable

/// Writes a snapshot, a section, an item or an array of items in nested form, with all descendants, in pieces of limited
/// length. The pieces are cut anywhere between items; together they are one value, in canonical form.
package struct TreeWriter: Sendable {
    private var cursor: OperationsWriter.ElementRun.Cursor
    private var pending: OperationsWriter.ElementRun.Element?
    private var open = Open.nothing
    private let form: Form

    private enum Form: Sendable {
        /// `{"content":…,"sections":[…]}`, with the record that has the list's own content.
        case snapshot(Record?)
        case section, item, items
    }

    private enum Open: Sendable {
        case nothing
        /// The last section, without its closing brace and without items so far.
        case section
        /// The last item, at this level, has no closing brace yet.
        case item(level: Int)
    }

    package init(_ snapshot: Snapshot) {
        self.init(.snapshot(SnapshotCursor(snapshot)), .snapshot(snapshot.listRecord))
    }

    init(_ section: Section) { self.init(.tree(TreeCursor([section])), .section) }

    init(_ item: Item) { self.init(.tree(TreeCursor([item])), .item) }

    /// An array of items, which is not empty.
    init(_ items: [Item]) { self.init(.tree(TreeCursor(items)), .items) }

    private init(_ cursor: OperationsWriter.ElementRun.Cursor, _ form: Form) {
        self.cursor = cursor
        self.form = form
        self.pending = self.cursor.next()
    }

    /// Writes at least one element, and as many as fit until the writer holds `limit` bytes. `.done` is returned with the last
    /// byte.
    package mutating func write(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        var isEmpty = true
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
        // A snapshot without elements has not been opened yet.
        if case .nothing = open { begin(into: &writer) } else { close(into: &writer) }
        if case .snapshot = form { writer.append("]}") }
        return .done
    }

    private func write(_ element: OperationsWriter.ElementRun.Element, into writer: inout ByteWriter) -> Open {
        switch element {
        case .section(let record):
            if case .nothing = open {
                begin(into: &writer)
            } else {
                close(into: &writer)
                writer.append(byte: UInt8(ascii: ","))
            }
            writer.appendSectionOpening(record)
            return .section
        case .item(let record, let level, let isExpanded, let isFolded):
            switch open {
            case .nothing: begin(into: &writer)
            case .section: writer.append(#","items":["#)
            case .item(let last): writer.appendSeparator(fromLevel: last, to: level)
            }
            writer.appendItemOpening(record, isExpanded: isExpanded, isFolded: isFolded, expansion: .canonical)
            return .item(level: level)
        }
    }

    private func begin(into writer: inout ByteWriter) {
        switch form {
        case .snapshot(let list): writer.appendSnapshotOpening(list)
        case .items: writer.append(byte: UInt8(ascii: "["))
        case .section, .item: break
        }
    }

    private func close(into writer: inout ByteWriter) {
        if case .item(let level) = open {
            writer.append(byte: UInt8(ascii: "}"))
            for _ in 0..<level { writer.append("]}") }
            if case .item = form { return }
            writer.append(byte: UInt8(ascii: "]"))
            if case .items = form { return }
        }
        writer.append(byte: UInt8(ascii: "}"))
    }
}
