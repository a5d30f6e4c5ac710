import Diffable

/// Writes a section, an item or an array of items, with all that is below, in pieces of limited length.
///
/// The pieces are cut anywhere between items; put together they are one value, in canonical form.
struct TreeWriter: Sendable {
    private var cursor: TreeCursor
    private var pending: OperationsWriter.ElementRun.Element?
    private var open = Open.nothing
    private let form: Form

    private enum Form: Sendable {
        case section, item, items
    }

    private enum Open: Sendable {
        case nothing
        /// The section, without its closing brace and without items so far.
        case section
        /// The last item, at this level, has no closing brace yet.
        case item(level: Int)
    }

    init(_ section: Section) { self.init(TreeCursor([section]), .section) }

    init(_ item: Item) { self.init(TreeCursor([item]), .item) }

    /// An array of items, which is not empty.
    init(_ items: [Item]) { self.init(TreeCursor(items), .items) }

    private init(_ cursor: TreeCursor, _ form: Form) {
        self.cursor = cursor
        self.form = form
        self.pending = self.cursor.next()
    }

    /// Writes at least one element, and as many as fit until the writer holds `limit` bytes. `.done` comes with the
    /// last byte.
    mutating func write(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
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
        close(into: &writer)
        return .done
    }

    private func write(
        _ element: OperationsWriter.ElementRun.Element, into writer: inout ByteWriter
    ) -> Open {
        switch (element, open) {
        case (.section(let record), _):
            writer.appendSectionOpening(record)
            return .section
        case (.item(let record, let level, let isExpanded), let open):
            switch open {
            case .nothing: if form == .items { writer.append(byte: UInt8(ascii: "[")) }
            case .section: writer.append(#","items":["#)
            case .item(let last): writer.appendStep(fromLevel: last, to: level)
            }
            writer.appendItemOpening(record, isExpanded: isExpanded, expansion: .canonical)
            return .item(level: level)
        }
    }

    private func close(into writer: inout ByteWriter) {
        if case .item(let level) = open {
            writer.append(byte: UInt8(ascii: "}"))
            for _ in 0..<level { writer.append("]}") }
            if form != .item { writer.append(byte: UInt8(ascii: "]")) }
        }
        if form == .section { writer.append(byte: UInt8(ascii: "}")) }
    }
}
