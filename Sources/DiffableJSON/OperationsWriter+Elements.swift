import Diffable

extension OperationsWriter {
    /// Writes the sections and items that an operation inserts, in document order. The run keeps the path of the last element: the
    /// items from its section down to it. The next element can then continue in another operation, because its parent and its
    /// preceding sibling are on the path.
    struct ElementRun: Sendable {
        private var cursor: Cursor
        private let form: Form
        /// The element that was read from the cursor and is not written yet.
        private var pending: Element?
        /// The section that receives the items; nil while this is the container that the form names.
        private var section: Record?
        private var lastSection: Record?
        /// The last item that was written, after its ancestors.
        private var path: [Record] = []

        /// One of the two is set. They are advanced in place, so that their arrays are not copied.
        struct Cursor: Sendable {
            var snapshot: SnapshotCursor?
            var tree: TreeCursor?

            static func snapshot(_ cursor: SnapshotCursor) -> Cursor { Cursor(snapshot: cursor) }
            static func tree(_ cursor: TreeCursor) -> Cursor { Cursor(tree: cursor) }

            @inline(__always)
            mutating func next() -> Element? {
                switch snapshot?.next() {
                case .section(let record): .section(record)
                case .item(let record, let level, let isExpanded, let isFolded):
                    .item(record, level: level, isExpanded: isExpanded, isFolded: isFolded)
                case nil: tree?.next()
                }
            }
        }

        enum Element: Sendable {
            case section(Record)
            case item(Record, level: Int, isExpanded: Bool?, isFolded: Bool)
        }

        enum Form: Sendable {
            /// At the end of the list, of a section or of a parent: for a reset and for all operations that append.
            case append(Container)
            case insertSections(SectionPosition)
            case insertItems(ItemPosition)
        }

        private enum Open {
            case nothing
            /// The last section has no closing brace yet.
            case sections
            /// The last section's array of items is also open; the last item, at `level`, has no closing brace yet.
            case sectionItems(level: Int)
            /// Items from level `base` on; the last one, at `level`, has no closing brace yet.
            case items(base: Int, level: Int)
        }

        init(_ cursor: Cursor, form: Form) {
            self.cursor = cursor
            self.form = form
        }

        mutating func write(into part: inout Part) -> Progress {
            var open = Open.nothing
            while true {
                if pending == nil { pending = cursor.next() }
                guard let element = pending else {
                    close(open, &part)
                    return .done
                }
                let start = part.writer.count
                let after = write(element, open, &part)
                if part.writer.count + closingLength(after) > part.limit, !part.isEmpty {
                    part.writer.truncate(to: start)
                    close(open, &part)
                    return .more
                }
                part.isEmpty = false
                open = after
                remember(element)
                pending = nil
            }
        }

        private mutating func remember(_ element: Element) {
            switch element {
            case .section(let record):
                (section, lastSection) = (record, record)
                path.removeAll(keepingCapacity: true)
            case .item(let record, let level, _, _):
                path.removeLast(path.count - level)
                path.append(record)
            }
        }

        // MARK: - One element

        private func write(_ element: Element, _ open: Open, _ part: inout Part) -> Open {
            switch element {
            case .section(let record):
                switch open {
                case .sections, .sectionItems:
                    closeSection(open, &part)
                    part.writer.append(byte: UInt8(ascii: ","))
                case .items, .nothing:
                    close(open, &part)
                    beginSections(&part)
                }
                part.writer.appendSectionOpening(record)
                return .sections
            case .item(let record, let level, let isExpanded, let isFolded):
                let after = writeStep(to: level, open, &part)
                part.writer.appendItemOpening(
                    record, isExpanded: isExpanded, isFolded: isFolded, expansion: part.expansion)
                return after
            }
        }

        private func writeStep(to level: Int, _ open: Open, _ part: inout Part) -> Open {
            switch open {
            case .sections where cursor.snapshot == nil:
                part.writer.append(#","items":["#)
                return .sectionItems(level: level)
            case .sectionItems(let last):
                part.writer.appendSeparator(fromLevel: last, to: level)
                return .sectionItems(level: level)
            case .items(let base, let last) where level >= base:
                part.writer.appendSeparator(fromLevel: last, to: level)
                return .items(base: base, level: level)
            case .nothing, .sections, .items:
                close(open, &part)
                beginItems(level: level, &part)
                return .items(base: level, level: level)
            }
        }

        /// Writes a comma first if this part already has an operation.
        private func beginSections(_ part: inout Part) {
            switch form {
            case .append, .insertItems: part.begin("appendSections")
            case .insertSections(let position):
                part.begin("insertSections")
                if case .before(let anchor) = position {
                    part.appendMember("before", identifier: anchor.record)
                } else if let lastSection {
                    part.appendMember("after", identifier: lastSection)
                } else if case .after(let anchor) = position {
                    part.appendMember("after", identifier: anchor.record)
                } else {
                    part.appendMember("after", identifier: nil)
                }
            }
            part.appendMember("sections")
            part.writer.append(byte: UInt8(ascii: "["))
        }

        private func beginItems(level: Int, _ part: inout Part) {
            if case .append(let container) = form {
                part.begin("appendItems")
                if let section = section ?? container.section?.record {
                    part.appendMember("section", identifier: section)
                }
                if level > 0 {
                    part.appendMember("parent", identifier: path[level - 1])
                } else if let parent = container.parent {
                    part.appendMember("parent", identifier: parent.record)
                }
            } else {
                part.begin("insertItems")
                appendPosition(level: level, &part)
            }
            part.appendMember("items")
            part.writer.append(byte: UInt8(ascii: "["))
        }

        /// Places the item after the last written sibling. The first item at level 0 gets the operation's position.
        private func appendPosition(level: Int, _ part: inout Part) {
            guard case .insertItems(let position) = form else {
                if let section { part.appendMember("section", identifier: section) }
                if level > 0 { part.appendMember("parent", identifier: path[level - 1]) }
                return part.appendMember("after", identifier: level < path.count ? path[level] : nil)
            }
            guard level == 0 else {
                if let section = position.container?.section {
                    part.appendMember("section", identifier: section.record)
                }
                part.appendMember("parent", identifier: path[level - 1])
                return part.appendMember("after", identifier: level < path.count ? path[level] : nil)
            }
            part.appendPosition(position, after: path.first)
        }

        // MARK: - Closing

        private func close(_ open: Open, _ part: inout Part) {
            switch open {
            case .nothing: return
            case .sections, .sectionItems: closeSection(open, &part)
            case .items(let base, let level):
                part.writer.append(byte: UInt8(ascii: "}"))
                for _ in base..<level { part.writer.append("]}") }
            }
            part.writer.append("]}")
        }

        private func closeSection(_ open: Open, _ part: inout Part) {
            if case .sectionItems(let level) = open {
                part.writer.append(byte: UInt8(ascii: "}"))
                for _ in 0..<level { part.writer.append("]}") }
                part.writer.append(byte: UInt8(ascii: "]"))
            }
            part.writer.append(byte: UInt8(ascii: "}"))
        }

        /// The number of bytes that `close` writes.
        private func closingLength(_ open: Open) -> Int {
            switch open {
            case .nothing: 0
            case .sections: 3
            case .sectionItems(let level): 5 + 2 * level
            case .items(let base, let level): 3 + 2 * (level - base)
            }
        }
    }
}

extension OperationsWriter.Part {
    /// Writes an operation that inserts a single item without children. Most operations are of this kind, and they need no
    /// `ElementRun`, because nothing of them is left for another part. False for any other operation, and if it does not fit.
    mutating func writeAtOnce(_ operation: ListOperation) -> Bool {
        let start = writer.count
        let item: Item
        switch operation {
        case .appendItems(let items, let container), .insertItems(let items, .end(let container)):
            guard let only = items.onlyWithoutChildren else { return false }
            item = only
            begin("appendItems")
            if let section = container.section { appendMember("section", identifier: section.record) }
            if let parent = container.parent { appendMember("parent", identifier: parent.record) }
        case .insertItems(let items, let position):
            guard let only = items.onlyWithoutChildren else { return false }
            item = only
            begin("insertItems")
            appendPosition(position)
        default: return false
        }
        appendMember("items")
        writer.append(byte: UInt8(ascii: "["))
        writer.appendItemOpening(
            item.record, isExpanded: item.isExpanded, isFolded: item.isFolded, expansion: expansion)
        writer.append("}]}")
        if writer.count > limit, !isEmpty {
            writer.truncate(to: start)
            return false
        }
        isEmpty = false
        return true
    }

    /// `sibling` is the last written sibling; the item is placed after it.
    mutating func appendPosition(_ position: ItemPosition, after sibling: Record? = nil) {
        let hasAnchor = sibling != nil || position.hasAnchor
        if let container = position.container, !(hasAnchor && container.isLastSection) { appendContainer(container) }
        if case .before(let anchor, _) = position {
            appendMember("before", identifier: anchor.record)
        } else if let sibling {
            appendMember("after", identifier: sibling)
        } else if case .after(let anchor, _) = position {
            appendMember("after", identifier: anchor.record)
        } else {
            appendMember("after", identifier: nil)
        }
    }

    /// Writes the container of a position. `"section":null` means the last section.
    mutating func appendContainer(_ container: Container) {
        if container.section != nil || container.parent == nil {
            appendMember("section", identifier: container.section?.record)
        }
        if let parent = container.parent { appendMember("parent", identifier: parent.record) }
    }
}

extension [Item] {
    fileprivate var onlyWithoutChildren: Item? {
        count == 1 && self[0].children.isEmpty ? self[0] : nil
    }
}

extension ItemPosition {
    fileprivate var hasAnchor: Bool {
        switch self {
        case .before, .after: true
        case .front, .end: false
        }
    }

    fileprivate var container: Container? {
        switch self {
        case .before(_, let container), .after(_, let container): container
        case .front(let container), .end(let container): container
        }
    }
}
