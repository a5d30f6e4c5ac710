import Diffable

/// Writes items and sections in canonical form: members without information are left out, and the others have a fixed order.
extension ByteWriter {
    /// Writes an item without its children and without its closing brace.
    @inline(__always)
    mutating func appendItemOpening(
        _ record: Record, isExpanded: Bool?, isFolded: Bool, expansion: OperationsWriter.Expansion
    ) {
        append(#"{"id":"#)
        appendString(identifier: record)
        if record.hasKind {
            append(#","kind":"#)
            record.withKind { appendString(utf8: $0) }
        }
        appendContent(of: record)
        switch isExpanded {
        case true?: append(#","expanded":true"#)
        case false? where expansion == .asSaid: append(#","expanded":false"#)
        default: break
        }
        // Requests have no `folded`, but a client may send items that it got from a view.
        if isFolded, expansion == .canonical { append(#","folded":true"#) }
    }

    /// Writes the text between an item and the next one in pre-order, which may be at another level.
    @inline(__always)
    mutating func appendSeparator(fromLevel last: Int, to level: Int) {
        if level > last {
            append(#","children":["#)
        } else {
            append(byte: UInt8(ascii: "}"))
            for _ in level..<last { append("]}") }
            append(byte: UInt8(ascii: ","))
        }
    }

    /// Writes a section without its items and without its closing brace.
    mutating func appendSectionOpening(_ record: Record) {
        append(#"{"id":"#)
        appendString(identifier: record)
        appendContent(of: record)
    }

    @inline(__always)
    private mutating func appendContent(of record: Record) {
        guard record.hasContent else { return }
        append(#","content":"#)
        record.withContent { append($0) }
    }

    /// Writes items with all their children. Recursive, as deep as the items are.
    package mutating func appendItems(_ items: [Item], expansion: OperationsWriter.Expansion) {
        append(byte: UInt8(ascii: "["))
        var isFirst = true
        for item in items {
            if !isFirst { append(byte: UInt8(ascii: ",")) }
            isFirst = false
            appendItem(item, expansion: expansion)
        }
        append(byte: UInt8(ascii: "]"))
    }

    mutating func appendItem(_ item: Item, expansion: OperationsWriter.Expansion) {
        appendItemOpening(item.record, isExpanded: item.isExpanded, isFolded: item.isFolded, expansion: expansion)
        if !item.children.isEmpty {
            append(#","children":"#)
            appendItems(item.children, expansion: expansion)
        }
        append(byte: UInt8(ascii: "}"))
    }

    /// `{"content":…,"sections":[…]}`, in one piece.
    package mutating func appendSnapshot(_ list: WholeList, expansion: OperationsWriter.Expansion) {
        append(byte: UInt8(ascii: "{"))
        if let content = list.content {
            append(#""content":"#)
            append(content)
            append(byte: UInt8(ascii: ","))
        }
        append(#""sections":["#)
        var isFirst = true
        for section in list.sections {
            if !isFirst { append(byte: UInt8(ascii: ",")) }
            isFirst = false
            appendSection(section, expansion: expansion)
        }
        append("]}")
    }

    /// Writes the beginning of a snapshot, up to its first section.
    mutating func appendSnapshotOpening(_ list: Record?) {
        append(byte: UInt8(ascii: "{"))
        if let list {
            append(#""content":"#)
            list.withContent { append($0) }
            append(byte: UInt8(ascii: ","))
        }
        append(#""sections":["#)
    }

    mutating func appendSection(_ section: Section, expansion: OperationsWriter.Expansion) {
        appendSectionOpening(section.record)
        if !section.items.isEmpty {
            append(#","items":"#)
            appendItems(section.items, expansion: expansion)
        }
        append(byte: UInt8(ascii: "}"))
    }

    // MARK: - Changes

    /// `{"id":…,"content":…}`, or the id alone if there is nothing new.
    mutating func appendChange(_ id: Record, content: Content??) {
        guard let content else { return appendString(identifier: id) }
        append(#"{"id":"#)
        appendString(identifier: id)
        appendNewContent(content)
        append(byte: UInt8(ascii: "}"))
    }

    /// `{"id":…,"kind":…,"content":…}`, or the id alone if there is nothing new.
    mutating func appendReload(_ reload: ItemReload) {
        if reload.kind == nil, reload.content == nil { return appendString(reload.id) }
        append(#"{"id":"#)
        appendString(reload.id)
        if let kind = reload.kind {
            append(#","kind":"#)
            if let kind { appendString(kind) } else { append("null") }
        }
        if let content = reload.content { appendNewContent(content) }
        append(byte: UInt8(ascii: "}"))
    }

    private mutating func appendNewContent(_ content: Content?) {
        append(#","content":"#)
        append(content)
    }

    /// `null` for nil.
    mutating func append(_ content: Content?) {
        if let content { append(content.bytes) } else { append("null") }
    }
}
